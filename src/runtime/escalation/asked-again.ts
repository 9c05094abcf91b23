/**
 * Questions that are asked again because their answer was lost with the turn that it was given to: the asker gets the stored answer,
 * and neither the proxy nor the human is asked a second time (docs/escalation.md).
 *
 * A1. Lost means: the turn on the answer has failed, and this turn is on the recovery of that message; or an interrupt has taken the
 *     place of that turn, and no turn of the asker has ended well since. Who has worked on an answer and asks the same has a new question.
 * A2. The same is: on the same thread, under the same policy, in the same words.
 * A3. An answer that still waits in the mailbox is not delivered twice: the asker has it next.
 */
import type { Draft } from "../../persistence/entry.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { Policy, QuestionId } from "../../soup/message.ts";
import type { Run } from "../../soup/molecule.ts";
import type { Ledger } from "../ledger.ts";
import type { OutboxEntry } from "../outbox.ts";
import type { EscalationRecord } from "./escalations.ts";

/** The calls that ask again, by the id that they would have, and the entries that bring the stored answer. */
export type AskedAgain = { readonly calls: ReadonlySet<QuestionId>; readonly drafts: readonly Draft[] };

/** What the state says of the asker. */
type Asked = {
  readonly configuration: Configuration;
  readonly ledger: Pick<Ledger, "questions" | "escalations">;
};

/** What of a turn's calls asks again (A1, A2). */
export function askedAgain(
  run: Run,
  calls: readonly OutboxEntry[],
  policy: Policy,
  { configuration, ledger }: Asked,
): AskedAgain {
  const waiting = waitingFor(run, configuration);
  const again = new Set<QuestionId>();
  const drafts: Draft[] = [];
  const brought = new Set<QuestionId>();
  for (const call of calls) {
    if (call.verb !== "ask") continue;
    const known = ledger.escalations.of(run.thread).findLast((record) => {
      const isSame = record.text === call.text && ledger.questions.get(record.question)?.policy === policy;
      return isSame && record.answer !== undefined && isUnread(record, run, waiting);
    });
    if (known === undefined) continue;
    again.add(call.question);
    if (brought.has(known.question)) continue;
    brought.add(known.question);
    drafts.push(...(waiting.has(known.question) ? [waits(run, known)] : deliver(run, known)));
  }
  return { calls: again, drafts };
}

/** Questions whose answer, or the mail that quotes it, waits to be read. */
function waitingFor({ thread }: Run, configuration: Configuration): ReadonlySet<QuestionId> {
  const { mailboxes = [] } = configuration.cell(thread) ?? {};
  return new Set(mailboxes.flatMap(({ messages }) => [...messages].flatMap(({ re }) => re ?? [])));
}

/** No turn on the answer has ended well (A1). */
function isUnread(
  { question, lost }: EscalationRecord,
  { message }: Run,
  waiting: ReadonlySet<QuestionId>,
): boolean {
  return lost || waiting.has(question) || (message.kind === "recovery" && message.re === question);
}

function waits({ thread }: Run, { question }: EscalationRecord): Draft {
  const text = `it asks again what was answered as ${question}: the answer is in its mailbox`;
  return { kind: "note", body: { level: "info", thread, text } };
}

function deliver({ agent, thread, turn }: Run, { question: re, answer }: EscalationRecord): readonly Draft[] {
  const text = `it asks again what was answered as ${re}: the stored answer is delivered once more`;
  const body = answer?.text ?? "";
  const message = { id: `answer:${re}:${turn}`, from: null, kind: "answer", body, re } as const;
  return [
    { kind: "note", body: { level: "info", thread, text } },
    { kind: "post", body: { agent, thread, message, head: false, origin: "engine" } },
  ];
}
