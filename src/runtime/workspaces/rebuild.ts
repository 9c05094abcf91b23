/**
 * Making a tree anew as the log says that it stood: for a fork, and where the folder of the trees was lost.
 *
 * R1. A tree that is there stays as it is, and so does one that has left (its last state is on its ref).
 * R2. Afterwards content, HEAD, line and a merge that the tree holds are those of the log. What no snapshot holds is not
 *     there: ignored files, status files and outcome records.
 * R3. The marker is written last, so a kill leaves a half-made tree, which is made anew.
 */
import type { ThreadId } from "../../soup/message.ts";
import { keepArtifacts } from "./carry.ts";
import { writeConflict } from "./conflict.ts";
import { fields, readCommits, text } from "./git.ts";
import { beginMerge } from "./merge.ts";
import type { TreeState } from "./port.ts";
import { putTo } from "./restore.ts";
import { isJobTree, jobBranch, type JobGit, refs, type Tree, treeName } from "./trees.ts";
import { mergeHead } from "./unfinished.ts";
import { findTree, makeWorktree, markFinished } from "./worktrees.ts";

/** Makes the tree of `thread` (R2). Rejects with a sentence when a commit of it is gone. */
export async function rebuildTree(job: JobGit, thread: ThreadId, state: TreeState): Promise<void> {
  const name = treeName(job.job, thread);
  const [ended] = await readCommits(job.git, [refs.ended(job.job, name)]);
  if (ended !== undefined || (await findTree(job, thread)) !== undefined) return;
  const goal = state.snapshot ?? state.began;
  const [target, line] = await readCommits(job.git, [goal, state.line]);
  if (target === undefined || line === undefined)
    throw new Error(
      `the workspace of ${thread} cannot be made again: the commit ${target === undefined ? goal : state.line} is gone`,
    );
  const own = isJobTree(job, thread);
  const named = [
    `update ${refs.thread(job.job, name)} ${line.id}\n`,
    ...(state.snapshot === null ? [] : [`update ${refs.latest(job.job, name)} ${state.snapshot}\n`]),
    ...(own ? [`update ${refs.base(job.job)} ${state.began}\n`] : []),
  ];
  await job.git.run(["update-ref", "--stdin"], { input: named.join("") });
  const tree = await makeWorktree(job, thread, line.id, own ? jobBranch(job.job) : undefined);
  const held = state.conflict === null ? undefined : recordOf(state.conflict);
  if (held !== undefined) writeConflict(tree, held);
  await putTo(job, tree, target);
  if (state.snapshot === null && state.artifacts !== null) await takeArtifacts(job, tree, state.artifacts);
  if (held !== undefined && (await mergeHead(tree)) === null)
    await beginMerge(job, tree, held.thread, held.commit, held);
  await keepArtifacts(job, tree, state.began);
  await markFinished(tree, state.began);
}

/** The record of a conflict of which only the log is left: how its paths stood is found out when it begins again. */
function recordOf({ child, commit }: NonNullable<TreeState["conflict"]>) {
  return { thread: child, commit, own: null, onto: "", completed: null, paths: [] };
}

/** Puts the artifacts that a snapshot holds as regular files into the tree, untracked. */
async function takeArtifacts(job: JobGit, tree: Tree, snapshot: string): Promise<void> {
  if (job.artifacts.length === 0) return;
  // <mode> <type> <object>\t<path>
  const found = fields(await job.git.run(["ls-tree", "--full-tree", "-z", snapshot, "--", ...job.artifacts]));
  const names = found.flatMap((entry) =>
    entry.startsWith("100") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
  );
  if (names.length > 0)
    await tree.git.run(["restore", "--source", snapshot, "--worktree", "--", ...names.map(text)]);
}
