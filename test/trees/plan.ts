/**
 * Random dispatch trees with edits, as data: what each thread of a job writes, whom it opens, and what it does with a conflict.
 *
 * P1. At most three levels below the lead, at most eight threads with it.
 * P2. Threads edit files of their own and files that all share, so that merges meet in every way: text, binary, deletion, rename.
 */
import fc from "fast-check";

/** Files that the base holds and that every thread may touch; the last one is binary. */
export const SHARED = ["s0.txt", "s1.txt", "deep/s2.txt", "image.bin"] as const;

/** An edit of a workspace. `file` is one of {@link SHARED}; `at` says where, modulo what is there. */
export type Edit =
  | { readonly kind: "own" | "commit" | "ignored" }
  | { readonly kind: "insert" | "replace" | "remove"; readonly file: number; readonly at: number }
  | { readonly kind: "delete" | "rename"; readonly file: number };

/** How a thread ends a conflict in its tree. */
export type Resolution = "both" | "ours" | "theirs" | "late" | "by commit";

/** What a parent does with a child: closes it when it replies, sends it on once, leaves it open, or closes it at work. */
export type Fate = "close" | "again" | "leave" | "cut";

/** A thread. */
export type Node = {
  readonly edits: readonly Edit[];
  /** Made in its later turns. */
  readonly later: readonly Edit[];
  readonly resolution: Resolution;
  readonly fate: Fate;
  readonly children: readonly Node[];
};

/** A job: the lead as root, and after how many turns a human withdraws it, if one does. */
export type Plan = { readonly root: Node; readonly withdrawAfter: number | null };

const file = fc.nat(SHARED.length - 1);
const at = fc.nat(9);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("own", "commit", "ignored") }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("insert", "replace", "remove"), file, at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("delete", "rename"), file }) },
);

const node = (children: fc.Arbitrary<readonly Node[]>): fc.Arbitrary<Node> =>
  fc.record({
    edits: fc.array(edit, { maxLength: 4 }),
    later: fc.array(edit, { maxLength: 2 }),
    resolution: fc.constantFrom("both", "both", "ours", "theirs", "late", "by commit"),
    fate: fc.constantFrom("close", "close", "close", "again", "leave", "cut"),
    children,
  });

const leaf = node(fc.constant([]));
const second = node(fc.array(leaf, { maxLength: 2 }));
const first = node(fc.array(second, { maxLength: 2 }));
const MOST = 8;

/** Every plan within P1. */
export const plans: fc.Arbitrary<Plan> = fc
  .record({
    root: node(fc.array(first, { minLength: 1, maxLength: 3 })),
    withdrawAfter: fc.oneof(
      { weight: 7, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
    ),
  })
  .filter(({ root }) => size(root) <= MOST);

const size = ({ children }: Node): number => children.reduce((sum, child) => sum + size(child), 1);

/** The thread at a place below the root, such as `1.0`; the root is the empty place. */
export function nodeAt(root: Node, place: string): Node {
  let at = root;
  for (const part of place === "" ? [] : place.split(".")) {
    const child = at.children[Number(part)];
    if (child === undefined) throw new Error(`the plan has nobody at ${place}`);
    at = child;
  }
  return at;
}
