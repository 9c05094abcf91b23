/**
 * Scripted agents: functions from a message to what the turn does, and the choices that follow from it.
 *
 * A1. As in the engine, a turn with one question and nothing else is ask-step, an untouched turn nosend-step, anything
 *     else send-step, an empty broadcast included.
 * A2. Messages of a turn get the ids `<thread>.<turn>.<number>`, so the same run mints the same ids.
 */
import type { Choice } from "../rules/fire.ts";
import type { RuleId } from "../rules/rule.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { AgentName, Message, Payload, Policy, QuestionId, ThreadId } from "../soup/message.ts";
import type { Run } from "../soup/molecule.ts";
import { plainMessage } from "../soup/parse.ts";
import { parsePayloads } from "./choice.ts";

/** What a scripted agent sees of its turn. */
export type Turn = {
  readonly agent: AgentName;
  readonly thread: ThreadId;
  /** The number of the turn on its thread, from 1. */
  readonly turn: number;
  /** The thread that opened this one. */
  readonly parent: ThreadId | undefined;
  /** The threads that this one opened and that have not gone, in the order of their sparks. */
  readonly children: readonly ThreadId[];
};

/** What a turn does: payloads (objects, or one in notation each) in order; nothing at all for an untouched turn. */
export type Decision = readonly (Payload | string)[] | undefined;

/** A scripted agent: called once a turn, in the order of the run. */
export type ScriptedAgent = (message: Message, turn: Turn) => Decision;

/** A message to an agent on a thread, as {@link Decision} takes it. */
export function deliver(agent: AgentName, thread: ThreadId, body: string): Payload {
  return { kind: "deliver", agent, thread, message: plainMessage(body) };
}

/** The close of a child's thread. */
export function terminate(thread: ThreadId): Payload {
  return { kind: "terminate", thread };
}

/** A question; `question` is its id, unique in the run. */
export function ask(question: QuestionId, text: string, policy: Policy): Payload {
  return { kind: "ask", question, text: plainMessage(text), policy };
}

/** The turn of a Run. */
export function turnOf(configuration: Configuration, { agent, thread, turn }: Run): Turn {
  const children = [...configuration.children(thread)];
  return { agent, thread, turn, parent: configuration.parent(thread), children };
}

/** The rule and choice by which a turn ends that decided so (A1). */
export function choiceOf(turn: Turn, decision: Decision): { readonly rule: RuleId; readonly choice: Choice } {
  if (decision === undefined) return { rule: "nosend-step", choice: {} };
  const ps = decision
    .flatMap((one) => (typeof one === "string" ? parsePayloads(`[${one}]`) : [one]))
    .map((payload, at) => addressed(turn, payload, `${turn.thread}.${turn.turn}.${at + 1}`));
  const [only] = ps;
  if (ps.length === 1 && only?.kind === "ask") {
    return { rule: "ask-step", choice: { e: only.question, x: only.text, π: only.policy } };
  }
  return { rule: "send-step", choice: { ps } };
}

function addressed({ agent, thread, parent }: Turn, payload: Payload, id: string): Payload {
  const from = { agent, thread };
  switch (payload.kind) {
    case "deliver": {
      const kind = payload.thread === parent ? "reply" : "task";
      return { ...payload, message: { ...payload.message, id, from, kind } };
    }
    case "ask":
      return { ...payload, text: { ...payload.text, id, from } };
    case "terminate":
      return payload;
  }
}
