/** Why a thread does what it does, in words: from configuration and ledger alone. */
import type { Configuration } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { Question } from "../../soup/molecule.ts";
import type { Ledger } from "../../runtime/ledger.ts";
import { type Wait, waitText } from "../../runtime/dependencies/readiness.ts";
import type { ThreadRecord } from "../../runtime/thread-record.ts";
import type { ThreadState } from "../../runtime/thread-states.ts";
import { count, firstLine } from "./text.ts";

/** A job between two entries, as far as the reasons of its threads are concerned. */
export type Moment = {
  readonly configuration: Configuration;
  readonly ledger: Ledger;
  /** Why the job is parked, if it is. */
  readonly parked: string | null;
  /** Siblings that a turn which has not begun waits for; none for most. */
  readonly waitsOf: (thread: ThreadId) => readonly Wait[];
};

/** Why a thread does what it does, in one line; empty when there is nothing to add. */
export function whyOf(record: ThreadRecord, state: ThreadState, moment: Moment): string {
  const { configuration, parked } = moment;
  const cell = configuration.cell(record.thread);
  switch (state) {
    case "running":
    case "queued": {
      const waits = state === "queued" ? moment.waitsOf(record.thread) : [];
      if (waits.length > 0) return `waits for ${waitText(waits)}`;
      const run = cell?.lifecycles.find((one) => one.kind === "Run");
      return run?.kind === "Run" ? `${run.message.kind}: ${firstLine(run.message.body)}` : "";
    }
    case "sending":
      return "its broadcast is on its way";
    case "waiting for mail":
      return [lastFailure(record), whatFor(record, configuration)].filter((part) => part !== "").join("; ");
    case "waiting for the human":
      return answersFor(cell?.questions ?? []);
    case "parked":
      return parked ?? "";
    case "stalled":
      return lastFailure(record);
    case "ending":
      return record.ending === "merge" ? "its work will be merged" : "its work will be dropped";
    case "ended":
      return endOf(record);
  }
}

function answersFor(questions: readonly Question[]): string {
  return `for the answer to ${questions.map(({ question }) => question).join(", ")}`;
}

function whatFor(record: ThreadRecord, configuration: Configuration): string {
  const questions = configuration.cell(record.thread)?.questions ?? [];
  if (questions.length > 0) return answersFor(questions);
  const open = configuration.openChildren(record.thread);
  if (open > 0) return `from ${count(open, "open conversation")}`;
  return record.turns === 0 ? "" : "from its parent";
}

function lastFailure({ last }: ThreadRecord): string {
  return last?.result === "failed" ? `turn ${last.turn} failed: ${firstLine(last.failure ?? "")}` : "";
}

function endOf(record: ThreadRecord): string {
  const { release } = record;
  const failure = record.failed || record.last?.result === "failed" ? lastFailure(record) : "";
  return [failure, release === undefined ? "" : releaseText(release)]
    .filter((part) => part !== "")
    .join("; ");
}

function releaseText(release: NonNullable<ThreadRecord["release"]>): string {
  const commit = release.commit?.slice(0, 7) ?? "";
  switch (release.result) {
    case "merged":
      return `merged as ${commit}`;
    case "completed":
      return `merged as ${commit} after a conflict`;
    case "conflict":
      return `in conflict: ${release.paths.join(", ")}`;
    case "dropped":
      return release.ref === null ? "dropped" : `dropped, kept on ${release.ref}`;
  }
}

/** A thread as people speak of it: the state that it leads, or its id. */
export function threadName(thread: ThreadId): string {
  const state = /^state:.+:([A-Z]+):(\d+)$/.exec(thread);
  if (state !== null) return state[2] === "1" ? `${state[1]}` : `${state[1]} (${state[2]})`;
  return thread.startsWith("job:") ? "job" : thread;
}
