/**
 * What follows from a failed turn: the lost message again with mail that quotes it, until the budget is spent
 * (docs/job.md, "Failures").
 *
 * T1. The budget of a lead is that of its state; a child has one of its own, of the same size.
 * T2. A child that fails for good is dropped and its parent told; a lead that does fails its state.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import type { View } from "../runtime/director.ts";
import type { ThreadRecord } from "../runtime/thread-record.ts";
import type { Message } from "../soup/message.ts";
import { stateFailure } from "./lead.ts";
import { failureMail, recoveryMail } from "./mail.ts";
import { leadOf, type StateRecord } from "./state-record.ts";

/** Drafts for the commit of the turn; none for a turn that did not fail. `view` is that before the turn's end. */
export function afterFailedTurn(
  record: StateRecord,
  turn: EntryBody<"turn">,
  message: Message,
  view: View,
): readonly Draft[] {
  if (turn.result !== "failed") return [];
  const failed = view.ledger.thread(turn.thread);
  const why = turn.failure ?? "its turn failed";
  const recovery = (left: number): Draft => ({
    kind: "post",
    body: {
      agent: failed.agent,
      thread: failed.thread,
      message: recoveryMail(record.job, turn, message, left),
      head: true,
      origin: "orchestrator",
    },
  });
  if (turn.thread === leadOf(record)) {
    const now = { ...failed, last: turn, turns: failed.turns + 1 };
    return stateFailure(record, now, `its turn failed: ${why}`, null, recovery);
  }
  const left = record.definition.limits.retries - failed.failures - 1;
  return left >= 0 ? [recovery(left)] : endChild(record, failed, why, view);
}

function endChild(record: StateRecord, child: ThreadRecord, why: string, { ledger }: View): readonly Draft[] {
  const { thread, agent, parent } = child;
  const reason = `it failed for good: ${why}`;
  const end: Draft = { kind: "terminate", body: { thread, mode: "drop", reason, origin: "orchestrator" } };
  if (parent === undefined) return [end];
  const receiver = ledger.thread(parent);
  const body = {
    agent: receiver.agent,
    thread: receiver.thread,
    message: failureMail(record.job, thread, agent, why),
    head: false,
    origin: "orchestrator",
  } as const;
  return [end, { kind: "post", body }];
}
