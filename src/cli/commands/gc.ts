/**
 * `cfa gc [JOB]`: removes worktrees and private refs of jobs that ended long ago, and, where no job is named, of jobs that no log
 * names any more; logs and results stay.
 *
 * G1. A job that cannot be read is named on stderr and gives the exit code; the others are cleaned up all the same.
 */
import { type Collected, collectJob } from "../../engine/gc.ts";
import { leftBy } from "../../engine/reap.ts";
import { parseDuration } from "../../job/duration.ts";
import { listJobs } from "../../persistence/jobs.ts";
import { reapGone } from "../../runtime/workspaces/reap.ts";
import { type Context, say } from "../context.ts";
import { Misuse, reportError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { chooseJob, repositoryTop } from "../jobs.ts";
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
  // First, as it needs no word in a log: where the disk is full, it makes the room for those.
  const gone = job === undefined ? await reapGone(top, !dryRun) : [];
  let exit: number = EXIT.completed;
  const all: Collected[] = [];
  for (const id of ids) {
    try {
      all.push(await collectJob(top, id, { before, dryRun, by: userName() }));
    } catch (error) {
      exit = reportError(context, error);
    }
  }
  if (json) {
    const reaped = gone.map(({ job, ...left }) => ({ job, left, gone: true }));
    say(context.stdout, JSON.stringify([...all, ...reaped], null, 2));
    return exit;
  }
  for (const one of all) say(context.stdout, lineOf(one, dryRun));
  for (const one of gone) {
    const what = `${dryRun ? "would remove" : "removed"} ${leftBy(one)}`;
    say(context.stdout, `${one.job}: ${what}, no log names it any more`);
  }
  return exit;
}

function lineOf(one: Collected, dryRun: boolean): string {
  if ("kept" in one) return `${one.job}: left as it is, ${one.kept}`;
  const { worktrees, refs } = one.left;
  if (worktrees + refs === 0) return `${one.job}: nothing is left of it`;
  return `${one.job}: ${dryRun ? "would remove" : "removed"} ${leftBy({ worktrees, refs })}`;
}
