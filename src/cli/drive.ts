/**
 * One run from its start to its exit code: entries and progress while it goes on, signals, the last words.
 *
 * D1. Nothing of the job is printed before the run owns it: what happens until then is another process's.
 * D2. With `json`, stdout holds the entries of the job, all of them, as `cfa log --jsonl` prints them, and nothing else.
 * D3. It waits for the human only where it asks them itself: where a question opens below the live view and can be typed at.
 */
import type { RunOptions } from "../engine/options.ts";
import type { JobRun } from "../engine/job-run.ts";
import type { JobReader } from "../engine/read-job.ts";
import { warningsBesideLog } from "../job/warnings.ts";
import { encodeEntry } from "../persistence/codec.ts";
import type { RunEnd } from "../runtime/scheduler-options.ts";
import { type Context, say, type SignalName } from "./context.ts";
import { EXIT, exitOfState } from "./exit-codes.ts";
import { commandFor } from "./jobs.ts";
import type { AnsweringMeans } from "./progress/answering.ts";
import { isLive, type Progress, progressOn } from "./progress/progress.ts";
import { lastWords, ownedLine } from "./last-words.ts";
import { stopping } from "./stopping.ts";
import { userNotify } from "./user-configuration.ts";
import { JobViewer } from "./view/job-view.ts";
import { userName } from "./who.ts";

/** How a run is shown. */
export type DriveOptions = {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Top of the repository. */
  readonly top: string;
  /** What has been read of the job: entries up to there are older than the run. */
  readonly reader: JobReader;
  /** Said when the run has claimed the job. */
  readonly opening?: string | undefined;
};

/** Starts a run and sees it through. Returns the exit code. */
export async function drive(
  context: Context,
  start: (options: RunOptions) => Promise<JobRun>,
  { json, quiet, top, reader, opening }: DriveOptions,
): Promise<number> {
  const after = reader.seq;
  const notify = await userNotify(context, top);
  const viewer = new JobViewer(reader);
  const answer = (question: string) =>
    commandFor(context, top, `answer ${question} TEXT --job ${viewer.read.record.id}`);
  const { keys } = context.stdin;
  let send: AnsweringMeans["send"] = () => Promise.reject(new Error("the run has not begun"));
  const asks = keys !== undefined && !quiet && !json && isLive(context);
  const answering = asks
    ? {
        keys,
        send: (question: string, text: string) => send(question, text),
        stop: () => stop.now("SIGINT"),
      }
    : undefined;
  const progress = progressOn(context, viewer, { quiet: quiet || json, answer, answering });
  const stop = stopping(context, viewer, progress);
  let end: RunEnd;
  try {
    const run = await start({
      waitForHuman: asks,
      onTurnEvent: progress.event,
      ...(notify === undefined ? {} : { notify }),
    });
    stop.of(run);
    send = (question, text) => run.answer(question, text, userName());
    const begun = await run.begun;
    if (begun && opening !== undefined) progress.say(opening);
    if (begun && after > 0) warn(viewer, progress);
    for await (const entry of begun ? run.entriesAfter(json ? 0 : after) : []) {
      if (json) say(context.stdout, encodeEntry(entry));
      if (entry.seq <= after) continue;
      viewer.apply(entry);
      if (entry.kind === "open") warn(viewer, progress);
      progress.entry(entry);
    }
    end = await run.end;
  } finally {
    stop.over();
    progress.end();
  }
  await context.stdout.drained();
  if (end.kind === "owned") {
    say(context.stderr, ownedLine(context, top, end.owner));
    return EXIT.owned;
  }
  const output = json ? context.stderr : context.stdout;
  for (const line of await lastWords(context, top, end, viewer)) say(output, line);
  return exitOf(end, viewer, stop.received());
}

function warn(viewer: JobViewer, progress: Progress): void {
  for (const warning of warningsBesideLog(viewer.read.record.definition)) progress.say(`warning: ${warning}`);
}

function exitOf(
  end: Exclude<RunEnd, { kind: "owned" }>,
  viewer: JobViewer,
  signal: SignalName | undefined,
): number {
  switch (end.kind) {
    case "ended":
      return exitOfState(end.state, viewer.view().delivered?.problem);
    case "waiting":
      return EXIT.waiting;
    case "parked":
      return EXIT.parked;
    case "stopped":
      return signal === "SIGTERM" ? EXIT.terminated : EXIT.interrupted;
  }
}
