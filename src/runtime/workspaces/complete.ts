/**
 * Completing what a tree holds unfinished, at the end of a turn.
 *
 * L1. Complete when every path is resolved (conflict.ts, X2); the merge commit is cfa's and holds the whole work.
 * L2. An agent that committed the merge of a thread itself, without markers, has completed it. One that threw the merge away
 *     has not: it is begun again, so that the child's work cannot get lost.
 * L3. What the agent began by itself is completed by the same rules, and may be given up; a rebase or a sequence of picks only
 *     git can end (unfinished.ts, U2). Nothing unresolved is committed.
 */
import { join } from "node:path";
import { keepArtifacts } from "./carry.ts";
import {
  holdsMarkers,
  type ConflictRecord,
  openConflict,
  ownRecord,
  readConflict,
  unresolvedPaths,
  writeConflict,
} from "./conflict.ts";
import { bytes, text } from "./git.ts";
import { beginMerge, mergeOf } from "./merge.ts";
import type { Completion } from "./port.ts";
import type { JobGit, Tree } from "./trees.ts";
import { removeMergeState, type Unfinished, unfinishedIn } from "./unfinished.ts";
import { commitTree, isAncestor, prepare, settle, workCommit } from "./work-commit.ts";
import { readIfThere, removeLocks } from "./worktrees.ts";

/** Completes what git has left unfinished in `tree`, if it can be. */
export async function completeMerge(job: JobGit, tree: Tree): Promise<Completion | undefined> {
  await removeLocks(tree.admin);
  const record = openConflict(tree);
  const held = record?.own === null ? record : undefined;
  const found = await unfinishedIn(tree);
  if (held !== undefined && found?.operation === "merge" && found.commit === held.commit)
    return completeHeld(job, tree, held);
  if (found !== undefined) {
    const own = await ownRecord(tree, found, record);
    const unmerged = await unresolvedPaths(tree, own);
    // What a thread has to merge is not forgotten over what the agent began instead.
    if (held === undefined) writeConflict(tree, own);
    if (unmerged.length > 0 || found.sequence)
      return { unmerged: unmerged.map(text), own: held === undefined ? found.operation : null };
    const merge = await conclude(job, tree, own, found);
    if (held === undefined) return { merge };
  }
  if (held !== undefined) return afterAgent(job, tree, held);
  return record === undefined || found !== undefined ? undefined : afterOwn(job, tree, record);
}

async function completeHeld(job: JobGit, tree: Tree, record: ConflictRecord): Promise<Completion> {
  const left = await unresolvedPaths(tree, record);
  if (left.length > 0) return { unmerged: left.map(text), own: null };
  const merge = await commitMerge(job, tree, record);
  await finish(job, tree, record, merge);
  return { merge };
}

/** Commits what the agent began itself, and of which nothing is left in conflict (L3). */
async function conclude(
  job: JobGit,
  tree: Tree,
  record: ConflictRecord,
  { operation }: Unfinished,
): Promise<string> {
  const held = openConflict(tree)?.own === null;
  const merge =
    operation === "merge" ? await commitMerge(job, tree, record) : await workCommit(job, tree, true);
  await finish(job, tree, held ? undefined : record, merge);
  return merge;
}

/** The agent has ended what it began itself, one way or the other; no marker of it may have been staged or committed (L3). */
async function afterOwn(job: JobGit, tree: Tree, record: ConflictRecord): Promise<Completion> {
  const left = await unresolvedPaths(tree, record);
  if (left.length > 0) return { unmerged: left.map(text), own: record.own };
  const merge = await workCommit(job, tree);
  await finish(job, tree, record, merge);
  return { merge };
}

async function commitMerge(job: JobGit, tree: Tree, record: ConflictRecord): Promise<string> {
  const merged = ((await readIfThere(join(tree.admin, "MERGE_HEAD"))) ?? "").trim().split("\n");
  const state = await prepare(job, tree, true);
  // A kill may have come between the commit and the end of git's own state.
  if (await isAncestor(job.git, record.commit, state.parent))
    return mergeOf(job.git, record.commit, state.parent);
  const content = (await tree.git.run(["write-tree"])).trim();
  const title = `Merge ${record.thread} into ${tree.thread}\n`;
  const commit = await commitTree(job.git, content, [state.parent, ...merged], title);
  await settle(job, tree, state, commit);
  return commit;
}

async function finish(
  job: JobGit,
  tree: Tree,
  record: ConflictRecord | undefined,
  merge: string,
): Promise<void> {
  if (record !== undefined) writeConflict(tree, { ...record, completed: merge });
  await removeMergeState(tree);
  await keepArtifacts(job, tree, merge);
}

/** The agent has ended the merge of a thread, one way or the other (L2). */
async function afterAgent(job: JobGit, tree: Tree, record: ConflictRecord): Promise<Completion> {
  const left = await unresolvedPaths(tree, record);
  if (left.length > 0) return { unmerged: left.map(text), own: null };
  const head = await workCommit(job, tree);
  if (await isAncestor(job.git, record.commit, head)) {
    const merge = await mergeOf(job.git, record.commit, head);
    await finish(job, tree, record, merge);
    return { merge };
  }
  const again = await beginMerge(job, tree, record.thread, record.commit, { ...record, paths: [] });
  return "merge" in again ? again : { unmerged: again.paths, own: null };
}

/** Rejects with a sentence when `path` cannot be declared resolved: it is not unmerged, or holds markers. Writes nothing. */
export async function requireResolvable(tree: Tree, path: string): Promise<void> {
  const before = readConflict(tree);
  const left = before?.completed === null ? await unresolvedPaths(tree, before) : [];
  if (before !== undefined && left.includes(bytes(path)) && (await holdsMarkers(tree, before, bytes(path))))
    throw new Error(
      `${JSON.stringify(path)} still holds conflict markers: edit it until none is left, then it is resolved.`,
    );
  if (before === undefined || !left.includes(bytes(path)))
    throw new Error(
      left.length === 0
        ? `${JSON.stringify(path)} is not in conflict: the workspace of ${tree.thread} holds no conflict.`
        : `${JSON.stringify(path)} is not in conflict: name one of ${left.map((each) => JSON.stringify(text(each))).join(", ")}.`,
    );
}

/** Declares `path` resolved as it stands. Rejects like {@link requireResolvable}. */
export async function declareResolved(tree: Tree, path: string): Promise<void> {
  await requireResolvable(tree, path);
  // Read anew: nothing may come between reading and writing.
  const record = readConflict(tree);
  if (record === undefined) return;
  const known = record.paths.filter((entry) => entry.path !== bytes(path));
  const entry = record.paths.find((each) => each.path === bytes(path)) ?? {
    path: bytes(path),
    markers: false,
    was: null,
    declared: false,
  };
  writeConflict(tree, { ...record, paths: [...known, { ...entry, declared: true }] });
}
