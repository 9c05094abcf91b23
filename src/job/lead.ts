/**
 * What the orchestrator makes of a state lead that has come to rest: its outcome record, its silence, its failures.
 *
 * G1. A record is judged when the turn has ended and its broadcast is done; never from text or exit status (CfA §4).
 * G2. Violations, nudges, failed turns and time-outs of a state share one budget, `retries`; one more is FAILURE.
 * G3. An approval passes only when every required child that failed has been closed by its parent, at any depth below
 *     the lead, the tree holds no conflict, and every open child has come to rest and been merged.
 * G4. An approval of a lead that has unread mail lapses: it wakes on the mail and approves again. Whatever else a
 *     record says is taken before the mail.
 * G5. A first turn that waits for siblings which rest, or have failed, wakes nobody: the lead is told of it like of its own silence.
 */
import type { Draft } from "../persistence/entry.ts";
import { type Wait, waitText } from "../runtime/dependencies/readiness.ts";
import type { View } from "../runtime/director.ts";
import { restsInFailure } from "../runtime/failed-work.ts";
import { unresolved } from "../runtime/held.ts";
import type { ThreadRecord } from "../runtime/thread-record.ts";
import { invariant } from "../soup/invariant.ts";
import type { ThreadId } from "../soup/message.ts";
import { type Action, isLive, type LiveState } from "./machine.ts";
import { correctiveMail } from "./mail.ts";
import { noticeDraft } from "./notice.ts";
import { judgeRecord } from "./outcome.ts";
import { readinessIn } from "./readiness.ts";
import { leadOf, type StateRecord } from "./state-record.ts";
import { resumedDraft } from "./status.ts";

const SILENCE =
  "Your turn ended without an outcome, and nothing is under way that would wake you: go on, and end the state with an outcome";
const APPROVALS: readonly Action[] = ["APPROVED_INTENT", "APPROVED_PLAN", "APPROVED_WORK"];

/** What is to be done about the lead now; nothing while it works, waits for mail that will come, or is gone. */
export function steerLead(record: StateRecord, view: View): readonly Draft[] {
  const { state } = record.machine;
  const thread = leadOf(record);
  const lead = view.ledger.threads.get(thread);
  if (!isLive(state) || lead === undefined || !hasSpoken(view, thread)) return [];
  const rests = isAtRest(view, thread);
  if (record.hold !== null) return rests ? advanceHold(record, lead, view) : [];
  const { last } = lead;
  if (last !== undefined && last.result !== "failed" && last.turn > record.judged) {
    const drafts = judge(record, state, lead, rests, view);
    if (drafts.length > 0) return drafts;
  }
  const worn = !rests && lead.turns >= record.definition.limits.max_turns;
  return worn ? stateFailure(record, lead, "another message came after its last turn", null) : [];
}

/** What follows from the lead's newest turn. An approval waits for unread mail, a record of any other kind does not (G4). */
function judge(
  record: StateRecord,
  state: LiveState,
  lead: ThreadRecord,
  rests: boolean,
  view: View,
): readonly Draft[] {
  const bytes = lead.last?.outcome ?? null;
  const verdict = judgeRecord(state, bytes);
  switch (verdict.verdict) {
    case "violation":
      return stateFailure(record, lead, verdict.problem, bytes);
    case "pending":
      if (!rests || isStirring(record, lead.thread, view)) return [];
      return lead.last?.status == null
        ? stateFailure(record, lead, [SILENCE, ...heldBelow(record, lead, view)].join(". "), null)
        : [resumedDraft(record, view)];
    case "action": {
      const { action, reason } = verdict;
      if (!APPROVALS.includes(action)) return [notice(record, lead, action, reason, bytes)];
      return rests ? approve(record, lead, action, reason, view) : [];
    }
  }
}

function notice(
  record: StateRecord,
  lead: ThreadRecord,
  action: Action,
  reason: string,
  bytes: string | null,
): Draft {
  const cause = `${lead.thread}:${lead.last?.turn ?? 0}`;
  return noticeDraft(record.job, cause, { action, reason, origin: "skill", record: bytes });
}

/** An approval: refused with mail, held until the children have ended, or passed on (G3). */
function approve(
  record: StateRecord,
  lead: ThreadRecord,
  action: Action,
  reason: string,
  view: View,
): readonly Draft[] {
  const obstacle = obstacleTo(lead, view);
  const bytes = lead.last?.outcome ?? null;
  if (obstacle !== undefined)
    return stateFailure(record, lead, `${action} is not possible yet: ${obstacle}`, bytes);
  if (![...descendants(view, lead.thread)].length && !isMerging(view)) {
    return [notice(record, lead, action, reason, bytes)];
  }
  const why = "it waits until every open conversation has come to rest and is merged";
  return [{ kind: "hold", body: { action, reason, why, record: bytes } }];
}

function obstacleTo(lead: ThreadRecord, view: View): string | undefined {
  const { ledger } = view;
  const failed = failedChildren(view, lead.thread);
  if (failed.length > 0) {
    return `${failed.join(", ")} failed: acknowledge it with cfa close ${failed[0] ?? ""}, and open the work again if it is needed`;
  }
  const neglect = neglectBelow(lead, view);
  if (neglect !== undefined) return neglect;
  // The leads of all states work in the tree of the root.
  const conflict = ledger.conflicts.get(ledger.root);
  return conflict && unresolved(conflict, ledger);
}

/** The required children of a thread that have failed, and that it has not closed. */
function failedChildren(view: View, thread: ThreadId): readonly ThreadId[] {
  const { ledger } = view;
  return ledger.thread(thread).children.filter((child) => {
    const { failed, optional } = ledger.thread(child);
    return (failed || restsInFailure(child, view)) && !optional;
  });
}

/** An open conversation that passes over the failure of one of its own, and what the lead can do about it. */
function neglectBelow(lead: ThreadRecord, view: View): string | undefined {
  for (const { thread } of descendants(view, lead.thread)) {
    const [failed] = failedChildren(view, thread);
    if (failed !== undefined)
      return `${failed} failed, and ${thread} has not acknowledged it: ask for it with cfa send --thread, or close the conversation that led to it`;
  }
  return undefined;
}

/** Moves a held approval on: waits for the children, ends them deepest first, one at a time, then lets it pass. */
function advanceHold(record: StateRecord, lead: ThreadRecord, view: View): readonly Draft[] {
  const { hold } = record;
  if (hold === null || isStirring(record, lead.thread, view) || isMerging(view)) return [];
  const neglect = neglectBelow(lead, view) ?? heldBelow(record, lead, view)[0];
  if (neglect !== undefined)
    return stateFailure(record, lead, `${hold.action} is not possible yet: ${neglect}`, hold.record);
  const open = [...descendants(view, lead.thread)].filter((one) => !view.configuration.dying(one.thread));
  const serial = ({ thread }: { readonly thread: ThreadId }) => view.ledger.thread(thread).serial;
  const [next] = open.sort((a, b) => b.depth - a.depth || serial(a) - serial(b));
  if (next === undefined) {
    const action = APPROVALS.find((one) => one === hold.action);
    invariant(action !== undefined, `${hold.action} is held, and is no approval`);
    return [notice(record, lead, action, hold.reason, hold.record)];
  }
  const reason = `the ${record.machine.state} phase ends with ${hold.action}`;
  return [
    { kind: "terminate", body: { thread: next.thread, mode: "merge", reason, origin: "orchestrator" } },
  ];
}

/** Every thread below `thread` that has not ended, in spark order, with its depth. */
export function* descendants(
  view: View,
  thread: ThreadId,
  depth = 1,
): IterableIterator<{ readonly thread: ThreadId; readonly depth: number }> {
  for (const child of view.configuration.children(thread)) {
    yield { thread: child, depth };
    yield* descendants(view, child, depth + 1);
  }
}

/** The broadcast of the thread's newest turn is done, and it is not ending. */
function hasSpoken({ configuration }: View, thread: ThreadId): boolean {
  const cell = configuration.cell(thread);
  return (
    cell !== undefined &&
    cell.terminates.length === 0 &&
    cell.lifecycles.every(({ kind }) => kind === "Idle" || kind === "Run")
  );
}

/** The instance is Idle, its mailbox empty, and nobody interrupts it. */
export function isAtRest({ configuration }: View, thread: ThreadId): boolean {
  const cell = configuration.cell(thread);
  return (
    cell !== undefined &&
    cell.lifecycles.length === 1 &&
    cell.lifecycles[0]?.kind === "Idle" &&
    cell.mailboxes.every(({ messages }) => messages.length === 0) &&
    cell.interrupts.length + cell.terminates.length === 0
  );
}

/** Something below the thread, or a question, may still wake it. A held first turn is waiting itself (G5). */
function isStirring(record: StateRecord, thread: ThreadId, view: View): boolean {
  const asks = (one: ThreadId) => (view.configuration.cell(one)?.questions.length ?? 0) > 0;
  if (asks(thread) || isMerging(view)) return true;
  for (const { thread: one } of descendants(view, thread)) {
    if (asks(one)) return true;
    if (!isAtRest(view, one) && waitsOf(record, one, view) === undefined) return true;
  }
  return false;
}

/** What the turn of a thread waits for that has not begun; undefined for any other. */
function waitsOf({ definition }: StateRecord, thread: ThreadId, view: View): readonly Wait[] | undefined {
  const run = view.configuration.cell(thread)?.lifecycles.some(({ kind }) => kind === "Run") ?? false;
  if (!run || view.underWay.has(thread)) return undefined;
  const readiness = readinessIn(definition, thread, view);
  return readiness.kind === "hold" ? readiness.waits : undefined;
}

/** The open conversations whose first turn waits for others, and what would let it begin, one sentence each. */
function heldBelow(record: StateRecord, { thread }: ThreadRecord, view: View): readonly string[] {
  return [...descendants(view, thread)].flatMap(({ thread: one }) => {
    const waits = waitsOf(record, one, view);
    if (waits === undefined) return [];
    const { agent } = view.ledger.thread(one);
    return [
      `${agent} on ${one} has not begun, it waits for ${waitText(waits)}: write to who has not completed, or go on without by closing that conversation`,
    ];
  });
}

/** Some ended thread's tree has not left yet. */
function isMerging({ ledger }: View): boolean {
  return ledger.unreleased.size > 0;
}

/** A state-level failure: recorded, and answered with mail, or with FAILURE when the budget is spent (G2). */
export function stateFailure(
  record: StateRecord,
  lead: ThreadRecord,
  problem: string,
  bytes: string | null,
  mail: (left: number) => Draft = (left) => corrective(record, lead, problem, left),
): readonly Draft[] {
  const failures = record.failures + 1;
  const { retries, max_turns } = record.definition.limits;
  const turn = lead.last?.turn ?? 0;
  const { state } = record.machine;
  const violation: Draft = {
    kind: "violation",
    body: { state, thread: lead.thread, turn, problem, record: bytes, failures },
  };
  const worn = lead.turns >= max_turns;
  if (failures <= retries && !worn) return [violation, mail(retries - failures)];
  const limit = worn ? `${max_turns} turns were not enough` : `the retry budget of ${retries} is spent`;
  const cause = `${lead.thread}:${turn}:${failures}`;
  const reason = `${state} failed, ${limit}: ${problem}`;
  return [
    violation,
    noticeDraft(record.job, cause, { action: "FAILURE", reason, origin: "orchestrator", record: bytes }),
  ];
}

function corrective(record: StateRecord, lead: ThreadRecord, problem: string, left: number): Draft {
  const message = correctiveMail(
    record.job,
    lead.thread,
    lead.last?.turn ?? 0,
    record.failures + 1,
    problem,
    left,
  );
  return {
    kind: "post",
    body: { agent: lead.agent, thread: lead.thread, message, head: false, origin: "orchestrator" },
  };
}
