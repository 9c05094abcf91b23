/**
 * Questions that are asked again because their answer was lost with the turn that it was given to: the asker gets the stored answer,
 * and neither the proxy nor the human is asked a second time (docs/escalation.md).
 *
 * A1. Lost means: the turn on the answer has failed, and this turn is on the recovery of that message. Whoever has worked on an answer
 *     and asks the same in the same words has a new question.
 * A2. The same is: on the same thread, under the same policy, in the same words.
 */
import type { Draft } from "../../persistence/entry.ts";
import type { Policy, QuestionId } from "../../soup/message.ts";
import type { Run } from "../../soup/molecule.ts";
import type { Ledger } from "../ledger.ts";
import type { OutboxEntry } from "../outbox.ts";

/** The calls that ask again, by the id that they would have, and the entries that bring the stored answer. */
export type AskedAgain = { readonly calls: ReadonlySet<QuestionId>; readonly drafts: readonly Draft[] };

/** What of a turn's calls asks again (A1, A2). */
export function askedAgain(
  { message, agent, thread, turn }: Run,
  calls: readonly OutboxEntry[],
  policy: Policy,
  { questions, escalations }: Pick<Ledger, "questions" | "escalations">,
): AskedAgain {
  const known = message.kind === "recovery" ? questions.get(message.re ?? "") : undefined;
  const isSame = known?.thread === thread && known.policy === policy;
  if (known?.answer === undefined || !isSame) return { calls: new Set(), drafts: [] };
  const { id: re, answer: body } = known;
  const text = escalations.records.get(re)?.text;
  const again = calls.flatMap((call) => (call.verb === "ask" && call.text === text ? [call.question] : []));
  if (again.length === 0) return { calls: new Set(), drafts: [] };
  const answer = { id: `answer:${re}:${turn}`, from: null, kind: "answer", body, re } as const;
  const remark = `it asks again what was answered as ${re}: the stored answer is delivered once more`;
  return {
    calls: new Set(again),
    drafts: [
      { kind: "note", body: { level: "info", thread, text: remark } },
      { kind: "post", body: { agent, thread, message: answer, head: false, origin: "engine" } },
    ],
  };
}
