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
import { isErrno, look } from "./safe-path.ts";
import { contentOf, write } from "./snapshot.ts";
import { isJobTree, type JobGit, refs, type Tree, treeAt, treeName } from "./trees.ts";
import { findTree, listWorktrees, origin, removeAll, removeLocks, removeWorktree } from "./worktrees.ts";

/** Removes the tree of `thread`. Returns the ref of its last state; null when there never was a tree. */
export async function dropTree(job: JobGit, thread: ThreadId): Promise<{ readonly ref: string | null }> {
  const name = treeName(job.job, thread);
  const ref = refs.ended(job.job, name);
  const tree = await findTree(job, thread);
  if (tree !== undefined) await keepLast(job, tree, ref);
  await removeWorktree(job, name);
  const branch = isJobTree(job.job, thread) ? [refs.branch(job.job)] : [];
  const gone = [refs.thread(job.job, name), ...branch].map((each) => `delete ${each}\n`).join("");
  if (tree !== undefined) await job.git.run(["update-ref", "--stdin"], { input: gone });
  const [kept] = await readCommits(job.git, [ref]);
  return { ref: kept === undefined ? null : ref };
}

async function keepLast(job: JobGit, tree: Tree, ref: string): Promise<void> {
  const content = await contentOf(job, tree);
  const commit = await write(job, content, undefined, `Snapshot end of ${tree.thread}`);
  await job.git.run(["update-ref", ref, commit]);
}

/** Removes the worktrees of the job that none of `live` names, half-made ones, and stale locks of the others. */
export async function reconcileTrees(job: JobGit, live: readonly ThreadId[]): Promise<void> {
  const wanted = new Set(live.map((thread) => treeName(job.job, thread)));
  for (const found of await listWorktrees(job)) {
    const finished =
      (await origin(found.admin)) !== undefined && (await look(join(job.root, found.name))) !== undefined;
    if (finished && wanted.has(found.name)) await clearLeftovers(found.admin);
    else {
      if (finished) await keepUnlessKept(job, treeAt(job, found.name, found.admin, found.name));
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

async function clearLeftovers(admin: string): Promise<void> {
  await removeLocks(admin);
  await Promise.all(["cfa-index", "cfa-rewrite"].map((name) => rm(join(admin, name), { force: true })));
}

async function entries(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}
