/**
 * What the log says of the trees of a job: enough to make one that is missing, here or in a fork (docs/fork.md).
 *
 * R1. Folded from entries alone. A tree is in it from the entry that says that it is ready to the one that says that it
 *     has left; all leads of states work in one, the job's.
 * R2. `line` is the newest commit of the tree's own line that an entry names: where it began, what was branched from it,
 *     what was merged into it.
 */
import type { Entry, EntryBody } from "../persistence/entry.ts";
import type { ThreadId } from "../soup/message.ts";

/** What is known of one tree. */
export type TreeRecord = {
  /** Commit at which it began. */
  readonly began: string;
  /** Snapshot of its parent's tree, from which its first artifacts came; null where there was none. */
  readonly artifacts: string | null;
  /** See R2. */
  readonly line: string;
};

/** What folding trees reads of the other folds. */
export type TreeContext = {
  readonly treeOf: (thread: ThreadId) => ThreadId;
  /** Newest logged snapshot of each tree. */
  readonly snapshots: ReadonlyMap<ThreadId, string>;
  readonly root: ThreadId;
};

/** Takes up what an entry says of trees. */
export function foldTrees(trees: Map<ThreadId, TreeRecord>, entry: Entry, context: TreeContext): void {
  switch (entry.kind) {
    case "workspace":
      prepared(trees, entry.body, context);
      return;
    case "release":
      released(trees, entry.body, context);
      return;
    case "deliver":
      trees.delete(context.root);
      return;
    default:
      return;
  }
}

function prepared(
  trees: Map<ThreadId, TreeRecord>,
  { thread, parent, commit }: EntryBody<"workspace">,
  { treeOf, snapshots }: TreeContext,
): void {
  const tree = treeOf(thread);
  const above = treeOf(parent);
  if (commit === null) {
    if (tree === thread) trees.delete(tree);
    return;
  }
  if (!trees.has(tree))
    trees.set(tree, { began: commit, artifacts: snapshots.get(above) ?? null, line: commit });
  if (tree === thread) moveLine(trees, above, commit);
}

function released(
  trees: Map<ThreadId, TreeRecord>,
  { thread, into, result, commit }: EntryBody<"release">,
  { treeOf }: TreeContext,
): void {
  if (treeOf(thread) === thread) trees.delete(thread);
  const merged = result === "merged" || result === "completed";
  if (merged && into !== null && commit !== null) moveLine(trees, treeOf(into), commit);
}

function moveLine(trees: Map<ThreadId, TreeRecord>, tree: ThreadId, line: string): void {
  const record = trees.get(tree);
  if (record !== undefined) trees.set(tree, { ...record, line });
}
