/**
 * Handing over a job's result.
 *
 * D1. `branch`: `cfa/<job>` stays at the end of the job's line. `pr-ready`: it holds one commit on top of the base, whose message
 *     is the summary artifact. `merge`: the base branch receives the line (merge-into-branch.ts), and `cfa/<job>` goes.
 * D2. What cannot be delivered as asked is delivered as `branch`, with the reason.
 * D3. The job's last state, artifacts included, stays on its private ref. Done again, it confirms what is there.
 * D4. What was delivered is compared with that state and with the merges that the log names (delivered.ts); what does not hold
 *     goes no further than the branch of the job, with a sentence.
 */
import { whyDeliveryIsShort, whyWorkIsShort } from "./delivered.ts";
import { readCommits, text } from "./git.ts";
import { mergeIntoBranch, Undeliverable } from "./merge-into-branch.ts";
import type { Delivery, DeliverMode } from "./port.ts";
import { deleteRefs } from "./ref-locks.ts";
import { contentOf, recordedIn, write } from "./snapshot.ts";
import { jobBranch, type JobGit, refs, type Tree, treeName } from "./trees.ts";
import { unfinishedIn } from "./unfinished.ts";
import { commitTree, lineEnd, workCommit } from "./work-commit.ts";
import { findTree, removeWorktree } from "./worktrees.ts";

/** How a job is delivered. */
export type DeliverOptions = {
  readonly mode: DeliverMode;
  /** Message of a commit that has to be made. */
  readonly message: string;
  /** Artifact whose text takes the place of the message of a `pr-ready` commit. */
  readonly summary: string | undefined;
  /** Short name of the base branch, for `merge`. */
  readonly target: string | undefined;
  /** Commits that the log says were merged into the job's tree. */
  readonly merges: readonly string[];
};

/** The end of a job's line, and why it may not go further than the job's branch. */
type Work = { readonly commit: string; readonly problem?: string };

/** Delivers the job's tree. */
export async function deliverJob(job: JobGit, options: DeliverOptions): Promise<Delivery> {
  const thread = job.home;
  const name = treeName(job.job, thread);
  const tree = await findTree(job, thread);
  const work = tree === undefined ? await endedWork(job, name) : await finishWork(job, tree, options.merges);
  const delivery = await checked(job, options, work, () => handOver(job, name, options, work));
  await removeWorktree(job, name);
  if (delivery.branch !== jobBranch(job.job)) await deleteRefs(job, [`delete ${refs.branch(job.job)}`]);
  else await job.git.run(["update-ref", refs.branch(job.job), delivery.commit]);
  return delivery;
}

/** A delivery that holds the work (D4). */
async function checked(
  job: JobGit,
  { mode, target }: DeliverOptions,
  { commit }: Work,
  make: () => Promise<Delivery>,
): Promise<Delivery> {
  const [before] =
    mode === "merge" && target !== undefined ? await readCommits(job.git, [`refs/heads/${target}`]) : [];
  const made = await make();
  if (made.problem !== undefined) return made;
  const short = await whyDeliveryIsShort(job, commit, made.commit, before?.id);
  return short === undefined ? made : { branch: jobBranch(job.job), commit, problem: short };
}

/** Commits the job's work and keeps its last state (D3). */
async function finishWork(job: JobGit, tree: Tree, merges: readonly string[]): Promise<Work> {
  const isUnfinished = (await unfinishedIn(tree)) !== undefined;
  const commit = isUnfinished ? (await lineEnd(job, tree)).id : await workCommit(job, tree);
  const last = await write(job, await contentOf(job, tree), undefined, `Snapshot end of ${tree.thread}`);
  const ref = refs.ended(job.job, tree.name);
  await job.git.run(["update-ref", ref, last]);
  if (!isUnfinished) {
    const problem = await whyWorkIsShort(job, { work: commit, last, merges });
    return problem === undefined ? { commit } : { commit, problem };
  }
  const problem = `the workspace of ${tree.thread} held an unfinished merge, which is left out: all of it is on ${ref}.`;
  return { commit, problem };
}

/** The end of the line of a job whose tree is gone already. */
async function endedWork(job: JobGit, name: string): Promise<Work> {
  const [ended] = await readCommits(job.git, [refs.ended(job.job, name)]);
  const commit = ended === undefined ? undefined : recordedIn(ended)?.head;
  if (commit === undefined || commit === null)
    throw new Error(`job ${job.job} has no workspace and no last state: nothing to deliver`);
  return { commit };
}

async function handOver(
  job: JobGit,
  name: string,
  { mode, message, summary, target }: DeliverOptions,
  { commit, problem }: Work,
): Promise<Delivery> {
  const branch = jobBranch(job.job);
  if (problem !== undefined) return { branch, commit, problem };
  if (mode === "branch") return { branch, commit };
  if (mode === "pr-ready") {
    const said = summary === undefined ? undefined : await artifactText(job, name, summary);
    return { branch, commit: await squash(job, commit, said ?? message) };
  }
  try {
    return { branch: target ?? branch, commit: await mergeIntoBranch(job, target, commit, message) };
  } catch (error) {
    if (!(error instanceof Undeliverable)) throw error;
    return { branch, commit, problem: error.message };
  }
}

/** The text of an artifact in the job's last state; undefined when there is none, or nothing in it. */
async function artifactText(job: JobGit, name: string, artifact: string): Promise<string | undefined> {
  const blob = `${refs.ended(job.job, name)}:${artifact}`;
  const { code, out } = await job.git.attempt(["cat-file", "blob", blob]);
  const said = text(out).trim();
  return code === 0 && said !== "" ? said : undefined;
}

/** One commit with the work's content on top of the base; the base itself when nothing changed. */
async function squash(job: JobGit, work: string, message: string): Promise<string> {
  const [done, base, branch] = await readCommits(job.git, [work, refs.base(job.job), refs.branch(job.job)]);
  if (done === undefined || base === undefined)
    throw new Error(`job ${job.job} has lost its base or its work`);
  if (done.tree === base.tree) return base.id;
  const squashed = branch?.tree === done.tree && branch.parents.length === 1 && branch.parents[0] === base.id;
  if (squashed && branch.id !== work) return branch.id;
  return commitTree(job.git, done.tree, [base.id], message.endsWith("\n") ? message : `${message}\n`);
}
