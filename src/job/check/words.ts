/**
 * A way through a job, told in words: one line a step, who did what and what came of it.
 *
 * T1. Whoever is named is named the same in the whole trace: the lead of a state by it, a dispatched agent by a number.
 * T2. What came of a step is read from the entries that the engine committed, never from what was intended.
 */
import type { Draft } from "../../persistence/entry.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { TurnChoice } from "./choices.ts";
import type { Model } from "./model.ts";
import type { Node, Step } from "./walk.ts";

/** The steps from the start to a node, first one first. */
export function traceOf(node: Node): string[] {
  const way: Node[] = [];
  for (let at: Node | undefined = node; at !== undefined; at = at.from) way.unshift(at);
  return way.map(({ model, from, step }) => {
    const told = consequences(model, step).join("; ");
    if (step === undefined || from === undefined) return `The job starts${told === "" ? "" : `: ${told}`}.`;
    return `${headline(model, from.model, step)}${told === "" ? "" : `: ${told}`}.`;
  });
}

/** `lead (PLAN)`, or `writer 2` for the second conversation with writer. */
export function nameOf({ ledger }: Model, thread: ThreadId): string {
  const state = /^state:.+:([A-Z]+):(\d+)$/u.exec(thread);
  const record = ledger.threads.get(thread);
  if (record === undefined) return thread;
  if (state !== null)
    return `${record.agent} (${state[1] ?? ""}${state[2] === "1" ? "" : `, entry ${state[2] ?? ""}`})`;
  if (record.parent === undefined) return "the orchestrator";
  const alike = [...ledger.threads.values()].filter(
    ({ agent, thread: other, serial }) =>
      agent === record.agent && !other.startsWith("state:") && serial <= record.serial,
  );
  return `${record.agent} ${alike.length}`;
}

function headline(model: Model, before: Model, step: Step): string {
  if (step.kind === "answer") {
    const asker = before.ledger.questions.get(step.question)?.thread ?? "";
    return `The human answers the question of ${nameOf(model, asker)}`;
  }
  return `${nameOf(model, step.thread)} ${deed(model, before, step.thread, step.choice)}`;
}

function deed(model: Model, before: Model, thread: ThreadId, choice: TurnChoice): string {
  const names = (threads: readonly ThreadId[]) => threads.map((one) => nameOf(model, one)).join(", ");
  switch (choice.kind) {
    case "outcome":
      return `ends its turn with ${choice.action}`;
    case "reply":
      return "replies to whoever dispatched it";
    case "silence":
      return choice.leaves ? "says nothing and leaves the merge conflict" : "says nothing";
    case "dispatch": {
      const opened = model.ledger.thread(thread).children.slice(before.ledger.thread(thread).children.length);
      const closes = choice.closes.length === 0 ? "" : `closes ${names(choice.closes)} and `;
      return opened.length === 0
        ? `${closes}tries to dispatch ${choice.agents.join(", ")}`
        : `${closes}dispatches ${names(opened)}`;
    }
    case "send":
      return `writes to ${names([choice.thread])} again`;
    case "close":
      return `closes ${names(choice.threads)}`;
    case "ask":
      return "asks a question";
    case "fail":
      return "fails, and fails again at every further try";
  }
}

/** What the engine made of a step, in the order of its entries (T2). */
function consequences(model: Model, step: Step | undefined): string[] {
  const answered = step?.kind === "answer";
  return model.committed.flatMap((draft) => consequence(model, draft, answered));
}

function consequence(model: Model, draft: Draft, answered: boolean): readonly string[] {
  switch (draft.kind) {
    case "transition":
      return [`${draft.body.from} is over, the job goes on to ${draft.body.to}`];
    case "violation":
      return [`that is failure ${draft.body.failures} of ${draft.body.state}`];
    case "hold":
      return ["the approval waits until every open conversation has come to rest and is merged"];
    case "park":
      return [`no turn may begin any more, and the job is parked: ${draft.body.why}`];
    case "deliver":
      return ["the work is delivered"];
    case "release":
      return draft.body.result === "conflict"
        ? [`the work of ${nameOf(model, draft.body.thread)} conflicts`]
        : [];
    case "terminate": {
      const { thread, mode, origin } = draft.body;
      const child = model.ledger.threads.get(thread)?.parent !== undefined;
      return child && mode === "drop" && origin === "orchestrator"
        ? [`${nameOf(model, thread)} is ended for good, and whoever dispatched it is told`]
        : [];
    }
    case "fire":
      return firing(model, draft.body, answered);
    default:
      return [];
  }
}

type Fired = Extract<Draft, { kind: "fire" }>["body"];

function firing(model: Model, { rule, at, choice }: Fired, answered: boolean): readonly string[] {
  if (rule === "refuse") return [`it is refused, and ${nameOf(model, at["t"] ?? "")} gets it back`];
  if (rule === "escalate") return ["the question is put to the human"];
  if (rule === "spark") {
    const opened = at["t'"] ?? "";
    return opened.startsWith("state:") ? [`${nameOf(model, opened)} is given its task`] : [];
  }
  if (rule === "respond" && !answered) return [`the answer is "${choice?.a?.body ?? ""}"`];
  return [];
}
