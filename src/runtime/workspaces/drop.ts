/**
 * Ending trees without a merge, and clearing away what a kill has left.
 *
 * E1. The last state of a finished tree is on `refs/cfa/<job>/ended/<name>` before its worktree goes; what is there
 *     already stays.
 * E2. A job's tree takes the branch `cfa/<job>` with it.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadId } from "../../soup/message.ts";
import { readCommits } from "./git.ts";
import { undoHalfMerge } from "./half-merge.ts";
import { deleteRefs, removeRefLocks } from "./ref-locks.ts";
import { isErrno, look } from "./safe-path.ts";
import { contentOf, write } from "./snapshot.ts";
import { awaitStrays } from "./strays.ts";
import { isJobTree, type JobGit, refs, type Tree, treeAt, treeName } from "./trees.ts";
import { findTree, listWorktrees, origin, removeAll, removeLocks, removeWorktree } from "./worktrees.ts";

/** Removes the tree of `thread`. Returns the ref of its last state; null when there never was a tree. */
export async function dropTree(job: JobGit, thread: ThreadId): Promise<{ readonly ref: string | null }> {
  const name = treeName(job.job, thread);
  const ref = refs.ended(job.job, name);
  const tree = await findTree(job, thread);
  if (tree !== undefined) await keepLast(job, tree, ref);
  await removeWorktree(job, name);
  const branch = isJobTree(job, thread) ? [refs.branch(job.job)] : [];
  const gone = [refs.thread(job.job, name), ...branch].map((each) => `delete ${each}`);
  if (tree !== undefined) await deleteRefs(job, gone);
  const [kept] = await readCommits(job.git, [ref]);
  return { ref: kept === undefined ? null : ref };
}

async function keepLast(job: JobGit, tree: Tree, ref: string): Promise<void> {
  const content = await contentOf(job, tree);
  const commit = await write(job, content, undefined, `Snapshot end of ${tree.thread}`);
  await job.git.run(["update-ref", ref, commit]);
}

/**
 * Removes the worktrees of the job that none of `live` names and half-made ones, and brings the others to where no git
 * was killed: without locks and half-done merges. Waits for a git that is still at work first.
 */
export async function reconcileTrees(job: JobGit, live: readonly ThreadId[]): Promise<void> {
  await awaitStrays(job.root);
  await removeRefLocks(job);
  const wanted = new Set(live.map((thread) => treeName(job.job, thread)));
  for (const found of await listWorktrees(job)) {
    const finished =
      (await origin(found.admin)) !== undefined && (await look(join(job.root, found.name))) !== undefined;
    const tree = treeAt(job, found.name, found.admin, found.name);
    if (finished && wanted.has(found.name)) await clearLeftovers(job, tree);
    else {
      if (finished) await keepUnlessKept(job, tree);
      await removeWorktree(job, found.name);
    }
  }
  const known = new Set((await listWorktrees(job)).map((found) => found.name));
  for (const name of await entries(job.root)) if (!known.has(name)) await removeAll(join(job.root, name));
}

async function keepUnlessKept(job: JobGit, tree: Tree): Promise<void> {
  const ref = refs.ended(job.job, tree.name);
  const [kept] = await readCommits(job.git, [ref]);
  if (kept === undefined) await keepLast(job, tree, ref);
}

async function clearLeftovers(job: JobGit, tree: Tree): Promise<void> {
  await removeLocks(tree.admin);
  await Promise.all(["cfa-index", "cfa-rewrite"].map((name) => rm(join(tree.admin, name), { force: true })));
  await undoHalfMerge(job, tree);
}

async function entries(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}
