/**
 * What a free agent may do in one turn: one thing, whatever its message says.
 *
 * C1. Every call goes through early refusal (runtime/admission.ts), as an agent's own calls do: what that refuses is no
 *     choice.
 * C2. Conversations that look the same from outside are one choice, not several.
 * C3. In a tree that holds a merge conflict, a turn resolves it, or leaves it and says nothing.
 */
import { admit, type Call } from "../../runtime/admission.ts";
import type { OutboxEntry } from "../../runtime/outbox.ts";
import type { FinishedTurn, TurnPlan } from "../../runtime/turn.ts";
import type { AgentName, ThreadId } from "../../soup/message.ts";
import type { Action } from "../machine.ts";
import { isAction } from "../machine.ts";
import type { Model } from "./model.ts";
import { onePerKind } from "./roles.ts";
import { threadShape } from "./shape.ts";

const APPROVALS: readonly Action[] = ["APPROVED_INTENT", "APPROVED_PLAN", "APPROVED_WORK"];

/** What an agent does in a turn. */
export type TurnChoice =
  /** The lead ends its state. */
  | { readonly kind: "outcome"; readonly action: Action; readonly clumsy: boolean }
  /** A dispatched agent ends with its final text, which is its reply. */
  | { readonly kind: "reply" }
  /** Nothing is sent, on purpose; a lead leaves no outcome. */
  | { readonly kind: "silence"; readonly leaves: boolean }
  | { readonly kind: "dispatch"; readonly agents: readonly AgentName[]; readonly closes: readonly ThreadId[] }
  | { readonly kind: "send"; readonly thread: ThreadId }
  | { readonly kind: "close"; readonly threads: readonly ThreadId[]; readonly clumsy: boolean }
  | { readonly kind: "ask" }
  /** The turn fails, and every one after it until the agent has no try left. */
  | { readonly kind: "fail" };

/** What the agent of a turn under way may do, each choice once. */
export function turnChoices(model: Model, plan: TurnPlan): TurnChoice[] {
  const { facts } = plan;
  const open = distinct(
    model,
    facts.children.map(({ thread }) => thread),
  );
  const held = model.ledger.conflicts.has(plan.tree);
  const failed = unacknowledged(model, plan);
  const choices: TurnChoice[] = [
    ...facts.outcomes.filter(isAction).flatMap((action) => outcomes(action, facts.children.length, held)),
    ...(facts.parent === null ? [] : [{ kind: "reply" } as const]),
    { kind: "silence", leaves: false },
    ...dispatches(plan, onePerKind(model.kinds, facts.roster)),
    ...open.filter((thread) => hasRead(model, thread)).map((thread) => ({ kind: "send", thread }) as const),
    ...open.map((thread) => close([thread], false)),
    ...(held ? [] : open.map((thread) => close([thread], true))),
    ...(failed.length > 0 ? [close(failed, false)] : []),
    ...(model.configuration.cell(plan.run.thread)?.questions.length === 0 ? [{ kind: "ask" } as const] : []),
    { kind: "fail" },
  ];
  if (held) choices.push({ kind: "silence", leaves: true });
  return choices.filter((choice) => entriesOf(plan, choice) !== undefined);
}

/** How the turn ends under a choice; the caller has it from {@link turnChoices}. */
export function finishedTurn(model: Model, plan: TurnPlan, choice: TurnChoice): FinishedTurn {
  const failed = choice.kind === "fail";
  const held = model.ledger.conflicts.has(plan.tree);
  const leaves = choice.kind === "silence" && choice.leaves;
  return {
    result: {
      stop: failed ? "failed" : "ended",
      ...(failed ? { failure: "it failed" } : {}),
      text: "done",
      session: null,
      usage: { tokens: null, usd: null },
    },
    entries: entriesOf(plan, choice) ?? [],
    problems: [],
    refusals: [],
    outcome: choice.kind === "outcome" ? JSON.stringify({ outcome: choice.action, reason: "because" }) : null,
    status: undefined,
    commit: "commit",
    changed: true,
    completed:
      !held || failed ? undefined : leaves ? { unmerged: ["a file"], own: null } : { merge: "commit" },
    kept: new Set(),
    millis: 0,
  };
}

/** An approval merges what is open, with a conflict or without one; every other outcome drops it. */
function outcomes(action: Action, open: number, held: boolean): TurnChoice[] {
  const plain: TurnChoice = { kind: "outcome", action, clumsy: false };
  return APPROVALS.includes(action) && open > 0 && !held ? [plain, { ...plain, clumsy: true }] : [plain];
}

function close(threads: readonly ThreadId[], clumsy: boolean): TurnChoice {
  return { kind: "close", threads, clumsy };
}

/** One conversation with an agent of each kind, and as many at once as the cap allows. */
function dispatches({ facts }: TurnPlan, roster: readonly AgentName[]): TurnChoice[] {
  const { cap, children } = facts;
  const one = roster.map((agent): TurnChoice => ({ kind: "dispatch", agents: [agent], closes: [] }));
  // Where a dispatch over the cap may wait for a close, one too many is refused late.
  const seats = cap - children.length + (facts.overCap === "wait" ? 1 : 0);
  if (seats < 2 || roster.length === 0) return one;
  const many = Array.from({ length: seats }, (_, at) => roster[at % roster.length] ?? "");
  return [...one, { kind: "dispatch", agents: many, closes: [] }];
}

/** The calls of a choice; undefined when one of them is refused at once (C1). */
function entriesOf({ facts }: TurnPlan, choice: TurnChoice): OutboxEntry[] | undefined {
  const entries: OutboxEntry[] = [];
  for (const call of callsOf(choice, facts.lead, (thread) => agentOn(facts, thread))) {
    const admission = admit(facts, entries, call);
    if ("refused" in admission) return undefined;
    entries.push(admission.entry);
  }
  return entries;
}

function callsOf(choice: TurnChoice, lead: boolean, agent: (thread: ThreadId) => AgentName): Call[] {
  const send = (to: AgentName, thread?: ThreadId): Call => ({
    verb: "send",
    to,
    thread,
    message: "work",
    files: [],
    optional: false,
  });
  switch (choice.kind) {
    case "outcome":
    case "reply":
    case "fail":
      return [];
    case "silence":
      return lead ? [] : [{ verb: "none" }];
    case "dispatch":
      return [...choice.closes.map(closing), ...choice.agents.map((to) => send(to))];
    case "send":
      return [send(agent(choice.thread), choice.thread)];
    case "close":
      return choice.threads.map(closing);
    case "ask":
      return [{ verb: "ask", text: "may I?" }];
  }
}

function closing(thread: ThreadId): Call {
  return { verb: "close", thread };
}

function agentOn({ children }: TurnPlan["facts"], thread: ThreadId): AgentName {
  return children.find((child) => child.thread === thread)?.agent ?? "";
}

/** Required children that have failed for good and that the parent has not closed yet. */
function unacknowledged({ ledger }: Model, { run, facts }: TurnPlan): ThreadId[] {
  const known = new Set([...facts.closed, ...facts.children.map(({ thread }) => thread)]);
  return ledger
    .thread(run.thread)
    .children.filter((child) => ledger.thread(child).failed && known.has(child));
}

/** Nothing waits in the mailbox of the thread. */
function hasRead({ configuration }: Model, thread: ThreadId): boolean {
  return configuration.cell(thread)?.mailboxes.every(({ messages }) => messages.length === 0) ?? true;
}

/** One thread of each shape (C2). */
function distinct(model: Model, threads: readonly ThreadId[]): ThreadId[] {
  const byShape = new Map<string, ThreadId>();
  for (const thread of threads) {
    const shape = threadShape(model, thread);
    if (!byShape.has(shape)) byShape.set(shape, thread);
  }
  return [...byShape.values()];
}
