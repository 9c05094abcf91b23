/**
 * What the ledger knows of a question beyond its molecules, and how the log changes it.
 *
 * K1. In log, status and step an open question is the conversation `escalation:<id>` under its asker (CfA §7).
 */
import { questionOf } from "../persistence/conversation.ts";
import type { EntryBody } from "../persistence/entry.ts";
import type { EscalationRecord } from "./escalation/escalations.ts";
import type { Firing } from "../rules/fire.ts";
import type { Policy, QuestionId, ThreadId } from "../soup/message.ts";

/** A question of the job, open or ended. */
export type QuestionRecord = {
  readonly id: QuestionId;
  readonly thread: ThreadId;
  readonly policy: Policy;
  /** What was asked; once the human is asked, in the words in which it was put to them. */
  text: string;
  /** When it was asked, ISO 8601. */
  readonly since: string;
  /** The answer that counts when nobody has given one by that time, ISO 8601. */
  readonly default: { readonly answer: string; readonly at: string } | undefined;
  /** The human has been told outside of cfa that it was put to them, the last time it was, or that has failed. */
  notified: boolean;
  /** Set while the human is asked. */
  asking: boolean;
  answer: string | undefined;
  ended: boolean;
};

/** The question that somebody means by its id or by its conversation (K1). */
export function questionNamed(words: string): QuestionId {
  return questionOf(words) ?? words;
}

/** The time that a question is put to the human, of which an answer is given; without `exchange`, the one that is open. */
export type Addressed = { readonly question: QuestionId; readonly exchange?: number };

/** The target of an answer in an inbox: `q1.1.1`, or `q1.1.1#2` for the second time that the question is put to the human. */
export function addressOf({ question, exchange }: Addressed): string {
  return exchange === undefined ? question : `${question}#${exchange}`;
}

/** What {@link addressOf} has made a target of. */
export function addressed(target: string): Addressed {
  const [, question, exchange] = /^(.+)#(\d+)$/u.exec(target) ?? [];
  return question === undefined ? { question: target } : { question, exchange: Number(exchange) };
}

/** What is said of an answer to what the human was asked before, as the rest of a sentence. */
export const ASKED_ANEW = "is put to you in another exchange now: read it again (cfa inbox)";

/** Why a question takes no answer of a person, as the rest of a sentence about it; `record` is its way to its answer. */
export function closedBecause(known: QuestionRecord, record: EscalationRecord | undefined): string {
  const last = record?.exchanges.at(-1);
  if (known.answer !== undefined) {
    if (record?.answer?.byProxy === true) return "has been answered already, by the proxy";
    if (record !== undefined && last === undefined)
      return "has been answered already, by cfa itself: it was not put to a human";
    if (last?.byDefault === true) return "has been answered already, by its default answer";
    return "has been answered already";
  }
  if (known.ended || known.asking) return "has ended without an answer";
  if (last === undefined || last.replied === null) return "is not put to a human";
  return "has been answered already; the proxy works on the answer";
}

/** A question that has just been asked, in the turn that has ended with it. */
export function newQuestion(
  asked: Pick<QuestionRecord, "id" | "thread" | "policy" | "text" | "since">,
  turn: EntryBody<"turn"> | undefined,
): QuestionRecord {
  const own = turn?.defaults?.find(({ question }) => question === asked.id);
  const at = (millis: number) => new Date(Date.parse(asked.since) + millis).toISOString();
  return {
    ...asked,
    default: own && { answer: own.answer, at: at(own.millis) },
    notified: false,
    asking: false,
    answer: undefined,
    ended: false,
  };
}

/** The question is over, answered or not. */
export function endQuestion(question: QuestionRecord): void {
  question.ended = true;
  question.asking = false;
}

/** What a firing of the rules of escalation changes in the record of its question. */
export function foldQuestion(questions: ReadonlyMap<QuestionId, QuestionRecord>, firing: Firing): void {
  const known = questions.get(firing.at["e"] ?? "");
  if (known === undefined) return;
  if (firing.rule === "escalate") {
    known.asking = true;
    known.notified = false;
    known.text = firing.choice?.y?.body ?? known.text;
  }
  if (firing.rule === "human-reply") known.asking = false;
  if (firing.rule !== "respond") return;
  endQuestion(known);
  known.answer = firing.choice?.a?.body;
}
