/** Looks up what the last words of a run need, and chooses them. */
import { join } from "node:path";
import { jobDirectory } from "../persistence/jobs.ts";
import type { Owner } from "../persistence/ports.ts";
import type { RunEnd } from "../runtime/scheduler-options.ts";
import { fields, gitAt, text } from "../runtime/workspaces/git.ts";
import type { Context } from "./context.ts";
import { commandFor } from "./jobs.ts";
import type { JobViewer } from "./view/job-view.ts";
import {
  type ChangedFile,
  endLines,
  parkedLines,
  stoppedLines,
  type SummaryFacts,
  waitingLines,
} from "./view/summary.ts";

const STREAMS_SHOWN = 3;

/** The last words about a run. */
export async function lastWords(
  context: Context,
  top: string,
  end: Exclude<RunEnd, { kind: "owned" }>,
  viewer: JobViewer,
): Promise<readonly string[]> {
  const view = viewer.view();
  const facts: SummaryFacts = {
    files: await changedFiles(top, viewer),
    streams: failedStreams(top, viewer),
    command: (words) => commandFor(context, top, words),
  };
  switch (end.kind) {
    case "ended":
      return endLines(view, facts);
    case "waiting":
      return waitingLines(view, facts);
    case "parked":
      return parkedLines(view, facts);
    case "stopped":
      return stoppedLines(view, facts);
  }
}

/** Who has the job, for somebody who wanted to run it. */
export function ownedLine(context: Context, top: string, { pid, host, since }: Owner): string {
  const follow = commandFor(context, top, "status");
  return `the job is run by another process: pid ${pid} on ${host} since ${since}; look at it with ${follow}`;
}

/** What the delivered commit adds, changes and removes. */
async function changedFiles(top: string, viewer: JobViewer): Promise<readonly ChangedFile[]> {
  const { base, delivered } = viewer.read.record;
  if (base === null || delivered?.commit == null) return [];
  const range = ["--no-renames", "--name-status", "-z", base, delivered.commit, "--"];
  const diff = await gitAt({ cwd: top }).attempt(["diff", ...range]);
  if (diff.code !== 0) return [];
  const words = fields(diff.out);
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const letter = words[at];
    const change = letter === "A" || letter === "D" ? letter : "M";
    files.push({ change, path: text(words[at + 1] ?? "") });
  }
  return files;
}

/** Files with the output of the turns that failed last, newest first. */
function failedStreams(top: string, viewer: JobViewer): readonly string[] {
  const { ledger, record } = viewer.read;
  const failed = [...ledger.threads.values()].filter(({ last }) => last?.result === "failed");
  return failed
    .toReversed()
    .slice(0, STREAMS_SHOWN)
    .map(({ serial, last }) => join(jobDirectory(top, record.id), "streams", `${serial}.${last?.turn}.log`));
}
