/**
 * Notifications: the human is told of an open question outside of cfa, by whatever the job or the user has named (docs/human.md).
 *
 * N1. An effect like any other: derived from what was committed, one for each time a question is put to the human, recorded when it has
 *     come to an end. One that ends when the question has been put to them once more says nothing of that, and is not recorded.
 * N2. A notification that was lost with its process is given again; whoever gets it tells them apart by the question's id and the number
 *     of its exchange.
 * N3. A notification that fails is recorded with the reason and not tried again. It never fails anything else.
 */
import type { AgentName, Policy, QuestionId, ThreadId } from "../soup/message.ts";
import type { View } from "./director.ts";
import { conversationOf } from "../persistence/conversation.ts";
import type { QuestionRecord } from "./question-record.ts";
import type { Launch } from "./tree-effects.ts";

/** A question as it is told; its members are those of the JSON that a notification carries. */
export type Notification = {
  readonly job: string;
  readonly question: QuestionId;
  readonly conversation: ThreadId;
  /** Which time it is put to the human: 1, and more where a proxy asks again. */
  readonly exchange: number;
  /** Who asks, and on which thread. */
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly text: string;
  readonly policy: Policy;
  /** When it was asked, ISO 8601. */
  readonly since: string;
  /** What counts as the answer from `at` on; null when the question waits for ever. */
  readonly default: { readonly answer: string; readonly at: string } | null;
};

/** Tells the human of a question. */
export type Notifier = {
  /** The program or the address, for the log. */
  readonly to: string;
  /** Settles with the reason when it did not work; rejects only for bugs. */
  readonly tell: (notification: Notification, signal: AbortSignal) => Promise<string | undefined>;
};

/** See the header. */
export class Notifications {
  readonly #job: string;
  readonly #notifier: Notifier | undefined;
  readonly #launch: Launch;
  /** By question, the exchange that was told last. */
  readonly #told = new Map<QuestionId, number>();
  readonly #over = new AbortController();

  constructor(job: string, notifier: Notifier | undefined, launch: Launch) {
    this.#job = job;
    this.#notifier = notifier;
    this.#launch = launch;
  }

  /** Starts a notification for each question that is with the human without their having been told so. */
  start(view: View): void {
    if (this.#notifier === undefined) return;
    for (const question of view.ledger.questions.values()) {
      const exchange = view.ledger.escalations.exchange(question.id);
      if (!question.asking || question.notified || this.#told.get(question.id) === exchange) continue;
      this.#start({ ...question, exchange }, view, this.#notifier);
    }
  }

  /** Gives up what is under way. */
  stop(): void {
    this.#over.abort();
  }

  #start(
    question: QuestionRecord & Pick<Notification, "exchange">,
    view: View,
    { to, tell }: Notifier,
  ): void {
    const { id, thread, exchange, text, policy, since, default: own = null } = question;
    const { agent } = view.ledger.thread(thread);
    const whose = { job: this.#job, question: id, conversation: conversationOf(id), exchange, agent, thread };
    this.#told.set(id, exchange);
    this.#launch(async () => {
      const { signal } = this.#over;
      const problem = await tell({ ...whose, text, policy, since, default: own }, signal);
      return () => {
        if (signal.aborted || view.ledger.escalations.exchange(id) !== exchange) return [];
        return [{ kind: "notify", body: { question: id, to, problem: problem ?? null } }];
      };
    });
  }
}
