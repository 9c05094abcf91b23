/**
 * `cfa status [JOB]`: how a job stands, from its log alone; works while another process runs it.
 *
 * S1. The exit code of a job that has ended is that of its end, as `cfa run` gave it.
 */
import { progressIn } from "../../channels/files-protocol/progress.ts";
import { openFolds } from "../../engine/checkpoint.ts";
import { jobDirectory, listJobs } from "../../persistence/jobs.ts";
import type { Owner } from "../../persistence/ports.ts";
import { type Context, say } from "../context.ts";
import { EXIT, exitOfState } from "../exit-codes.ts";
import { Misuse, reportError } from "../errors.ts";
import { nextNews } from "../follow.ts";
import { chooseJob, commandFor, type JobPlace, repositoryTop, withLog } from "../jobs.ts";
import { Screen } from "../progress/screen.ts";
import { colorsFor } from "../view/colors.ts";
import { JobViewer, type JobView, type ThreadView } from "../view/job-view.ts";
import { jobLine, statusLines } from "../view/status-text.ts";

/** Options of `cfa status`. */
export type StatusCommandOptions = {
  readonly repo?: string | undefined;
  readonly all?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly watch?: boolean | undefined;
};

/** A job as it was found; no view for an empty log. */
type Look = {
  readonly view: JobView | undefined;
  readonly owner: Owner | undefined;
  /** How far file-based agents that run have come, by thread (docs/files.md). */
  readonly progress: ReadonlyMap<string, string>;
};

/** Shows a job, or all of them one a line. */
export async function statusCommand(
  context: Context,
  job: string | undefined,
  { repo, all = false, json = false, watch = false }: StatusCommandOptions,
): Promise<number> {
  if (all && watch) throw new Misuse("--watch follows one job: leave --all out");
  if (all) return showAll(context, await repositoryTop(context, repo), json);
  const place = await chooseJob(context, repo, job);
  if (watch) return follow(context, place, json);
  const look = await lookAt(place);
  if (look.view === undefined) {
    say(json ? context.stderr : context.stdout, `${place.id} has an empty log: it was not started`);
    return EXIT.completed;
  }
  if (json) say(context.stdout, JSON.stringify(dataOf(look), null, 2));
  else for (const line of linesOf(context, place, look)) say(context.stdout, line);
  return exitOfView(look.view);
}

/** A job for programs: as the log has it, and where file-based agents run, how far they have come. */
function dataOf({ view, progress }: Look) {
  if (view === undefined) return null;
  return progress.size === 0 ? view : { ...view, progress: Object.fromEntries(progress) };
}

function exitOfView({ ended, state, delivered }: JobView): number {
  return ended ? exitOfState(state, delivered?.problem) : EXIT.completed;
}

/** Shows the job again whenever it has changed, until it has ended. */
async function follow(context: Context, place: JobPlace, json: boolean): Promise<number> {
  const { stdout } = context;
  const screen = stdout.isTTY && !json ? new Screen(stdout) : undefined;
  return withLog(place, async (bus) => {
    const { reader } = await openFolds(bus.log);
    const viewer = new JobViewer(reader);
    let shown = "";
    for (let read = reader.seq; ;) {
      for await (const entry of bus.log.read(read)) {
        viewer.apply(entry);
        read = entry.seq;
      }
      const view = viewer.empty ? undefined : viewer.view(await bus.inbox.pending());
      const progress = await progressOf(place, view);
      const look = { view, owner: await bus.ownership.owner(), progress };
      const state = JSON.stringify({ ...look, progress: [...progress] });
      if (screen !== undefined) screen.draw(linesOf(context, place, look).slice(0, stdout.rows() - 1));
      else if (json && state !== shown) say(stdout, JSON.stringify(dataOf(look)));
      else if (state !== shown) for (const line of [...linesOf(context, place, look), ""]) say(stdout, line);
      shown = state;
      if (view?.ended === true) return exitOfView(view);
      await nextNews(bus);
    }
  });
}

function linesOf(context: Context, place: JobPlace, { view, owner, progress }: Look): readonly string[] {
  const { stdout } = context;
  if (view === undefined) return [`${place.id} has an empty log: it was not started`];
  return statusLines(view, {
    width: stdout.isTTY ? stdout.columns() : Infinity,
    now: context.now(),
    colors: colorsFor(context, stdout),
    owner: ownerText(context, place, view, owner),
    ownerless: !isLive(owner),
    answer: (question) => commandFor(context, place.top, `answer ${question} TEXT --job ${place.id}`),
    progress,
  });
}

async function lookAt(place: JobPlace): Promise<Look> {
  return withLog(place, async (bus) => {
    const viewer = new JobViewer((await openFolds(bus.log)).reader);
    const owner = await bus.ownership.owner();
    const view = viewer.empty ? undefined : viewer.view(await bus.inbox.pending());
    return { view, owner, progress: await progressOf(place, view) };
  });
}

async function progressOf({ top, id }: JobPlace, view: JobView | undefined): Promise<Look["progress"]> {
  return view === undefined ? new Map() : progressIn(jobDirectory(top, id), runningThreads(view.threads));
}

function runningThreads({ state, thread, children }: ThreadView): readonly string[] {
  return [...(state === "running" ? [thread] : []), ...children.flatMap(runningThreads)];
}

function isLive(owner: Owner | undefined): owner is Owner {
  return owner !== undefined && !owner.expired;
}

function ownerText(context: Context, { top, id }: JobPlace, view: JobView, owner: Owner | undefined): string {
  if (isLive(owner)) return `pid ${owner.pid} on ${owner.host} since ${owner.since}`;
  return view.ended
    ? "nobody; the job has ended"
    : `nobody; go on with ${commandFor(context, top, `resume ${id}`)}`;
}

/** One line a job, newest first; one that cannot be read is named on stderr and gives the exit code. */
async function showAll(context: Context, top: string, json: boolean): Promise<number> {
  let exit: number = EXIT.completed;
  const views: JobView[] = [];
  for (const id of await listJobs(top)) {
    try {
      const { view } = await lookAt({ top, id });
      if (view !== undefined) views.push(view);
    } catch (error) {
      exit = reportError(context, error);
    }
  }
  if (json) {
    const rows = views.map(({ job, state, parked, ended, openedAt, request }) => ({
      job,
      state,
      parked,
      ended,
      openedAt,
      request,
    }));
    say(context.stdout, JSON.stringify(rows, null, 2));
  } else {
    for (const view of views) say(context.stdout, jobLine(view, context.now()));
  }
  return exit;
}
