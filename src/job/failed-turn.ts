/**
 * What follows from a failed turn: the lost message again with mail that quotes it, until the budget is spent
 * (docs/job.md, "Failures").
 *
 * T1. The budget of a lead is that of its state; a child has one of its own, of the same size.
 * T2. A child that fails for good is dropped and its parent told; a lead that does fails its state.
 * T3. What a file-based agent says of its failure, and its `recovery`, decide whether it is tried again, told to the parent at once, or ended
 *     at once (docs/files.md, "When it fails"); within the same budget.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import type { View } from "../runtime/director.ts";
import type { ThreadRecord } from "../runtime/thread-record.ts";
import type { Message } from "../soup/message.ts";
import { stateFailure } from "./lead.ts";
import { failedWorkMail, failureMail, recoveryMail, reportOf } from "./mail.ts";
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
  const option = recoveryOption(record, failed, turn);
  if (left < 0 || option === "skip") return endChild(record, failed, turn, why, view);
  if (option === "retry") return [recovery(left)];
  return toParent(failed, failedWorkMail(record.job, failed, turn, why, left), view);
}

/** What becomes of the failure (T3). A question that could not be asked is told to the parent. */
function recoveryOption(
  { definition }: StateRecord,
  { agent }: ThreadRecord,
  { work }: EntryBody<"turn">,
): "retry" | "fix" | "skip" {
  const definitionOf = definition.agents[agent];
  if (work === undefined || definitionOf?.adapter !== "files") return "retry";
  const { recoverable, unrecoverable } = definitionOf.recovery;
  const option = work.recoverable ? recoverable : unrecoverable;
  return option === "escalate" ? "fix" : option;
}

function endChild(
  record: StateRecord,
  child: ThreadRecord,
  turn: EntryBody<"turn">,
  why: string,
  view: View,
): readonly Draft[] {
  const { thread, agent } = child;
  const reason = `it failed for good: ${why}`;
  const end: Draft = { kind: "terminate", body: { thread, mode: "drop", reason, origin: "orchestrator" } };
  return [end, ...toParent(child, failureMail(record.job, thread, agent, why, reportOf(turn)), view)];
}

function toParent({ parent }: ThreadRecord, message: Message, { ledger }: View): readonly Draft[] {
  if (parent === undefined) return [];
  const { agent, thread } = ledger.thread(parent);
  return [{ kind: "post", body: { agent, thread, message, head: false, origin: "orchestrator" } }];
}
