/**
 * What became of a turn of a file-based agent: from the end of its program and what its files say to the result of the turn
 * (docs/files.md, "How a turn ends").
 *
 * E1. Good is: exit status 0, `completed`, and everything required in the outbox. Its text is summary.md, never what was printed.
 * E2. A turn that ends in `running` is good while it waits: it has asked, has given work to others, or says that it sends nothing. Its work is not completed.
 * E3. A failure says what status.json held. Only an agent that itself says `failed` can say that trying again will not help.
 */
import type { TurnFacts, TurnResult, Work } from "../../runtime/agents/port.ts";
import type { OutboxEntry } from "../../runtime/outbox.ts";
import { type Delivery, outboxText } from "./delivery.ts";
import { listRegular } from "./copy.ts";
import { ERROR_REPORT_FILE, OUTBOX_FOLDER, PARTIAL_FOLDER, STATUS_FILE, SUMMARY_FILE } from "./layout.ts";
import { progressLine, type WorkError } from "./status-json.ts";
import type { Followed } from "./watch.ts";

/** Why the work has failed by what the files say, as a sentence without a full stop; undefined for a turn that is good so far. */
export function failureOf(followed: Followed, ended: TurnResult, waits: boolean): string | undefined {
  const { state, violation, report } = followed;
  if (violation !== null) return joined(`${STATUS_FILE} ${violation}`, ended);
  if (state === "failed") return joined(errorSentence(report?.error ?? null), ended);
  if (ended.stop === "failed") return joined(`${STATUS_FILE} says ${saidBy(followed)}`, ended);
  if (state === "completed" || (state === "running" && waits)) return undefined;
  return `its program ended and neither completed nor failed: ${STATUS_FILE} says ${saidBy(followed)}`;
}

function joined(sentence: string, { stop, failure }: TurnResult): string {
  return stop === "failed" && failure !== undefined ? `${failure}; ${sentence}` : sentence;
}

function saidBy({ state, report }: Followed): string {
  const line = report === null ? state : progressLine(report);
  return line === state ? state : `${state} (${line})`;
}

function errorSentence(error: WorkError | null): string {
  if (error === null) return `${STATUS_FILE} says failed, and not why`;
  const { type, message, details, recoverable } = error;
  const why = [message, details].filter((part) => part !== "").join(" - ");
  return `it has failed, ${recoverable ? "recoverably" : "and says that trying again will not help"}: ${type}${why === "" ? "" : `: ${why}`}`;
}

/** How far the work has come (E3). */
export function workOf({ state, report, violation }: Followed): Work {
  const declared = state === "failed" && violation === null;
  return { state, recoverable: declared ? (report?.error?.recoverable ?? false) : true };
}

/** Whether the calls of a turn leave it waiting (E2). */
export function waitsFor(calls: readonly OutboxEntry[], { parent }: TurnFacts): boolean {
  return calls.some(
    (call) =>
      call.verb === "ask" || call.verb === "none" || (call.verb === "send" && call.thread !== parent?.thread),
  );
}

/** A delivery in which something is missing, as a sentence; undefined when all is there. */
export function shortOf({ missing }: Delivery): string | undefined {
  if (missing.length === 0) return undefined;
  return `it says completed, and these are missing: ${missing.join("; ")}`;
}

/** What a failed turn has left in its outbox, for whoever reads of it: where report and partial work stand, and the text of the report. */
export async function leftBehind(
  left: string,
  named: string,
): Promise<{ readonly where: string; readonly report: string }> {
  const report = await outboxText(left, ERROR_REPORT_FILE);
  const { files } = await listRegular(left, `${OUTBOX_FOLDER}/${PARTIAL_FOLDER}`);
  const places = [
    ...(report === "" ? [] : [`its report is ${named}/${OUTBOX_FOLDER}/${ERROR_REPORT_FILE}`]),
    ...(files.length === 0 ? [] : [`partial work is in ${named}/${OUTBOX_FOLDER}/${PARTIAL_FOLDER}/`]),
  ];
  return { where: places.join(", "), report };
}

/** The summary: the reply of the turn. */
export async function summaryOf(home: string): Promise<string> {
  return (await outboxText(home, SUMMARY_FILE)) || "(its summary is empty)";
}
