/**
 * First-in first-out turns at named things.
 *
 * Q1. Work on one name runs one at a time, in the order of the calls; work on different names does not wait.
 * Q2. A piece of work that fails does not hold up the next.
 */

/** Runs work one at a time per name. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` when everything queued earlier under `name` has settled. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      () => undefined, // The caller of `run` gets the failure; the queue only waits for the end.
    );
    this.#tails.set(name, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    }
  }
}
