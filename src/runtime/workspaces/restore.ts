/**
 * Putting a tree back to a commit that the log names: a snapshot, or a commit that cfa made of the tree (opened,
 * branched, merged).
 *
 * B1. Afterwards tree, HEAD and the thread's line are those of that commit; ignored files, `.cfa/` and `.sortie/` stay
 *     (whoever restores reads the status file first).
 * B2. What the tree held besides is on a ref first. Doing it again never overwrites what the first attempt kept.
 * B3. A merge that the tree must hold is begun again: one in the snapshot (with the resolutions made so far), or one
 *     whose conflict came after it. Any other unfinished merge is a lost turn's and goes.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { invariant } from "../../soup/invariant.ts";
import type { ThreadId } from "../../soup/message.ts";
import { keptArtifacts, removeArtifacts, storeArtifacts } from "./carry.ts";
import { type ConflictRecord, forgetConflict, readConflict, recordAgain, writeConflict } from "./conflict.ts";
import { placeFile } from "./files.ts";
import { type CommitObject, fields, readCommits } from "./git.ts";
import { beginMerge } from "./merge.ts";
import { putBack } from "./obstacles.ts";
import { TreeBroken } from "./port.ts";
import { deleteRefs } from "./ref-locks.ts";
import { contentOf, isSame, recordedIn, write } from "./snapshot.ts";
import { survey } from "./stage.ts";
import { isJobTree, isReserved, jobBranch, type JobGit, refs, type Tree, treeName } from "./trees.ts";
import { removeMergeState } from "./unfinished.ts";
import { isAncestor, lineEnd, settle } from "./work-commit.ts";
import { findTree, makeWorktree, markFinished, origin, removeLocks } from "./worktrees.ts";

/** Restores the tree of `thread` (B1); null is the commit at which it began. Returns the ref of B2, if anything was lost. */
export async function restoreTree(
  job: JobGit,
  thread: ThreadId,
  commit: string | null,
  label: string,
): Promise<{ readonly kept: string | undefined }> {
  const tree = (await findTree(job, thread)) ?? (await rebuild(job, thread, commit));
  await removeLocks(tree.admin);
  await putBack(tree);
  const name = commit ?? (await origin(tree.admin)) ?? "";
  const ref = refs.lost(job.job, tree.name, label);
  const [target, earlier] = await readCommits(job.git, [name, ref]);
  if (target === undefined)
    throw new TreeBroken(`the workspace of ${thread} cannot go back to ${name}: there is no such commit.`);
  const before = await contentOf(job, tree);
  const lost = await write(job, before, earlier?.id, `Snapshot lost ${label} of ${thread}`);
  await job.git.run(["update-ref", ref, lost]);
  await putTo(job, tree, target);
  const nothingLost = isSame(before, await contentOf(job, tree));
  if (!nothingLost) return { kept: ref };
  if (earlier === undefined) await deleteRefs(job, [`delete ${ref}`]);
  else await job.git.run(["update-ref", ref, earlier.id]);
  return { kept: earlier === undefined ? undefined : ref };
}

/** A worktree for a thread whose own has vanished, at the end of its line; where that is lost, too, at HEAD of the snapshot `commit`. */
async function rebuild(job: JobGit, thread: ThreadId, commit: string | null): Promise<Tree> {
  const name = treeName(job.job, thread);
  const [line, snapshot] = await readCommits(job.git, [refs.thread(job.job, name), commit ?? "-"]);
  if (line === undefined && snapshot !== undefined) {
    const head = recordedIn(snapshot)?.head ?? snapshot.id;
    await job.git.run(["update-ref", refs.thread(job.job, name), head]);
  }
  const end = await lineEnd(job, { name, thread });
  const branch = isJobTree(job, thread) ? jobBranch(job.job) : undefined;
  const tree = await makeWorktree(job, thread, end.id, branch);
  await markFinished(tree, end.id);
  return tree;
}

/** Makes tree, HEAD and line of a tree those of a commit (B1, B3). */
export async function putTo(job: JobGit, tree: Tree, target: CommitObject): Promise<void> {
  const recorded = recordedIn(target);
  const artifacts =
    recorded === undefined
      ? ((await keptArtifacts(job, tree, target.id)) ?? (await storeArtifacts(job, tree.dir)))
      : [];
  const head = recorded?.head ?? (recorded === undefined ? target.id : await origin(tree.admin));
  invariant(head !== undefined, `${tree.thread} began at no commit`);
  const again = await mergeToHold(job, tree, recorded?.merging ?? null, head);
  const end = await lineEnd(job, tree);
  await removeMergeState(tree);
  await removeArtifacts(job, tree);
  await checkOut(tree, again?.onto ?? target.id);
  const line = again?.onto ?? (await lineAt(job, end, head, target));
  await settle(job, tree, { survey: await survey(tree.git), last: end.id }, line);
  await tree.git.run(["reset", "--quiet", "--mixed", line]);
  const inConflict = again === undefined ? (recorded?.unmerged ?? []) : [];
  if (inConflict.length > 0) writeConflict(tree, await recordAgain(tree, inConflict));
  else if (again === undefined) await forgetUnlessCompleted(job, tree, line);
  else await holdAgain(job, tree, again, recorded?.merging === again.commit ? target : undefined);
  for (const file of artifacts) await placeFile(job.files, tree.dir, file);
}

/** Makes tree and index those of a commit; ignored files, `.cfa/` and `.sortie/` stay. */
async function checkOut(tree: Tree, commit: string, index?: string): Promise<void> {
  const call = index === undefined ? {} : { index };
  await tree.git.run(["read-tree", "--reset", "-u", commit], call);
  await tree.git.run(["clean", "-f", "-d", "-q", "-e", "/.cfa", "-e", "/.sortie"], call);
}

/** The merge that the tree must hold when HEAD is back at `head` (B3). */
async function mergeToHold(
  job: JobGit,
  tree: Tree,
  merging: string | null,
  head: string,
): Promise<ConflictRecord | undefined> {
  const record = readConflict(tree);
  if (merging !== null) {
    if (record?.commit === merging) return { ...record, onto: head };
    const thread = merging.slice(0, 12);
    return { thread, commit: merging, own: "merge", onto: head, completed: null, paths: [] };
  }
  if (record === undefined || record.own !== null || record.onto === "") return undefined;
  const done = record.completed !== null && (await isAncestor(job.git, record.completed, head));
  return done ? undefined : record;
}

/**
 * Where the line goes on when HEAD was at `head`: there, or at the work commit that was made of the very snapshot. If the agent had
 * left the line, or was in the middle of a rebase, the line stays (work-commit.ts, C1).
 */
async function lineAt(job: JobGit, end: CommitObject, head: string, target: CommitObject): Promise<string> {
  if (await isWorkOf(job, end, head, target)) return end.id;
  const onLine = (await isAncestor(job.git, head, end.id)) || (await isAncestor(job.git, end.id, head));
  return onLine ? head : end.id;
}

/** Whether `end` is the work commit of the content of snapshot `target`, made after it. */
async function isWorkOf(
  job: JobGit,
  end: CommitObject,
  head: string,
  target: CommitObject,
): Promise<boolean> {
  if (end.parents.length !== 1 || end.parents[0] !== head) return false;
  const differing = await job.git.run([
    "diff-tree",
    "-r",
    "-z",
    "--name-only",
    "--no-renames",
    end.id,
    target.id,
  ]);
  return fields(differing).every((path) => isReserved(job, path));
}

async function forgetUnlessCompleted(job: JobGit, tree: Tree, head: string): Promise<void> {
  const completed = readConflict(tree)?.completed ?? null;
  if (completed === null || !(await isAncestor(job.git, completed, head))) await forgetConflict(tree);
}

/** Begins a merge again; `resolving` is the snapshot that holds how far its resolution had come. */
async function holdAgain(
  job: JobGit,
  tree: Tree,
  record: ConflictRecord,
  resolving: CommitObject | undefined,
): Promise<void> {
  const again = resolving === undefined ? { ...record, paths: [] } : record;
  await beginMerge(job, tree, record.thread, record.commit, again);
  if (resolving === undefined) return;
  const index = join(tree.admin, "cfa-index");
  try {
    await checkOut(tree, resolving.id, index);
  } finally {
    await rm(index, { force: true });
  }
}
