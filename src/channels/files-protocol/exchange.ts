/**
 * The messages of one turn of a file-based agent: what has arrived goes into `messages/`, what it writes there becomes calls.
 *
 * X1. A message is admitted like any call of the turn; a refused one, like a malformed one, is named with the reason.
 * X2. Whoever has completed replies with its summary, also where its messages have said something to its dispatcher, or asked, before: that
 *     would stand for a reply (runtime/broadcast.ts, C2).
 */
import { join } from "node:path";
import type { Call } from "../../runtime/admission.ts";
import type { TurnRequest, TurnResult } from "../../runtime/agents/port.ts";
import { makeCall } from "../../runtime/outbox-calls.ts";
import { MESSAGES_FOLDER } from "./layout.ts";
import { type Before, filesBefore, readWritten, writeArrived } from "./message-folder.ts";
import { callFor } from "./message-routes.ts";
import { messageOfMail } from "./messages.ts";

/** Writes what the message of the turn says into the home, which is ready for it (home.ts), and notes what is there before its program starts. */
export async function beginExchange(
  home: string,
  { facts, message }: Pick<TurnRequest, "facts" | "message">,
  now: Date,
): Promise<Before> {
  const folder = join(home, MESSAGES_FOLDER);
  const arrived = messageOfMail(facts.agent, message, now);
  if (arrived !== undefined) await writeArrived(folder, arrived);
  return filesBefore(folder);
}

/** What came of the messages of a turn. */
export type Exchanged = {
  /** Somebody has been asked something: the turn may end before the work is done. */
  readonly asked: boolean;
  /** The human has been asked, or the dispatcher told something. */
  readonly spoke: boolean;
  /** What was not taken, one sentence each; the file is named. */
  readonly problems: readonly string[];
};

/** Makes the calls that the messages of a turn stand for. */
export async function endExchange(
  home: string,
  before: Before,
  { facts, outbox, beside }: Pick<TurnRequest, "facts" | "outbox" | "beside">,
): Promise<Exchanged> {
  const written = await readWritten(join(home, MESSAGES_FOLDER), before);
  const problems = [...written.problems];
  let [asked, spoke] = [false, false];
  for (const { file, message } of written.messages) {
    const route = callFor(message, { ...facts, siblings: beside?.siblings ?? [] });
    const refused = "problem" in route ? route.problem : await refusalOf(outbox, facts, route.call);
    if (refused !== undefined) problems.push(`messages/${file} ${refused}: ignored`);
    if (refused !== undefined || "problem" in route) continue;
    asked ||= message.type === "question";
    spoke ||= route.call.verb === "ask" || isTo(facts.parent, route.call);
  }
  return { asked, spoke, problems };
}

/** The result of a turn with what came of its messages; one that has completed and has spoken replies with its summary (X2). */
export async function withExchange(
  result: TurnResult,
  { spoke, problems }: Exchanged,
  { facts, outbox }: Pick<TurnRequest, "facts" | "outbox">,
  completed: boolean,
): Promise<TurnResult> {
  const remarks = [...problems];
  if (result.stop === "ended" && completed && spoke && facts.parent !== null) {
    const { agent: to, thread } = facts.parent;
    const call: Call = { verb: "send", to, thread, message: result.text, files: [], optional: false };
    const refused = await refusalOf(outbox, facts, call);
    if (refused !== undefined) remarks.push(`its summary ${refused}`);
  }
  return remarks.length === 0 ? result : { ...result, remarks };
}

function isTo(parent: TurnRequest["facts"]["parent"], call: Call): boolean {
  return call.verb === "send" && call.thread === parent?.thread;
}

async function refusalOf(
  outbox: string,
  facts: TurnRequest["facts"],
  call: Call,
): Promise<string | undefined> {
  const admission = await makeCall(outbox, facts, call);
  return "refused" in admission ? `was refused (${admission.refused})` : undefined;
}
