/** What `cfa check` may find. */

/** What is wrong. */
export type FindingKind =
  /** Nothing can happen any more, and the job has not ended. */
  | "deadlock"
  /** No run can reach DONE. */
  | "done-out-of-reach"
  /** A question waits for somebody who does not exist. */
  | "unanswerable-question"
  /** A conversation or a tree outlives what it was opened for. */
  | "left-behind"
  /** Conversations can be opened without end. */
  | "unbounded"
  /** An invariant of the calculus breaks: a bug in cfa. */
  | "invariant";

/** A counterexample. */
export type Finding = {
  readonly kind: FindingKind;
  /** One sentence: what is wrong. */
  readonly what: string;
  /** A way to it with the fewest turns, one line a step. */
  readonly trace: readonly string[];
  /** One sentence: what to change in the job file. */
  readonly advice: string;
};
