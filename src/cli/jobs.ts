/**
 * Which repository and which job a command means.
 *
 * J1. `--repo` or else the working directory names the repository; any directory inside it will do.
 * J2. Reading a job claims nothing and writes nothing to its log; it works while another process runs it.
 * J3. A log that lacks what its anchor names is refused: what is read from it would be wrong, what is added would bury the rest.
 */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { requireAnchored } from "../engine/anchored.ts";
import { openFolds } from "../engine/checkpoint.ts";
import { hasEnded, type JobReader, type ReadJob } from "../engine/read-job.ts";
import { suggest } from "../job/suggest.ts";
import { jobFile, listJobs } from "../persistence/jobs.ts";
import type { Bus } from "../persistence/ports.ts";
import { openSqliteBus } from "../persistence/sqlite/bus.ts";
import { gitAt, text } from "../runtime/workspaces/git.ts";
import { inspectRepository } from "../runtime/workspaces/repository.ts";
import type { Context } from "./context.ts";
import { Misuse } from "./errors.ts";

/** A job of a repository. */
export type JobPlace = { readonly top: string; readonly id: string };

/** Top of the repository that a command means (J1). Throws {@link Misuse} when there is none. */
export async function repositoryTop(context: Context, repo: string | undefined): Promise<string> {
  const directory = resolve(context.cwd, repo ?? ".");
  const real = await realpath(directory).catch(() => undefined);
  if (real === undefined)
    throw new Misuse(`${directory} does not exist: name the directory of a git repository with --repo`);
  const found = await gitAt({ cwd: real }).attempt(["rev-parse", "--show-toplevel"]);
  if (found.code === 0) return realpath(text(found.out).replace(/\n$/, ""));
  const why = await inspectRepository(real);
  throw new Misuse("refused" in why ? why.refused : `git finds no repository at ${real}`);
}

/** The job with this id, or the newest one. Throws {@link Misuse} when there is none. */
export async function chooseJob(
  context: Context,
  repo: string | undefined,
  id: string | undefined,
): Promise<JobPlace> {
  const top = await repositoryTop(context, repo);
  const known = await listJobs(top);
  const chosen = id ?? known[0];
  if (chosen === undefined) throw new Misuse(`there is no job in ${top} yet: start one with cfa run`);
  if (known.includes(chosen)) return { top, id: chosen };
  const near = suggest(chosen, known);
  const hint = near === undefined ? "cfa status --all lists them" : `did you mean ${near}?`;
  throw new Misuse(`there is no job ${chosen} in ${top}: ${hint}`);
}

/** The job with this id, or the one that has not ended. Throws {@link Misuse} when there is none, or more than one. */
export async function chooseUnfinished(
  context: Context,
  repo: string | undefined,
  id: string | undefined,
  verb: string,
): Promise<JobPlace> {
  if (id !== undefined) return chooseJob(context, repo, id);
  const top = await repositoryTop(context, repo);
  const only = await onlyUnfinished(top, verb);
  if (only !== undefined) return only;
  throw new Misuse(`no job in ${top} is unfinished: cfa status --all lists them, cfa run starts one`);
}

/**
 * The job with this id, or the one that has not ended, or the newest when all have: its run may have been killed after the
 * last entry, before its result was shown. Throws {@link Misuse} when there is no job, or more than one has not ended.
 */
export async function chooseResumable(
  context: Context,
  repo: string | undefined,
  id: string | undefined,
): Promise<JobPlace> {
  if (id !== undefined) return chooseJob(context, repo, id);
  const only = await onlyUnfinished(await repositoryTop(context, repo), "resume");
  return only ?? chooseJob(context, repo, undefined);
}

/** The one job that has not ended; undefined when all have. Throws {@link Misuse} that lists several. */
async function onlyUnfinished(top: string, verb: string): Promise<JobPlace | undefined> {
  const open: string[] = [];
  for (const known of await listJobs(top)) {
    const read = await readJob({ top, id: known });
    if (read !== undefined && !hasEnded(read)) open.push(known);
  }
  const [only, ...others] = open;
  if (others.length === 0) return only === undefined ? undefined : { top, id: only };
  throw new Misuse(
    `several jobs are unfinished, say which: ${open.map((one) => `cfa ${verb} ${one}`).join(", ")}`,
  );
}

/** Opens a job's log for reading, does `work`, and closes it. Throws BusError for a damaged log (J3). */
export function withLog<T>(place: JobPlace, work: (bus: Bus) => Promise<T>): Promise<T> {
  return withBus(place, "readonly", work);
}

/** Opens a job so that its inbox takes posts, does `work`, and closes it. Throws BusError for a damaged log (J3). */
export function withInbox<T>(place: JobPlace, work: (bus: Bus) => Promise<T>): Promise<T> {
  return withBus(place, "existing", work);
}

async function withBus<T>(
  { top, id }: JobPlace,
  mode: "readonly" | "existing",
  work: (bus: Bus) => Promise<T>,
): Promise<T> {
  const bus = openSqliteBus(jobFile(top, id), { job: id, mode });
  try {
    await requireAnchored(top, id, bus.log);
    return await work(bus);
  } finally {
    await bus.close();
  }
}

/** The job as its log tells it; undefined while the log is empty. */
export async function readJob(place: JobPlace): Promise<ReadJob | undefined> {
  return (await readFolds(place)).job();
}

/** All folds of a job's log, to which later entries can be added. */
export function readFolds(place: JobPlace): Promise<JobReader> {
  return withLog(place, async (bus) => (await openFolds(bus.log)).reader);
}

/** A command as the user would type it here: with `--repo` where the working directory is not in the repository. */
export function commandFor({ cwd }: Context, top: string, words: string): string {
  const inside = cwd === top || cwd.startsWith(`${top}/`);
  return inside ? `cfa ${words}` : `cfa ${words} --repo ${/^[\w./-]+$/.test(top) ? top : `'${top}'`}`;
}
