/**
 * The last look at a delivery: it must hold what the job's tree held, whatever was done on the way there.
 *
 * V1. The work: no path of it differs from the last state of the tree but artifacts and what belongs to cfa, and every merge that
 *     the log names is in its history.
 * V2. The branch of the job holds exactly the content of the work.
 * V3. The base branch holds it too: of the paths that the work changed, those that nobody else has changed are as the work has them.
 */
import { fields, type Git, text } from "./git.ts";
import { isReserved, type JobGit } from "./trees.ts";

/** What a delivery is compared with. */
export type Expected = {
  /** End of the job's line. */
  readonly work: string;
  /** Snapshot of the last state of the job's tree, artifacts included. */
  readonly last: string;
  /** Commits that the log says were merged into the tree. */
  readonly merges: readonly string[];
};

/** Why the work is not what the tree held (V1): one sentence; undefined when it is. */
export async function whyWorkIsShort(
  job: JobGit,
  { work, last, merges }: Expected,
): Promise<string | undefined> {
  const differing = await differingPaths(job.git, work, last);
  const lacking = differing.filter((path) => !isReserved(job, path));
  if (lacking.length > 0)
    return `${work.slice(0, 12)} is not what the workspace held: it differs in ${listed(lacking)}, all of it is in ${last.slice(0, 12)}.`;
  if (merges.length === 0) return undefined;
  const input = [...merges, `^${work}`].map((commit) => `${commit}\n`).join("");
  const lacked = await job.git.attempt(["rev-list", "--max-count=1", "--stdin"], { input });
  if (lacked.code === 0 && lacked.out === "") return undefined;
  const which = lacked.code === 0 ? lacked.out.trim() : text(lacked.err).trim();
  return `${work.slice(0, 12)} lacks a merge that the log names: ${which}.`;
}

/** Why `delivered` does not hold the work (V2, V3): one sentence; undefined when it does. `before` is where the base branch was. */
export async function whyDeliveryIsShort(
  job: JobGit,
  work: string,
  delivered: string,
  before: string | undefined,
): Promise<string | undefined> {
  const differing = await differingPaths(job.git, work, delivered);
  if (differing.length === 0) return undefined;
  const lacking = before === undefined ? differing : await ownChanges(job.git, work, before, differing);
  return lacking.length === 0
    ? undefined
    : `${delivered.slice(0, 12)} does not hold the work of ${work.slice(0, 12)}: it differs in ${listed(lacking)}.`;
}

/** Those of `paths` that the work has changed since it left the base branch, and that the base branch has not. */
async function ownChanges(
  git: Git,
  work: string,
  before: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const fork = (await git.run(["merge-base", work, before])).trim();
  const [ours, theirs] = await Promise.all([
    differingPaths(git, fork, work),
    differingPaths(git, fork, before),
  ]);
  const changed = new Set(ours);
  const moved = new Set(theirs);
  return paths.filter((path) => changed.has(path) && !moved.has(path));
}

async function differingPaths(git: Git, one: string, other: string): Promise<readonly string[]> {
  return fields(await git.run(["diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other]));
}

const SHOWN = 5;

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN).map((path) => JSON.stringify(text(path)));
  const more = paths.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
