/**
 * Questions as people see them: what is open, and what has an answer that nobody has taken up yet.
 *
 * Q1. A question whose answer waits in the inbox of its job is not open any more.
 */
import type { InboxItem } from "../../persistence/ports.ts";
import type { Ledger } from "../../runtime/ledger.ts";
import { conversationOf } from "../../persistence/conversation.ts";
import { addressed } from "../../runtime/question-record.ts";
import type { AgentName, Policy, ThreadId } from "../../soup/message.ts";
import { between } from "./elapsed.ts";
import { linesOf, plain } from "./text.ts";
import { threadName } from "./thread-view.ts";

/** An open question. */
export type QuestionView = {
  readonly id: string;
  readonly conversation: ThreadId;
  /** Which time it is put to the human: 1, and more where a proxy asks again. */
  readonly exchange: number;
  /** Who asks, on which thread. */
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly text: string;
  readonly policy: Policy;
  /** When it was asked, ISO 8601. */
  readonly since: string;
  /** What counts as the answer from `at` on; null when the question waits for ever. */
  readonly default: { readonly answer: string; readonly at: string } | null;
};

/** An answer that waits to be taken up. */
export type PendingAnswer = { readonly question: string; readonly text: string; readonly by: string };

/** The open questions of a job (Q1). */
export function questionsOf(ledger: Ledger, pending: readonly PendingAnswer[]): readonly QuestionView[] {
  const answered = new Set(pending.map(({ question }) => question));
  return [...ledger.questions.values()]
    .filter(({ id, asking }) => asking && !answered.has(id))
    .map(({ id, thread, text, policy, since, default: own = null }) => ({
      id,
      conversation: conversationOf(id),
      exchange: ledger.escalations.exchange(id),
      agent: ledger.thread(thread).agent,
      thread,
      text,
      policy,
      since,
      default: own,
    }));
}

/** The answers in an inbox to questions that are open, the first to each. */
export function pendingAnswers(ledger: Ledger, items: readonly InboxItem[]): readonly PendingAnswer[] {
  const first = new Map<string, PendingAnswer>();
  for (const { verb, target, text, by } of items) {
    if (verb !== "answer") continue;
    const { question, exchange: put = ledger.escalations.exchange(question) } = addressed(target);
    if (first.has(question) || put !== ledger.escalations.exchange(question)) continue;
    if (ledger.questions.get(question)?.asking === true) first.set(question, { question, text, by });
  }
  return [...first.values()];
}

/** A question of some job in a few lines. */
export function questionLines(
  { id, agent, thread, text, policy, since, default: own }: QuestionView,
  { job, now, answer }: { readonly job: string; readonly now: Date; readonly answer: string },
): readonly string[] {
  return [
    `${id} of ${job}  ${agent} on ${threadName(thread)}, ${between(since, now)} ago, ${policy}`,
    ...linesOf(text).map((line) => `  ${line}`),
    ...defaultLines(own),
    `    ${answer}`,
  ];
}

/** A question in the words in which it is put to the human now, in as many lines as it has, and how to answer it. */
export function askedLines(
  who: string,
  { id, text, default: own }: Pick<QuestionView, "id" | "text" | "default">,
  answer: string,
): readonly string[] {
  const [first = "", ...more] = linesOf(text);
  const head = `question ${id} of ${who}:`;
  const words =
    more.length === 0 ? [`${head} ${first.trim()}`] : [head, ...[first, ...more].map((line) => `  ${line}`)];
  return [...words, ...defaultLines(own), `    ${answer}`];
}

function defaultLines(own: QuestionView["default"]): readonly string[] {
  return own === null ? [] : [`  at ${own.at} the answer is: ${plain(own.answer)}`];
}
