/**
 * The shape of a state: everything on which the future of a job with free agents depends, and nothing else.
 *
 * H1. Threads are named by their place in the tree; children that are alike are exchangeable, so their order is lost.
 * H2. Of a message only its class is kept: free agents do not read, and the engine looks at refusals and conflicts alone.
 *     A reply that is owed matters below a dispatched agent alone (runtime/broadcast.ts, C2), and what the lead last said
 *     only until its next turn begins, for that turn's end takes its place.
 * H3. How much of `retries`, `backtracks`, `max_turns` and the budget is spent is not part of it: states that differ in that
 *     alone are one. The walk keeps the one with the fewest turns, and lets failing agents fail until no try is left.
 * H4. Of what piles up only the first is kept: of unread mail the first message and that there is more, of children that have
 *     failed and were not closed that there are some.
 */
import type { Message, ThreadId } from "../../soup/message.ts";
import type { Lifecycle, Question } from "../../soup/molecule.ts";
import { conflictMailId } from "../../runtime/held.ts";
import { leadOf } from "../state-record.ts";
import type { Model } from "./model.ts";

/** Unread messages of one mailbox that are told apart. */
export const UNREAD = 1;

/** The shape of a model's state, as a key. */
export function shapeOf(model: Model): string {
  const { machine, hold, parked, delivered, judged } = model.record;
  const lead = leadOf(model.record);
  const last = model.turns.has(lead) ? undefined : model.ledger.threads.get(lead)?.last;
  const pending = last !== undefined && last.result !== "failed" && last.turn > judged;
  const top = [
    machine.state,
    hold?.action ?? "",
    parked === null ? "" : "parked",
    delivered === null ? "" : "delivered",
    pending ? (last.outcome ?? "-") : "",
  ];
  return `${top.join("|")} ${threadShape(model, model.ledger.root)}`;
}

/** The shape of a thread and everything below it. */
export function threadShape(model: Model, thread: ThreadId): string {
  const { configuration, ledger, turns, kinds } = model;
  const cell = configuration.cell(thread);
  if (cell === undefined) return "none";
  const record = ledger.thread(thread);
  const message = (one: Message) => classOf(model, thread, one);
  const plan = turns.get(thread);
  const late = plan?.facts.children.some((child) => ledger.thread(child.thread).closed) ?? false;
  const failed = record.children.some((one) => ledger.thread(one).failed && !ledger.thread(one).optional);
  const blocked = record.children.filter((one) => ledger.unreleased.has(one)).length;
  const children = [...configuration.children(thread)].map((child) => threadShape(model, child)).sort();
  const parts = [
    cell.closed ? "closed" : (kinds.get(record.agent) ?? record.agent),
    cell.lifecycles.map((one) => lifecycleShape(one, message)).join(),
    plan === undefined ? "" : late ? "late" : "on",
    cell.mailboxes.map(({ messages }) => mailShape([...messages].map(message))).join(),
    cell.questions.map(questionShape).sort().join(),
    cell.terminates.length + cell.interrupts.length === 0 ? "" : "ending",
    record.owes && isAwaited(model, record.parent) ? "owes" : "",
    failed ? "failed" : "",
    blocked === 0 ? "" : String(blocked),
    ledger.conflicts.has(thread) ? "conflict" : "",
  ];
  return `${parts.join("|")}(${children.join(" ")})`;
}

/** Whether the opener of a thread replies to somebody itself, and waits with that for the thread: no lead does (H2). */
function isAwaited({ ledger, record }: Model, parent: ThreadId | undefined): boolean {
  return parent !== undefined && parent !== ledger.root && parent !== leadOf(record);
}

function lifecycleShape(one: Lifecycle, message: (one: Message) => string): string {
  if (one.kind === "Run") return `R${message(one.message)}`;
  return one.kind === "Send" ? `S${[...one.payloads].map(({ kind }) => kind).join("+")}` : "I";
}

/** Unread messages, oldest first (H4). */
function mailShape(classes: readonly string[]): string {
  return classes.length > UNREAD ? `${classes.slice(0, UNREAD).join("")}+` : classes.join("");
}

function questionShape(one: Question): string {
  return `${one.kind} ${one.policy}${one.kind === "Proxy" ? one.phase : ""}`;
}

/** What the engine makes of a message, whatever it says (H2). */
function classOf({ ledger, record }: Model, thread: ThreadId, { id, kind }: Message): string {
  if (kind === "refusal") {
    return `r${Math.min(ledger.thread(thread).refusals, record.definition.limits.retries + 1)}`;
  }
  for (const { child } of ledger.conflicts.values()) if (conflictMailId(child) === id) return "c";
  return "m";
}
