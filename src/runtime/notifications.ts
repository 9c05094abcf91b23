/**
 * Notifications: the human is told of an open question outside of cfa, by whatever the job or the user has named (docs/human.md).
 *
 * N1. An effect like any other: derived from what was committed, one for each question, recorded when it has come to an end.
 * N2. A notification that was lost with its process is given again; whoever gets it tells them apart by the question's id.
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
  readonly #underWay = new Set<QuestionId>();
  readonly #over = new AbortController();

  constructor(job: string, notifier: Notifier | undefined, launch: Launch) {
    this.#job = job;
    this.#notifier = notifier;
    this.#launch = launch;
  }

  /** Starts a notification for each question that is open and that nobody has been told of. */
  start(view: View): void {
    if (this.#notifier === undefined) return;
    for (const question of view.ledger.questions.values()) {
      if (!question.asking || question.notified || this.#underWay.has(question.id)) continue;
      this.#start(question, view, this.#notifier);
    }
  }

  /** Gives up what is under way. */
  stop(): void {
    this.#over.abort();
  }

  #start(question: QuestionRecord, view: View, { to, tell }: Notifier): void {
    const { id, thread, text, policy, since, default: own = null } = question;
    const { agent } = view.ledger.thread(thread);
    const whose = { job: this.#job, question: id, conversation: conversationOf(id), agent, thread };
    this.#underWay.add(id);
    this.#launch(async () => {
      const { signal } = this.#over;
      const problem = await tell({ ...whose, text, policy, since, default: own }, signal);
      return () => {
        this.#underWay.delete(id);
        if (signal.aborted) return [];
        return [{ kind: "notify", body: { question: id, to, problem: problem ?? null } }];
      };
    });
  }
}
