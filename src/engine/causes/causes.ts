/**
 * Why: from a thread's state, or an entry, back to what brought it about: which message, firing, choice or human act.
 *
 * W1. A pure function of the steps of a log. The chain is newest first; each entry in it is the chief cause of the one before.
 * W2. It ends where the log knows no further (at a person, the request, a clock), or else at the transition by which the
 *     present state of the job began: that one has a chain of its own.
 */
import { questionOf } from "../../persistence/conversation.ts";
import { waitsIn } from "../../job/readiness.ts";
import type { EntryBody } from "../../persistence/entry.ts";
import type { Step } from "../../persistence/verify.ts";
import type { Wait } from "../../runtime/dependencies/readiness.ts";
import { invariant } from "../../soup/invariant.ts";
import type { AgentName, Message, ThreadId } from "../../soup/message.ts";
import { JobReader } from "../read-job.ts";
import { CauseIndex } from "./cause-index.ts";
import { type QuestionStanding, stateOfQuestion } from "./why-question.ts";

/** What a thread does at the end of a log. */
export type Standing =
  | {
      readonly kind: "runs";
      readonly turn: number;
      readonly message: Message;
      /** The agent that runs it in place of its own; null for none, or while it has not begun. */
      readonly by: AgentName | null;
    }
  /** The turn waits for siblings before it begins. */
  | { readonly kind: "held"; readonly turn: number; readonly waits: readonly Wait[] }
  | { readonly kind: "parked"; readonly why: string }
  | { readonly kind: "sends"; readonly left: number }
  | { readonly kind: "asks"; readonly question: string; readonly text: string; readonly human: boolean }
  | { readonly kind: "waits"; readonly open: readonly ThreadId[] }
  | QuestionStanding
  | { readonly kind: "ends" }
  | { readonly kind: "ended" };

/** A thread's state and the chain of its causes (W1). */
export type WhyThread = { readonly standing: Standing; readonly chain: readonly Step[] };

/** The chain of causes of entry number `seq`, itself first. Undefined when there is no such entry. */
export function whyEntry(steps: readonly Step[], seq: number): readonly Step[] | undefined {
  return steps[seq - 1] === undefined ? undefined : chainFrom(steps, indexOf(steps), seq);
}

/** Why a thread, or the conversation of a question, is in its state. Undefined for one that the log does not know. */
export function whyThread(steps: readonly Step[], thread: ThreadId): WhyThread | undefined {
  const index = indexOf(steps);
  const question = questionOf(thread);
  const found =
    question === undefined ? stateOf(steps, thread, index) : stateOfQuestion(steps, question, index);
  if (found === undefined) return undefined;
  const { standing, seq } = found;
  return { standing, chain: seq === undefined ? [] : chainFrom(steps, index, seq) };
}

function indexOf(steps: readonly Step[]): CauseIndex {
  const index = new CauseIndex();
  for (const step of steps) index.take(step);
  return index;
}

/** The chain from entry `seq` on; it ends with what opened the state of the job in which it happened (W2). */
function chainFrom(steps: readonly Step[], index: CauseIndex, seq: number): readonly Step[] {
  const chain: Step[] = [];
  let opening = false;
  for (let at: number | undefined = seq; at !== undefined; at = index.causeOf(at)) {
    const step = steps[at - 1];
    invariant(step !== undefined, `entry ${at} is a cause and not in the log`);
    chain.push(step);
    const { entry } = step;
    if (opening && entry.kind === "transition") break;
    opening ||= entry.kind === "fire" && entry.body.rule === "spark" && entry.body.at["t"] === index.root;
  }
  return chain;
}

type Found = { readonly standing: Standing; readonly seq: number | undefined };

/** The state of a thread after the last step, and the entry that put it there. */
function stateOf(steps: readonly Step[], thread: ThreadId, index: CauseIndex): Found | undefined {
  const configuration = steps.at(-1)?.after;
  const cell = configuration?.cell(thread);
  if (configuration === undefined || cell === undefined) return undefined;
  if (cell.closed) return { standing: { kind: "ended" }, seq: index.ends.get(thread) };
  if (cell.terminates.length > 0) return { standing: { kind: "ends" }, seq: index.terminations.get(thread) };
  const [lifecycle] = cell.lifecycles;
  const parked = parkedBy(steps, index);
  switch (lifecycle?.kind) {
    case undefined:
      return undefined;
    case "Run": {
      const { turn, message } = lifecycle;
      const seq = index.runs.get(thread);
      const start = startOf(steps, thread, turn);
      if (start === undefined) {
        if (parked !== undefined) return parked;
        const waits = waitsOf(steps, thread);
        if (waits.length > 0) return { standing: { kind: "held", turn, waits }, seq };
      }
      return { standing: { kind: "runs", turn, message, by: start?.by ?? null }, seq };
    }
    case "Send": {
      const left = lifecycle.payloads.length;
      return { standing: { kind: "sends", left }, seq: index.choices.get(thread) };
    }
    case "Idle": {
      const [asked] = cell.questions;
      if (asked !== undefined) {
        const { question, text } = asked;
        const human = asked.kind === "AskHuman";
        return {
          standing: { kind: "asks", question, text: text.body, human },
          seq: index.questions.get(question),
        };
      }
      const open = [...configuration.children(thread)].filter((child) => !configuration.dying(child));
      if (open.length === 0 && parked !== undefined) return parked;
      return { standing: { kind: "waits", open }, seq: index.choices.get(thread) };
    }
  }
}

/** The park that holds the job up, if one does. */
function parkedBy(steps: readonly Step[], index: CauseIndex): Found | undefined {
  const seq = index.newest("park");
  const entry = seq === undefined ? undefined : steps[seq - 1]?.entry;
  if (entry?.kind !== "park" || !entry.body.parked) return undefined;
  return { standing: { kind: "parked", why: entry.body.why }, seq };
}

/** The beginning of a turn's program, if it has begun. */
function startOf(steps: readonly Step[], thread: ThreadId, turn: number): EntryBody<"start"> | undefined {
  for (const { entry } of steps)
    if (entry.kind === "start" && entry.body.thread === thread && entry.body.turn === turn) return entry.body;
  return undefined;
}

function waitsOf(steps: readonly Step[], thread: ThreadId): readonly Wait[] {
  const reader = new JobReader();
  for (const { entry } of steps) reader.apply(entry);
  const read = reader.job();
  return read === undefined ? [] : waitsIn(read.record.definition, thread, read);
}
