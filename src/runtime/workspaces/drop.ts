/**
 * Ending trees without a merge, and clearing away what a kill has left.
 *
 * E1. The last state of a finished tree is on `refs/cfa/<job>/ended/<name>` before its worktree goes; what is there
 *     already stays. Of one that cannot be read any more it is the newest snapshot.
 * E2. A job's tree takes the branch `cfa/<job>` with it.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isErrno } from "../../soup/errno.ts";
import { jobDirectory } from "../../persistence/jobs.ts";
import type { ThreadId } from "../../soup/message.ts";
import { readCommits } from "./git.ts";
import { isDamage } from "./guard.ts";
import { undoHalfMerge } from "./half-merge.ts";
import { repair } from "./mend.ts";
import { deleteRefs, removeRefLocks } from "./ref-locks.ts";
import { look } from "./safe-path.ts";
import { type Content, contentOf, write } from "./snapshot.ts";
import { survey } from "./stage.ts";
import { awaitStrays } from "./strays.ts";
import { isJobTree, type JobGit, refs, type Tree, treeAt, treeName } from "./trees.ts";
import { findTree, listWorktrees, origin, removeAll, removeLocks, removeWorktree } from "./worktrees.ts";

/** Removes the tree of `thread`. Returns the ref of its last state; null when there never was a tree. */
export async function dropTree(job: JobGit, thread: ThreadId): Promise<{ readonly ref: string | null }> {
  const name = treeName(job.job, thread);
  const ref = refs.ended(job.job, name);
  const tree = await findTree(job, thread);
  const own = [refs.thread(job.job, name), ...(isJobTree(job, thread) ? [refs.branch(job.job)] : [])];
  const [before, ...there] = await readCommits(job.git, [ref, ...own]);
  if (tree !== undefined) await keepLast(job, tree, ref);
  else if (before === undefined) await keepLatest(job, name, ref);
  await removeWorktree(job, name);
  const gone = own.filter((_, at) => there[at] !== undefined).map((each) => `delete ${each}`);
  // The branch of a job that has been delivered stays.
  if (gone.length > 0 && (tree !== undefined || before === undefined)) await deleteRefs(job, gone);
  const [kept] = await readCommits(job.git, [ref]);
  return { ref: kept === undefined ? null : ref };
}

async function keepLast(job: JobGit, tree: Tree, ref: string): Promise<void> {
  const content = await readable(job, tree);
  if (content === undefined) return keepLatest(job, tree.name, ref);
  const commit = await write(job, content, undefined, `Snapshot end of ${tree.thread}`);
  await job.git.run(["update-ref", ref, commit]);
}

/** The content of a tree, whatever its agents have made of its index; undefined when git cannot read it at all. */
async function readable(job: JobGit, tree: Tree): Promise<Content | undefined> {
  try {
    return await contentOf(job, tree).catch(async (error: unknown) => {
      if (!isDamage(error)) throw error;
      await repair(job, tree);
      return contentOf(job, tree);
    });
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** What cannot be read any more was last seen by a snapshot. */
async function keepLatest(job: JobGit, name: string, ref: string): Promise<void> {
  const [latest] = await readCommits(job.git, [refs.latest(job.job, name)]);
  if (latest !== undefined) await job.git.run(["update-ref", ref, latest.id]);
}

/**
 * Removes the worktrees of the job that none of `live` names and half-made ones, and brings the others to where no git
 * was killed: without locks and half-done merges. Waits for a git that is still at work first. Returns the names of trees that
 * are damaged.
 */
export async function reconcileTrees(job: JobGit, live: readonly ThreadId[]): Promise<readonly string[]> {
  const damaged: string[] = [];
  await awaitStrays(job.root, jobDirectory(job.repository, job.job));
  await removeRefLocks(job);
  const wanted = new Set(live.map((thread) => treeName(job.job, thread)));
  for (const found of await listWorktrees(job)) {
    const finished =
      (await origin(found.admin)) !== undefined && (await look(join(job.root, found.name))) !== undefined;
    const tree = treeAt(job, found.name, found.admin, found.name);
    if (finished && wanted.has(found.name)) {
      if (!(await clearLeftovers(job, tree))) damaged.push(found.name);
    } else {
      if (finished) await keepUnlessKept(job, tree);
      await removeWorktree(job, found.name);
    }
  }
  const known = new Set((await listWorktrees(job)).map((found) => found.name));
  for (const name of await entries(job.root)) if (!known.has(name)) await removeAll(join(job.root, name));
  return damaged;
}

async function keepUnlessKept(job: JobGit, tree: Tree): Promise<void> {
  const ref = refs.ended(job.job, tree.name);
  const [kept] = await readCommits(job.git, [ref]);
  if (kept === undefined) await keepLast(job, tree, ref);
}

/** Returns whether the tree can be worked with then. */
async function clearLeftovers(job: JobGit, tree: Tree): Promise<boolean> {
  try {
    await removeLocks(tree.admin);
    await Promise.all(INDEXES.map((name) => rm(join(tree.admin, name), { force: true })));
    await undoHalfMerge(job, tree);
    await survey(tree.git);
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** Indexes of our own beside that of the tree, and the locks on them. */
const INDEXES = ["cfa-index", "cfa-rewrite", "cfa-blobs", "cfa-rewrite.lock", "cfa-blobs.lock"];

async function entries(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}
