/** Putting a tree of the model back to a commit that the log names, as runtime/workspaces/restore.ts does with a real one. */
import { same, type Tree, type Trees } from "./trees.ts";

/** Tree, head and merge under way are those of `to` afterwards; a merge whose conflict came after it is begun again. */
export function restoreTree(trees: Trees, tree: Tree, to: string): void {
  const target = trees.at(to);
  const below = target.snapshot ? (target.parents[0] ?? target.id) : target.id;
  const { conflict } = tree;
  const line = trees.at(tree.head);
  const isOneCommit = line.parents.length === 1 && line.parents[0] === below;
  tree.head = isOneCommit && same(line.content, target.content) ? line.id : below;
  tree.content = new Map(target.content);
  tree.conflict = undefined;
  if (conflict === undefined) return;
  if (target.merging === conflict.commit) {
    tree.head = below;
    tree.conflict = { ...conflict, completed: null };
    return;
  }
  const isDone = conflict.completed !== null && trees.isAncestor(conflict.completed, tree.head);
  if (isDone) tree.conflict = conflict;
  else trees.merge(tree, conflict.child, conflict.commit);
}
