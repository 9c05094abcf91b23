/**
 * What follows from a status file (docs/status-file.md): a soft stop, never a transition.
 *
 * A1. A lead that needs a person parks the job; `cfa resume` goes on.
 * A2. A child that does has ended its turns for now: its parent is told, and decides.
 * A3. The word of a turn that a crash has lost parks the job instead of running the turn again.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import type { View } from "../runtime/director.ts";
import { STATUS_PATH, type StatusToken } from "../runtime/status-file.ts";
import { invariant } from "../soup/invariant.ts";
import type { ThreadId } from "../soup/message.ts";
import { resumedMail, stoppedMail } from "./mail.ts";
import { leadOf, type StateRecord } from "./state-record.ts";

/** What each word means, for people. */
const MEANINGS: Readonly<Record<StatusToken, string>> = {
  blocked: "cannot go on without a person",
  "needs-human-review": "has work that a person should review",
  "no-change-needed": "finds that nothing has to be changed",
};

/** What the word of a turn asks for; `turn` is the turn's entry, whose status is recognised. */
export function afterStatus(
  record: StateRecord,
  { thread, agent, turn }: Pick<EntryBody<"turn">, "thread" | "agent" | "turn">,
  status: StatusToken,
  { ledger }: View,
): readonly Draft[] {
  const { parent } = ledger.thread(thread);
  if (thread === leadOf(record) || parent === undefined) return [park(thread, agent, turn, status)];
  const receiver = ledger.thread(parent);
  const message = stoppedMail(record.job, thread, agent, turn, `${status} (it ${MEANINGS[status]})`);
  const to = { agent: receiver.agent, thread: receiver.thread };
  return [{ kind: "post", body: { ...to, message, head: false, origin: "orchestrator" } }];
}

/** What the word of a lost turn asks for (A3). */
export function afterLostStatus(
  thread: ThreadId,
  turn: number,
  status: StatusToken,
  { ledger }: View,
): readonly Draft[] {
  return [park(thread, ledger.thread(thread).agent, turn, status)];
}

/** Mail that wakes a lead whose word had parked the job, once it is resumed and nothing else would wake it. */
export function resumedDraft(record: StateRecord, { ledger }: View): Draft {
  const { thread, agent, last } = ledger.thread(leadOf(record));
  invariant(last?.status != null, `${thread} has not stopped itself`);
  const message = resumedMail(record.job, thread, last.turn, last.status);
  return { kind: "post", body: { agent, thread, message, head: false, origin: "orchestrator" } };
}

function park(thread: ThreadId, agent: string, turn: number, status: StatusToken): Draft {
  const why = `${agent} ${MEANINGS[status]}: ${status} in ${STATUS_PATH}, turn ${turn} of ${thread}`;
  return { kind: "park", body: { parked: true, why, origin: "skill" } };
}
