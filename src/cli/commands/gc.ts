/**
 * `cfa gc [JOB]`: removes worktrees and private refs of jobs that ended long ago; logs and results stay.
 *
 * G1. A job that cannot be read is named on stderr and gives the exit code; the others are cleaned up all the same.
 */
import { type Collected, collectJob } from "../../engine/gc.ts";
import { parseDuration } from "../../job/duration.ts";
import { listJobs } from "../../persistence/jobs.ts";
import { type Context, say } from "../context.ts";
import { Misuse, reportError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { chooseJob, repositoryTop } from "../jobs.ts";
import { count } from "../view/text.ts";
import { userName } from "../who.ts";

/** Options of `cfa gc`. */
export type GcCommandOptions = {
  readonly repo?: string | undefined;
  readonly olderThan?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
};

/** Age from which on a job is cleaned up. */
const DEFAULT_AGE = "30d";

/** Cleans up after one job, or all. */
export async function gcCommand(
  context: Context,
  job: string | undefined,
  { repo, olderThan = DEFAULT_AGE, dryRun = false, json = false }: GcCommandOptions,
): Promise<number> {
  const age = olderThan === "0" ? 0 : parseDuration(olderThan, Infinity);
  if (age === undefined)
    throw new Misuse(`--older-than takes a duration such as 30d, or 0, not "${olderThan}"`);
  const before = new Date(context.now().getTime() - age);
  const top = await repositoryTop(context, repo);
  const ids = job === undefined ? await listJobs(top) : [(await chooseJob(context, repo, job)).id];
  let exit: number = EXIT.completed;
  const all: Collected[] = [];
  for (const id of ids) {
    try {
      all.push(await collectJob(top, id, { before, dryRun, by: userName() }));
    } catch (error) {
      exit = reportError(context, error);
    }
  }
  if (json) say(context.stdout, JSON.stringify(all, null, 2));
  else for (const one of all) say(context.stdout, lineOf(one, dryRun));
  return exit;
}

function lineOf(one: Collected, dryRun: boolean): string {
  if ("kept" in one) return `${one.job}: left as it is, ${one.kept}`;
  const { worktrees, refs } = one.left;
  if (worktrees + refs === 0) return `${one.job}: nothing is left of it`;
  const what = `${count(worktrees, "worktree")} and ${count(refs, "private ref")}`;
  return `${one.job}: ${dryRun ? "would remove" : "removed"} ${what}`;
}
