/**
 * Listeners of one process that want a hint.
 */

/** A set of listeners; the same function may be in it more than once. */
export type Listeners = {
  /** Adds a listener. Returns what removes it again. */
  add(listener: () => void): () => void;
  /** Calls all. One that subscribes or leaves meanwhile does not change who is called. */
  call(): void;
  /** How many there are. */
  count(): number;
};

/** An empty set of listeners. */
export function listeners(): Listeners {
  const all = new Set<{ readonly listener: () => void }>();
  return {
    add: (listener) => {
      const member = { listener };
      all.add(member);
      return () => void all.delete(member);
    },
    call: () => {
      const present = [...all];
      for (const { listener } of present) listener();
    },
    count: () => all.size,
  };
}
