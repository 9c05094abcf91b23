/**
 * How far a question has come, as the conversation `escalation:<id>` that it is in the log (docs/escalation.md).
 *
 * Q1. Its newest stage is the newest of: what was fired on it, and what is recorded of its conversation.
 */
import { conversationOf } from "../../persistence/conversation.ts";
import type { Step } from "../../persistence/verify.ts";
import type { Question } from "../../soup/molecule.ts";
import type { QuestionId } from "../../soup/message.ts";
import type { CauseIndex } from "./cause-index.ts";

/** What a question waits for, or what it came to. */
export type QuestionStanding =
  | { readonly kind: "proxied"; readonly text: string; readonly turn: number | undefined }
  | { readonly kind: "put"; readonly text: string }
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "unanswered" };

/** A question's standing after the last step, and the entry that put it there; undefined for one that nobody has asked. */
export function stateOfQuestion(
  steps: readonly Step[],
  question: QuestionId,
  index: CauseIndex,
): { readonly standing: QuestionStanding; readonly seq: number } | undefined {
  const stage = index.questions.get(question);
  if (stage === undefined) return undefined;
  const open = openQuestion(steps, question);
  if (open?.kind === "AskHuman") return { standing: { kind: "put", text: open.text.body }, seq: stage };
  if (open !== undefined) {
    const last = newestRecord(steps, question);
    const seq = Math.max(stage, last?.entry.seq ?? 0);
    const turn = last?.entry.kind === "start" && seq > stage ? last.entry.body.turn : undefined;
    return { standing: { kind: "proxied", text: open.text.body, turn }, seq };
  }
  const entry = steps[stage - 1]?.entry;
  const answer = entry?.kind === "fire" && entry.body.rule === "respond" ? entry.body.choice?.a : undefined;
  return {
    standing: answer === undefined ? { kind: "unanswered" } : { kind: "answered", text: answer.body },
    seq: stage,
  };
}

function openQuestion(steps: readonly Step[], question: QuestionId): Question | undefined {
  for (const { questions } of steps.at(-1)?.after.cells() ?? [])
    for (const one of questions) if (one.question === question) return one;
  return undefined;
}

/** The newest entry of the question's conversation. */
function newestRecord(steps: readonly Step[], question: QuestionId): Step | undefined {
  const conversation = conversationOf(question);
  return steps.findLast(({ entry }) => {
    if (entry.kind !== "workspace" && entry.kind !== "start" && entry.kind !== "turn") return false;
    return entry.body.thread === conversation;
  });
}
