/** The records of the ledger: what is known of a thread and of a question beyond their molecules. */
import type { EntryBody } from "../persistence/entry.ts";
import type { Firing } from "../rules/fire.ts";
import type { AgentName, Policy, QuestionId, ThreadId } from "../soup/message.ts";

/** A question of the job, open or ended. */
export type QuestionRecord = {
  readonly id: QuestionId;
  readonly thread: ThreadId;
  readonly policy: Policy;
  readonly text: string;
  /** Set while the human is asked. */
  asking: boolean;
  answer: string | undefined;
  ended: boolean;
};

/** What is known of one thread. */
export type ThreadRecord = {
  readonly thread: ThreadId;
  readonly agent: AgentName;
  readonly serial: number;
  readonly parent: ThreadId | undefined;
  /** First message, for display. */
  readonly task: string;
  /** Failure does not hold DONE. */
  optional: boolean;
  /** Number of the newest turn, and when its Run began. */
  turn: number;
  since: string;
  turns: number;
  session: string | undefined;
  /** Newest ended turn. */
  last: EntryBody<"turn"> | undefined;
  /** Turns that failed. */
  failures: number;
  /** Payloads refused in a row. */
  refusals: number;
  /** The parent has sent something that has not been replied to. */
  owes: boolean;
  /** Ended for good by failure, and the parent has not yet closed it. */
  failed: boolean;
  /** Dying or ended: how its tree leaves, and who asked. */
  ending: "merge" | "drop" | undefined;
  closed: boolean;
  release: EntryBody<"release"> | undefined;
  /** Identity of the program of the running turn. */
  process: { readonly pid: number; readonly started: string | null } | undefined;
  readonly children: ThreadId[];
};

/** The members of a record that are the same for every thread that has just been opened. */
export const NEW_THREAD = {
  turn: 0,
  turns: 0,
  parent: undefined,
  session: undefined,
  last: undefined,
  failures: 0,
  refusals: 0,
  failed: false,
  ending: undefined,
  closed: false,
  release: undefined,
  process: undefined,
} as const;

/** The question is over, answered or not. */
export function endQuestion(question: QuestionRecord): void {
  question.ended = true;
  question.asking = false;
}

/** What a firing of the rules of escalation changes in the record of its question. */
export function foldQuestion(questions: ReadonlyMap<QuestionId, QuestionRecord>, firing: Firing): void {
  const known = questions.get(firing.at["e"] ?? "");
  if (known === undefined) return;
  if (firing.rule === "escalate") known.asking = true;
  if (firing.rule === "human-reply") known.asking = false;
  if (firing.rule !== "respond") return;
  endQuestion(known);
  known.answer = firing.choice?.a?.body;
}
