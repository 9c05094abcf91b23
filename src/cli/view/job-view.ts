/**
 * A job as `cfa status` and the progress of `cfa run` show it, folded from its entries alone.
 *
 * V1. The view after the entries of a log is the same, whoever folds them: status, a live run, or `cfa log --jsonl` read back.
 * V2. What is not known is null, never zero.
 */
import { JobReader, type ReadJob } from "../../engine/read-job.ts";
import type { Transition } from "../../job/machine.ts";
import { waitsIn } from "../../job/readiness.ts";
import type { StateRecord } from "../../job/state-record.ts";
import type { Entry } from "../../persistence/entry.ts";
import type { InboxItem } from "../../persistence/ports.ts";
import type { Spent } from "../../runtime/spending.ts";
import type { ThreadState } from "../../runtime/thread-states.ts";
import { jobBranch } from "../../runtime/workspaces/trees.ts";
import { invariant } from "../../soup/invariant.ts";
import type { AgentName, ThreadId } from "../../soup/message.ts";
import { type ConversationMoment, conversationsOf } from "./conversation-view.ts";
import { type PendingAnswer, pendingAnswers, questionsOf, type QuestionView } from "./question-view.ts";
import { whyOf } from "./thread-view.ts";

/** A thread with everything below it. */
export type ThreadView = {
  readonly thread: ThreadId;
  readonly agent: AgentName;
  /** The agent that runs its turn, or has run its last one, in place of its own; null for none. */
  readonly by: AgentName | null;
  readonly parent: ThreadId | null;
  readonly state: ThreadState;
  /** When it came into this state, ISO 8601. */
  readonly since: string;
  /** The number, in the log, of the turn that runs; null while none does. */
  readonly turn: number | null;
  /** Turns that have ended. */
  readonly turns: number;
  /** Turns that have failed. */
  readonly failures: number;
  readonly why: string;
  readonly spent: Spent;
  /** The conversations of its questions, and the threads below it. */
  readonly children: readonly ThreadView[];
};

/** See the header. Its members are those of `cfa status --json`. */
export type JobView = {
  readonly job: string;
  readonly state: string;
  readonly history: readonly Omit<Transition, "seq">[];
  readonly backtracks: number;
  /** Why the job is parked; null when it is not. */
  readonly parked: string | null;
  readonly questions: readonly QuestionView[];
  /** Answers that nobody has taken up yet; their questions are not open any more. */
  readonly answers: readonly PendingAnswer[];
  readonly threads: ThreadView;
  readonly delivered: {
    readonly branch: string;
    readonly commit: string | null;
    readonly mode: string;
    /** Why it was not delivered as the job asks. */
    readonly problem?: string;
  } | null;
  /** Its end state is reached, its threads have ended and their trees have left. */
  readonly ended: boolean;
  readonly request: string;
  readonly openedAt: string;
  /** Time of the newest entry. */
  readonly at: string;
  readonly spent: Spent;
  /** What confined each agent's last turn; before its first the word of the job: `required`, `preferred`, `advisory`. */
  readonly boundary: Readonly<Record<AgentName, string>>;
};

/** A fork takes over what the other job had delivered, on a branch of its own; what was merged is where it is. */
function deliveredOf({ id, delivered }: StateRecord): JobView["delivered"] {
  if (delivered === null || delivered.mode === "merge") return delivered;
  return { ...delivered, branch: jobBranch(id) };
}

/** Folds a job entry by entry into its view. */
export class JobViewer {
  readonly #reader: JobReader;

  /** `reader` holds what has been folded before. */
  constructor(reader: JobReader = new JobReader()) {
    this.#reader = reader;
  }

  /** Takes up the next entry. Throws LogInvalid when the rules do not allow it. */
  apply(entry: Entry): void {
    this.#reader.apply(entry);
  }

  /** Whether there is an entry yet. */
  get empty(): boolean {
    return this.#reader.seq === 0;
  }

  /** The folds behind the view. */
  get read(): ReadJob {
    const read = this.#reader.job();
    invariant(read !== undefined, "a job is viewed before its first entry");
    return read;
  }

  /** The job after the entries so far; `inbox` is what waits there. */
  view(inbox: readonly InboxItem[] = []): JobView {
    const { read } = this;
    const { record, ledger, configuration } = read;
    const { machine, definition } = record;
    const answers = pendingAnswers(ledger, inbox);
    const questions = questionsOf(ledger, answers);
    const moment: ConversationMoment = {
      configuration,
      ledger,
      parked: record.parked,
      waitsOf: (thread) => waitsIn(definition, thread, read),
      definition,
      open: new Set(questions.map(({ id }) => id)),
    };
    return {
      job: record.id,
      state: machine.state,
      history: machine.history.map(({ seq: _seq, ...transition }) => transition),
      backtracks: machine.backtracks,
      parked: record.parked,
      questions,
      answers,
      threads: threadView(ledger.root, moment),
      delivered: deliveredOf(record),
      ended: configuration.isClosed(ledger.root) && ledger.unreleased.size === 0,
      request: definition.request,
      openedAt: record.openedAt,
      at: read.at,
      spent: ledger.spent,
      boundary: Object.fromEntries(
        Object.entries(definition.agents).map(([name, agent]) => [
          name,
          ledger.overview.boundaryOf(name) ?? (agent.adapter === "script" ? "in-process" : agent.sandbox),
        ]),
      ),
    };
  }
}

function threadView(thread: ThreadId, moment: ConversationMoment): ThreadView {
  const { ledger } = moment;
  const { overview } = ledger;
  const record = ledger.thread(thread);
  const { state, since } = overview.states.of(thread) ?? { state: "ended", since: record.since };
  return {
    thread,
    agent: record.agent,
    by: overview.standInOf(thread) ?? null,
    parent: record.parent ?? null,
    state,
    since,
    turn: state === "running" ? record.turn : null,
    turns: record.turns,
    failures: record.failures,
    why: whyOf(record, state, moment),
    spent: overview.spentOn(thread),
    children: [
      ...conversationsOf(thread, moment),
      ...record.children.map((child) => threadView(child, moment)),
    ],
  };
}
