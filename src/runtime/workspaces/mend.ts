/**
 * Putting a tree back that whoever works in the trees has damaged: its worktree removed, its index or administration broken.
 *
 * M1. A tree whose last state is on its ref has left; it stays away.
 * M2. What can still be read of a damaged tree is kept as that of a lost turn is (restore.ts, B2); what cannot, is gone.
 * M3. Refs of the tree's line that somebody has deleted are made again from the log before anything else.
 * M4. The merge of a child that the log says the tree holds is begun again, also when nothing in the tree tells of it any more.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { InvariantViolation } from "../../soup/invariant.ts";
import type { ThreadId } from "../../soup/message.ts";
import { readConflict, writeConflict } from "./conflict.ts";
import { readCommits } from "./git.ts";
import { removeMergeState } from "./unfinished.ts";
import { beginMerge } from "./merge.ts";
import type { LoggedTree } from "./port.ts";
import { restoreTree } from "./restore.ts";
import { look } from "./safe-path.ts";
import { recordedIn } from "./snapshot.ts";
import { isJobTree, type JobGit, refs, type Tree, treeName } from "./trees.ts";
import { isAncestor, lineEnd } from "./work-commit.ts";
import { findTree, removeLocks, removeWorktree, requireTree } from "./worktrees.ts";

/** Puts the tree of `thread` back to what the log says, if it is missing, or `damaged`. */
export async function mendTree(
  job: JobGit,
  thread: ThreadId,
  { snapshot, conflict, line }: LoggedTree,
  label: string,
  damaged: boolean,
): Promise<void> {
  if (line !== undefined) await restoreRefs(job, thread, line, snapshot);
  if (!damaged && (await findTree(job, thread)) !== undefined) return;
  const [ended] = await readCommits(job.git, [refs.ended(job.job, treeName(job.job, thread))]);
  if (ended !== undefined) return;
  await restoreDamaged(job, thread, snapshot, label);
  if (conflict === null) return;
  const tree = await requireTree(job, thread);
  const { child, commit } = conflict;
  const record = readConflict(tree);
  if (record?.commit === commit) writeConflict(tree, { ...record, thread: child, own: null });
  else {
    const again = { thread: child, commit, own: null, onto: "", completed: null, paths: [] };
    await beginMerge(job, tree, child, commit, again);
  }
}

/** Makes the refs of a tree's line anew where they are gone (M3); one that has left keeps none. */
async function restoreRefs(
  job: JobGit,
  thread: ThreadId,
  { began, newest }: NonNullable<LoggedTree["line"]>,
  snapshot: string | null,
): Promise<void> {
  const name = treeName(job.job, thread);
  const own = isJobTree(job, thread) ? [refs.base(job.job), refs.branch(job.job)] : [];
  const names = [refs.thread(job.job, name), ...own];
  if (await areLoose(job, names)) return;
  const asked = [...names, refs.ended(job.job, name), snapshot ?? "-"];
  const found = await readCommits(job.git, asked);
  const [ended, last] = found.slice(names.length);
  if (ended !== undefined) return;
  const head = (last && recordedIn(last)?.head) ?? newest;
  // Commits that an agent made on the branch go on the line with the next work commit.
  const tip = (await isAncestor(job.git, newest, head)) ? head : newest;
  const goals = [newest, began, tip];
  const lines = names.flatMap((ref, at) => (found[at] === undefined ? [`create ${ref} ${goals[at]}\n`] : []));
  if (lines.length > 0) await job.git.run(["update-ref", "--stdin"], { input: lines.join("") });
}

/** The refs are files of their own: asking git for them is not needed. */
async function areLoose(job: JobGit, names: readonly string[]): Promise<boolean> {
  const stats = await Promise.all(names.map((ref) => look(join(job.common, ref))));
  return stats.every((stat) => stat !== undefined);
}

/** Restores a tree whatever state it is in (M2). Returns the ref of what it held besides. */
export async function restoreDamaged(
  job: JobGit,
  thread: ThreadId,
  commit: string | null,
  label: string,
): Promise<{ readonly kept: string | undefined }> {
  try {
    const tree = await findTree(job, thread);
    if (tree !== undefined) await repair(job, tree);
    return await restoreTree(job, thread, commit, label);
  } catch (error) {
    if (error instanceof InvariantViolation) throw error;
    // Nothing of it is of use: it is made anew.
    await removeWorktree(job, treeName(job.job, thread));
    return restoreTree(job, thread, commit, label);
  }
}

/** Makes the index of a tree anew, at the end of its line, and ends what git had left unfinished; the files stay as they are. */
export async function repair(job: JobGit, tree: Tree): Promise<void> {
  const end = await lineEnd(job, tree);
  await removeLocks(tree.admin);
  await removeMergeState(tree);
  await rm(join(tree.admin, "index"), { recursive: true, force: true });
  await tree.git.run(["read-tree", end.id]);
}
