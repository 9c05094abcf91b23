/**
 * Why a payload can never reduce (rule `refuse`), and the sentence that its sender gets.
 *
 * F1. `refusalOf` and the guards of send, spark, send-terminate, send-ask and send-closed cover every payload of a
 *     live thread exactly once; only a spark whose workspace is not yet known waits.
 */
import type { Configuration } from "../soup/configuration.ts";
import type { AgentName, Message, Payload, ThreadId } from "../soup/message.ts";

/** No molecule on the thread, no Parent edge with it on either side, not closed (docs/rules.md, "unused"). */
export function isUnused(configuration: Configuration, thread: ThreadId): boolean {
  const cell = configuration.cell(thread);
  if (cell === undefined) return true;
  return (
    !cell.closed &&
    cell.lifecycles.length === 0 &&
    cell.mailboxes.length === 0 &&
    cell.up.length === 0 &&
    cell.down.count === 0 &&
    cell.questions.length === 0 &&
    cell.interrupts.length === 0 &&
    cell.terminates.length === 0
  );
}

/** One of the two threads was sparked from the other. */
export function areAdjacent(configuration: Configuration, one: ThreadId, other: ThreadId): boolean {
  return configuration.edge(other, one) !== undefined || configuration.edge(one, other) !== undefined;
}

/** Whom `agent` may dispatch; an agent may be called like a member of every object. */
export function rosterOf({ facts }: Configuration, agent: AgentName): readonly AgentName[] {
  return Object.hasOwn(facts.rosters, agent) ? (facts.rosters[agent] ?? []) : [];
}

/** The roster of `agent` names `other`. */
export function isRostered(configuration: Configuration, agent: AgentName, other: AgentName): boolean {
  return rosterOf(configuration, agent).includes(other);
}

/** The reason why `payload`, sent by `agent` on `thread`, can never reduce; undefined when it can. */
export function refusalOf(
  configuration: Configuration,
  agent: AgentName,
  thread: ThreadId,
  payload: Payload,
): string | undefined {
  switch (payload.kind) {
    case "ask":
      return undefined;
    case "terminate":
      return refusedClose(configuration, thread, payload.thread);
    case "deliver":
      return refusedDelivery(configuration, agent, thread, payload);
  }
}

function refusedClose(configuration: Configuration, thread: ThreadId, target: ThreadId): string | undefined {
  if (configuration.edge(target, thread) !== undefined) return undefined;
  if (configuration.dying(target) || configuration.isClosed(target)) return undefined;
  return `${target} is not a conversation that you opened; close only your own`;
}

function refusedDelivery(
  configuration: Configuration,
  agent: AgentName,
  thread: ThreadId,
  payload: Extract<Payload, { kind: "deliver" }>,
): string | undefined {
  const target = payload.thread;
  if (configuration.isClosed(target) || configuration.dying(target)) {
    return `${target} has ended; open a new conversation by sending without a thread`;
  }
  if (target !== thread && isUnused(configuration, target)) {
    return refusedSpark(configuration, agent, thread, payload);
  }
  const cell = configuration.cell(target);
  const known = cell?.mailboxes.some((mailbox) => mailbox.agent === payload.agent) ?? false;
  if (target !== thread && known && areAdjacent(configuration, thread, target)) return undefined;
  return `${payload.agent} on ${target} is not your parent or a conversation that you opened; send only to those`;
}

function refusedSpark(
  configuration: Configuration,
  agent: AgentName,
  thread: ThreadId,
  payload: Extract<Payload, { kind: "deliver" }>,
): string | undefined {
  if (!isRostered(configuration, agent, payload.agent)) {
    const roster = rosterOf(configuration, agent);
    return `${payload.agent} is not in your roster (${roster.length === 0 ? "which is empty" : roster.join(", ")})`;
  }
  const { cap } = configuration.facts;
  if (configuration.openChildren(thread) >= cap) {
    return `you have ${cap} open conversations, which is the most; close one first`;
  }
  const workspace = configuration.cell(payload.thread)?.workspace;
  if (workspace !== undefined && !workspace.ready) return `no workspace could be made: ${workspace.because}`;
  return undefined;
}

/** Longest quotation of a refused message, in UTF-16 units. */
const QUOTE = 400;

/** The thread that a payload addresses; the question of an `ask`. */
export function addressOf(payload: Payload): string {
  return payload.kind === "ask" ? payload.question : payload.thread;
}

/** The mail by which a refused payload comes back. `count` makes its id unique on the thread. */
export function refusalMessage(thread: ThreadId, payload: Payload, why: string, count: string): Message {
  const what =
    payload.kind === "deliver"
      ? `Your message to ${payload.agent} on ${payload.thread} was refused`
      : `Your close of ${addressOf(payload)} was refused`;
  const quote =
    payload.kind === "deliver" ? `\n\nThe message was: ${payload.message.body.slice(0, QUOTE)}` : "";
  return {
    id: `refusal:${thread}:${count}`,
    from: null,
    kind: "refusal",
    body: `${what}: ${why}.${quote}`,
    re: addressOf(payload),
  };
}
