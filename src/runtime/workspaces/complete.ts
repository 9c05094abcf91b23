/**
 * Completing the merge that a tree holds, at the end of a turn.
 *
 * L1. Complete when every path is resolved (conflict.ts, X2); the merge commit is cfa's and holds the whole work.
 * L2. An agent that committed the merge itself has completed it. One that threw the merge away has not: it is begun
 *     again, so that the child's work cannot get lost.
 * L3. A merge that the agent began by itself is completed by the same rules.
 */
import { join } from "node:path";
import { keepArtifacts } from "./carry.ts";
import {
  type ConflictRecord,
  describePaths,
  readConflict,
  unresolvedPaths,
  writeConflict,
} from "./conflict.ts";
import { bytes, text } from "./git.ts";
import { removeMergeState } from "./half-merge.ts";
import { beginMerge, mergeOf } from "./merge.ts";
import { mergeHead } from "./snapshot.ts";
import type { JobGit, Tree } from "./trees.ts";
import { commitTree, isAncestor, prepare, settle, workCommit } from "./work-commit.ts";
import { readIfThere, removeLocks } from "./worktrees.ts";

/** What became of a merge under way: its commit, or the paths that are left; undefined when there was none. */
export type Completion = { readonly merge: string } | { readonly unmerged: readonly string[] } | undefined;

/** Completes the merge that `tree` holds, if it can be. */
export async function completeMerge(job: JobGit, tree: Tree): Promise<Completion> {
  await removeLocks(tree.admin);
  const newest = readConflict(tree);
  const record = newest?.completed === null ? newest : undefined;
  const merging = await mergeHead(tree);
  if (merging === null) return record === undefined ? undefined : afterAgent(job, tree, record);
  const current = record ?? (await adopt(tree, merging));
  const relevant = current.commit === merging ? current : { ...current, paths: [] };
  const left = await unresolvedPaths(tree, relevant);
  if (left.length > 0) return { unmerged: left.map(text) };
  const merge = await commitMerge(job, tree, current);
  await finish(job, tree, current.commit === merging ? current : undefined, merge);
  return { merge };
}

/** A record for a merge of the agent's own (L3). */
async function adopt(tree: Tree, merging: string): Promise<ConflictRecord> {
  const paths = [...(await describePaths(tree))];
  const record = { thread: merging.slice(0, 12), commit: merging, onto: "", completed: null, paths };
  writeConflict(tree, record);
  return record;
}

async function commitMerge(job: JobGit, tree: Tree, record: ConflictRecord): Promise<string> {
  const merged = ((await readIfThere(join(tree.admin, "MERGE_HEAD"))) ?? "").trim().split("\n");
  const state = await prepare(job, tree);
  // A kill may have come between the commit and the end of git's own state.
  if (await isAncestor(job.git, record.commit, state.parent))
    return mergeOf(job.git, record.commit, state.parent);
  const content = (await tree.git.run(["write-tree"])).trim();
  const title = `Merge ${record.thread} into ${tree.thread}\n`;
  const commit = await commitTree(job.git, content, [state.parent, ...merged], title);
  await settle(job, tree, state.survey, commit);
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

/** The agent has ended the merge, one way or the other (L2). */
async function afterAgent(job: JobGit, tree: Tree, record: ConflictRecord): Promise<Completion> {
  const head = await workCommit(job, tree);
  if (await isAncestor(job.git, record.commit, head)) {
    const merge = await mergeOf(job.git, record.commit, head);
    await finish(job, tree, record, merge);
    return { merge };
  }
  const again = await beginMerge(job, tree, record.thread, record.commit, { ...record, paths: [] });
  return "merge" in again ? again : { unmerged: again.paths };
}

/** Declares `path` resolved as it will stand at the end of the turn. Rejects with a sentence when it is not unmerged. */
export async function declareResolved(tree: Tree, path: string): Promise<void> {
  const before = readConflict(tree);
  const left = before?.completed === null ? await unresolvedPaths(tree, before) : [];
  // Read anew: nothing may come between reading and writing.
  const record = readConflict(tree);
  if (record === undefined || !left.includes(bytes(path)))
    throw new Error(
      left.length === 0
        ? `${JSON.stringify(path)} is not in conflict: the workspace of ${tree.thread} holds no conflict.`
        : `${JSON.stringify(path)} is not in conflict: name one of ${left.map((each) => JSON.stringify(text(each))).join(", ")}.`,
    );
  const known = record.paths.filter((entry) => entry.path !== bytes(path));
  const entry = record.paths.find((each) => each.path === bytes(path)) ?? {
    path: bytes(path),
    markers: false,
    was: null,
    declared: false,
  };
  writeConflict(tree, { ...record, paths: [...known, { ...entry, declared: true }] });
}
