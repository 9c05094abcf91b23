/** `cfa status [JOB]`: how a job stands, from its log alone; works while another process runs it. */
import { listJobs } from "../../persistence/jobs.ts";
import type { Owner } from "../../persistence/ports.ts";
import { type Context, say } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { reportError } from "../errors.ts";
import { chooseJob, commandFor, type JobPlace, repositoryTop, withLog } from "../jobs.ts";
import { colorsFor } from "../view/colors.ts";
import { JobViewer, type JobView } from "../view/job-view.ts";
import { jobLine, statusLines } from "../view/status-text.ts";

/** Options of `cfa status`. */
export type StatusCommandOptions = {
  readonly repo?: string | undefined;
  readonly all?: boolean | undefined;
  readonly json?: boolean | undefined;
};

/** Shows a job, or all of them one a line. */
export async function statusCommand(
  context: Context,
  job: string | undefined,
  { repo, all = false, json = false }: StatusCommandOptions,
): Promise<number> {
  if (all) return showAll(context, await repositoryTop(context, repo), json);
  const place = await chooseJob(context, repo, job);
  const { view, owner } = await look(place);
  if (view === undefined) {
    say(json ? context.stderr : context.stdout, `${place.id} has an empty log: it was not started`);
    return EXIT.completed;
  }
  if (json) {
    say(context.stdout, JSON.stringify(view, null, 2));
    return EXIT.completed;
  }
  const { stdout } = context;
  const lines = statusLines(view, {
    width: stdout.isTTY ? stdout.columns() : Infinity,
    now: context.now(),
    colors: colorsFor(context, stdout),
    owner: ownerText(context, place, view, owner),
    ownerless: !isLive(owner),
    answer: (question) => commandFor(context, place.top, `answer ${question} TEXT --job ${place.id}`),
  });
  for (const line of lines) say(stdout, line);
  return EXIT.completed;
}

async function look(
  place: JobPlace,
): Promise<{ readonly view: JobView | undefined; readonly owner: Owner | undefined }> {
  return withLog(place, async (bus) => {
    const viewer = new JobViewer();
    for await (const entry of bus.log.read()) viewer.apply(entry);
    return { view: viewer.empty ? undefined : viewer.view(), owner: await bus.ownership.owner() };
  });
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
      const { view } = await look({ top, id });
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
