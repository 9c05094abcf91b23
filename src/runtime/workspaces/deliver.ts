/**
 * Handing over a job's result.
 *
 * D1. `branch`: `cfa/<job>` stays at the end of the job's line. `pr-ready`: it holds one commit on top of the base.
 *     `merge`: the base branch receives the line, by fast-forward or a merge commit, and `cfa/<job>` goes.
 * D2. Only `merge` writes a branch of the user, only that one, and never over work: a worktree that has it checked
 *     out must be clean, and a conflict or a dirty tree is refused with a sentence that leaves `cfa/<job>` as it is.
 * D3. The job's last state, artifacts included, stays on its private ref. Done again, it confirms what is there.
 */
import { type Git, gitAt, readCommits, text } from "./git.ts";
import type { Delivery, DeliverMode } from "./port.ts";
import { deleteRefs } from "./ref-locks.ts";
import { contentOf, mergeHead, recordedIn, write } from "./snapshot.ts";
import { jobBranch, type JobGit, refs, type Tree, treeName } from "./trees.ts";
import { commitTree, isAncestor, workCommit } from "./work-commit.ts";
import { findTree, removeWorktree } from "./worktrees.ts";

/** Delivers the job's tree. `target` is the short name of the base branch, for `merge`. */
export async function deliverJob(
  job: JobGit,
  mode: DeliverMode,
  message: string,
  target: string | undefined,
): Promise<Delivery> {
  const thread = job.home;
  const name = treeName(job.job, thread);
  const tree = await findTree(job, thread);
  const work = tree === undefined ? await endedWork(job, name) : await finishWork(job, tree);
  const delivery = await handOver(job, mode, message, target, work);
  await removeWorktree(job, name);
  if (mode === "merge") await deleteRefs(job, [`delete ${refs.branch(job.job)}`]);
  if (mode === "pr-ready") await job.git.run(["update-ref", refs.branch(job.job), delivery.commit]);
  return delivery;
}

/** Commits the job's work and keeps its last state (D3). Returns the end of its line. */
async function finishWork(job: JobGit, tree: Tree): Promise<string> {
  if ((await mergeHead(tree)) !== null)
    throw new Error(
      `the workspace of ${tree.thread} holds an unfinished merge: resolve it (cfa resolve PATH), then deliver.`,
    );
  const work = await workCommit(job, tree);
  const last = await write(job, await contentOf(job, tree), undefined, `Snapshot end of ${tree.thread}`);
  await job.git.run(["update-ref", refs.ended(job.job, tree.name), last]);
  return work;
}

/** The end of the line of a job whose tree is gone already. */
async function endedWork(job: JobGit, name: string): Promise<string> {
  const [ended] = await readCommits(job.git, [refs.ended(job.job, name)]);
  const work = ended === undefined ? undefined : recordedIn(ended)?.head;
  if (work === undefined || work === null)
    throw new Error(`job ${job.job} has no workspace and no last state: nothing to deliver`);
  return work;
}

async function handOver(
  job: JobGit,
  mode: DeliverMode,
  message: string,
  target: string | undefined,
  work: string,
): Promise<Delivery> {
  if (mode === "pr-ready") return { branch: jobBranch(job.job), commit: await squash(job, work, message) };
  if (mode === "branch") return { branch: jobBranch(job.job), commit: work };
  if (target === undefined)
    throw new Error(
      `job ${job.job} began at no branch, so there is none to merge into: merge ${jobBranch(job.job)} yourself.`,
    );
  return { branch: target, commit: await mergeIntoBranch(job, target, work, message) };
}

/** One commit with the work's content on top of the base; the base itself when nothing changed. */
async function squash(job: JobGit, work: string, message: string): Promise<string> {
  const [done, base, branch] = await readCommits(job.git, [work, refs.base(job.job), refs.branch(job.job)]);
  if (done === undefined || base === undefined)
    throw new Error(`job ${job.job} has lost its base or its work`);
  if (done.tree === base.tree) return base.id;
  const squashed = branch?.tree === done.tree && branch.parents.length === 1 && branch.parents[0] === base.id;
  if (squashed && branch.id !== work) return branch.id;
  return commitTree(job.git, done.tree, [base.id], endWithNewline(message));
}

const endWithNewline = (message: string): string => (message.endsWith("\n") ? message : `${message}\n`);

/** Brings `work` into the branch `target` (D2). Returns the branch's commit. */
async function mergeIntoBranch(job: JobGit, target: string, work: string, message: string): Promise<string> {
  const ref = `refs/heads/${target}`;
  const [tip] = await readCommits(job.git, [ref]);
  if (tip === undefined)
    throw new Error(`the branch ${target} is gone: merge ${jobBranch(job.job)} yourself.`);
  if (await isAncestor(job.git, work, tip.id)) return tip.id;
  const place = await checkedOutAt(job.git, ref);
  if (place !== undefined) await requireClean(place, target, jobBranch(job.job));
  const forward = await isAncestor(job.git, tip.id, work);
  const commit = forward ? work : await mergeCommit(job, target, tip.id, work, message);
  if (place === undefined) await job.git.run(["update-ref", ref, commit, tip.id]);
  else await forwardTo(job, place, target, commit);
  return commit;
}

/** Moves the branch that is checked out at `place` forward, its files with it. */
async function forwardTo(job: JobGit, place: string, target: string, commit: string): Promise<void> {
  const git = gitAt({ cwd: place, job: job.root });
  const moved = await git.attempt(["merge", "--quiet", "--ff-only", "--no-stat", commit]);
  if (moved.code !== 0)
    throw new Error(
      `git cannot bring ${jobBranch(job.job)} into ${target} at ${place}, merge it yourself: ${text(moved.err).trim()}`,
    );
}

/** A merge commit of `work` into `tip`, made without any worktree. */
async function mergeCommit(
  job: JobGit,
  target: string,
  tip: string,
  work: string,
  message: string,
): Promise<string> {
  const merged = await job.git.attempt([
    "merge-tree",
    "--write-tree",
    "--name-only",
    "-z",
    "--no-messages",
    tip,
    work,
  ]);
  const [tree = "", ...paths] = merged.out.split("\0").filter((field) => field !== "");
  if (merged.code !== 0)
    throw new Error(
      paths.length > 0
        ? `${jobBranch(job.job)} and ${target} have both changed ${paths.map(text).join(", ")}: merge ${jobBranch(job.job)} yourself.`
        : `git could not merge ${jobBranch(job.job)} into ${target}: ${text(merged.err).trim()}`,
    );
  return commitTree(job.git, tree, [tip, work], endWithNewline(message));
}

/** Directory of the worktree that has `ref` checked out, if any. */
async function checkedOutAt(git: Git, ref: string): Promise<string | undefined> {
  const records = (await git.run(["worktree", "list", "--porcelain", "-z"])).split("\0\0");
  const holder = records.map((record) => record.split("\0")).find((lines) => lines.includes(`branch ${ref}`));
  const directory = holder?.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
  return directory === undefined || holder?.includes("bare") === true ? undefined : text(directory);
}

async function requireClean(place: string, target: string, branch: string): Promise<void> {
  const changed = await gitAt({ cwd: place }).run(["status", "--porcelain=v1", "-z", "--untracked-files=no"]);
  if (changed !== "")
    throw new Error(
      `${place} has ${target} checked out with uncommitted changes: commit or stash them and merge ${branch} yourself.`,
    );
}
