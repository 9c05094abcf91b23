/**
 * Merging the work of a thread into its parent's tree.
 *
 * G1. Always a merge commit, never fast-forward or squash, never a preference for a side; only work that is already
 *     there makes none.
 * G2. The parent's work is committed first, so nothing of it can be overwritten; an ignored file in the way of a new
 *     one is kept, and the path becomes a conflict.
 * G3. A conflict stays in the parent's tree, with a record (conflict.ts). While it does, or while something else is unfinished
 *     there, no other merge begins. Of git's state of what is over nothing remains when one does.
 * G4. The child's commit is on `refs/cfa/<job>/ended/<name>` before its worktree goes.
 */
import type { ThreadId } from "../../soup/message.ts";
import { keepArtifacts } from "./carry.ts";
import {
  type ConflictRecord,
  describePaths,
  forgetConflict,
  openConflict,
  ownRecord,
  writeConflict,
} from "./conflict.ts";
import { fields, type Git, GitFailure, readCommits, text } from "./git.ts";
import { forgetMerge, noteMerge } from "./half-merge.ts";
import { markUnmerged, moveObstaclesAside, obstaclesOf, putBack } from "./obstacles.ts";
import { type Merged, TreeBroken } from "./port.ts";
import { deleteRefs } from "./ref-locks.ts";
import { contentOf, recordedIn, write } from "./snapshot.ts";
import { type JobGit, refs, type Tree, treeName } from "./trees.ts";
import { mergeHead, removeMergeState, unfinishedIn } from "./unfinished.ts";
import { workCommit } from "./work-commit.ts";
import { findTree, removeLocks, removeWorktree } from "./worktrees.ts";

/** Merges `thread` into `parent`, unless the parent's tree holds another conflict (G3). */
export async function mergeInto(job: JobGit, thread: ThreadId, parent: Tree): Promise<Merged> {
  await removeLocks(parent.admin);
  const name = treeName(job.job, thread);
  const ref = refs.ended(job.job, name);
  const child = await findTree(job, thread);
  const held = await holds(job, parent, child, ref);
  if (held !== undefined && "result" in held) return held;
  if (held !== undefined) {
    await removeWorktree(job, name);
    return { result: "conflict", held: true, commit: held.commit, ref, paths: held.paths };
  }
  const isUnfinished = child !== undefined && (await isHeldUp(child));
  if (isUnfinished) await keepUnfinished(job, child, ref);
  const unmerged = isUnfinished || child === undefined ? await unfinished(job, ref) : undefined;
  if (unmerged !== undefined) {
    await removeWorktree(job, name);
    return unmerged;
  }
  const commit = child === undefined ? await endedCommit(job, ref, thread) : await workCommit(job, child);
  await job.git.run(["update-ref", ref, commit]);
  const begun = await beginMerge(job, parent, thread, commit);
  await removeWorktree(job, name);
  if (child !== undefined) await deleteRefs(job, [`delete ${refs.thread(job.job, name)}`]);
  return "merge" in begun
    ? { result: "merged", merge: begun.merge, commit, ref }
    : { result: "conflict", held: true, commit, ref, paths: begun.paths };
}

/** Nothing of the tree can be merged further up: it holds a conflict. */
async function isHeldUp(tree: Tree): Promise<boolean> {
  return openConflict(tree) !== undefined || (await unfinishedIn(tree)) !== undefined;
}

/** The conflict of this very merge, `held` for another one, undefined when the parent's tree is free. */
async function holds(
  job: JobGit,
  parent: Tree,
  child: Tree | undefined,
  ref: string,
): Promise<
  { readonly commit: string; readonly paths: readonly string[] } | (Merged & { result: "held" }) | undefined
> {
  const open = openConflict(parent);
  const found = await unfinishedIn(parent);
  if (found === undefined && open === undefined) return undefined;
  const own = child === undefined ? ref : refs.thread(job.job, child.name);
  const [commit] = await readCommits(job.git, [own]);
  if (open?.own === null && open.commit === commit?.id)
    return { commit: open.commit, paths: open.paths.map((entry) => text(entry.path)) };
  // No record of the very commit: a kill came between git's merge and ours to note it; the work below it was committed before.
  if (open !== undefined || found?.operation !== "merge" || found.commit !== commit?.id) {
    const record = open ?? (found && (await ownRecord(parent, found, undefined)));
    return {
      result: "held",
      own: record?.own ?? null,
      paths: record?.paths.map((entry) => text(entry.path)) ?? [],
    };
  }
  await parent.git.run(["merge", "--abort"]);
  await putBack(parent);
  return undefined;
}

async function endedCommit(job: JobGit, ref: string, thread: ThreadId): Promise<string> {
  const [ended] = await readCommits(job.git, [ref]);
  if (ended === undefined)
    throw new TreeBroken(`there is no work of ${thread} to merge: its workspace and ${ref} are gone.`);
  return ended.id;
}

/** A child that holds a conflict of its own has nothing that could be merged; all of it stays on its ref. */
async function keepUnfinished(job: JobGit, child: Tree, ref: string): Promise<void> {
  const commit = await write(job, await contentOf(job, child), undefined, `Snapshot end of ${child.thread}`);
  await job.git.run(["update-ref", ref, commit]);
}

/** The result for a child whose last state, on `ref`, holds an unfinished merge; undefined for any other. */
async function unfinished(job: JobGit, ref: string): Promise<Merged | undefined> {
  const [ended] = await readCommits(job.git, [ref]);
  const recorded = ended && recordedIn(ended);
  if (ended === undefined || recorded === undefined || recorded.unfinished === null) return undefined;
  const { head, merging, unmerged } = recorded;
  const kept = { result: "conflict", held: false, commit: ended.id, ref } as const;
  if (unmerged.length > 0 || head === null || merging === null) return { ...kept, paths: unmerged.map(text) };
  const merge = ["merge-tree", "--write-tree", "--name-only", "-z", "--no-messages", head, merging];
  const [, ...paths] = fields((await job.git.attempt(merge)).out);
  return { ...kept, paths: paths.map(text) };
}

/** Ends the merge that `tree` holds as if it had never begun; the work below it was committed before (G2). */
export async function abandonMerge(tree: Tree): Promise<void> {
  if ((await mergeHead(tree)) !== null) await tree.git.run(["merge", "--abort"]);
  await putBack(tree);
  await forgetConflict(tree);
}

/**
 * Commits the work of `tree` and merges `commit`, the work of `thread`, into it. `again` is the record of a conflict
 * that the tree must hold: it never goes, whatever is killed, and paths that it says are declared stay so.
 */
export async function beginMerge(
  job: JobGit,
  tree: Tree,
  thread: ThreadId,
  commit: string,
  again?: ConflictRecord,
): Promise<{ readonly merge: string } | { readonly paths: readonly string[] }> {
  await putBack(tree);
  const onto = await workCommit(job, tree);
  if (again === undefined) await forgetConflict(tree);
  else writeConflict(tree, { ...again, onto, completed: null });
  await removeMergeState(tree);
  const obstacles = await obstaclesOf(tree, onto, commit);
  if (obstacles.length > 0) await moveObstaclesAside(tree, obstacles);
  const quiet = ["--quiet", "--no-ff", "--no-edit", "--no-verify", "--no-stat", "--no-log", "--no-autostash"];
  const commitNow = obstacles.length > 0 ? ["--no-commit"] : [];
  const message = `Merge ${thread} into ${tree.thread}`;
  await noteMerge(tree, { onto, commit, obstacles, again: again !== undefined });
  const done = await tree.git.attempt(["merge", ...quiet, ...commitNow, "-m", message, commit]);
  if ((await putBack(tree)).length > 0 && (await mergeHead(tree)) !== null)
    await markUnmerged(tree, obstacles);
  if ((await mergeHead(tree)) !== null) {
    const declared = new Set(again?.paths.filter((entry) => entry.declared).map((entry) => entry.path));
    const found = await describePaths(tree);
    const paths = found.map((entry) => ({ ...entry, declared: declared.has(entry.path) }));
    writeConflict(tree, { thread, commit, own: again?.own ?? null, onto, completed: null, paths });
    await forgetMerge(tree);
    return { paths: paths.map((entry) => text(entry.path)) };
  }
  if (done.code !== 0) throw new GitFailure("merge", done);
  await forgetMerge(tree);
  const [head] = await readCommits(tree.git, ["HEAD"]);
  const merge = head === undefined || head.id === onto ? await mergeOf(job.git, commit, onto) : head.id;
  if (head !== undefined && head.id !== onto)
    await job.git.run(["update-ref", refs.thread(job.job, tree.name), head.id, onto]);
  if (again !== undefined) writeConflict(tree, { ...again, onto, completed: merge });
  await keepArtifacts(job, tree, merge);
  return { merge };
}

/** The merge commit that brought `commit` into the history of `head`; `head` itself when none did. */
export async function mergeOf(git: Git, commit: string, head: string): Promise<string> {
  const between = ["rev-list", "--merges", "--ancestry-path", "--parents", "--reverse", "--topo-order"];
  for (const line of (await git.run([...between, `${commit}..${head}`])).split("\n")) {
    const [merge, , ...others] = line.split(" ");
    if (merge !== undefined && others.includes(commit)) return merge;
  }
  return head;
}
