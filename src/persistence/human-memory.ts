/**
 * The memory of a human: every question that was asked in their name, and what they said (CfA §7, "The proxy").
 *
 * M1. Append-only. What turns out wrong is corrected by a record that supersedes it; both stay.
 * M2. Only the proxy is told of it: it is no part of the log, of a workspace, or of the prompt of any other role.
 */

/** One question with the context in which it was asked, and what became of it. */
export type Experience = {
  /** Names it once and for all: noting the same key again changes nothing. */
  readonly key: string;
  /** When the human replied, or the proxy answered. ISO 8601. */
  readonly at: string;
  readonly job: string;
  /** Id of the question in its job. */
  readonly question: string;
  /** Who asked where, under which policy, in which job. */
  readonly context: string;
  readonly text: string;
  /** What the proxy made of it: what it asked the human, or what it answered; null where no proxy took part. */
  readonly view: string | null;
  /** The human's words; null where the proxy answered without them. */
  readonly answer: string | null;
};

/** A record of the memory. */
export type Remembered = Experience & {
  /** Number in this memory, from 1, in the order of noting. */
  readonly id: number;
  /** The record that this one corrects. */
  readonly supersedes: number | null;
  /** The record that corrects this one. */
  readonly corrected: number | null;
  /** Who corrected; null for what was noted by cfa. */
  readonly by: string | null;
};

/** How much is told at most. */
export type RecallBounds = { readonly records: number; readonly bytes: number };

/** The memory of one human. */
export interface HumanMemory {
  /** Notes experiences; those whose key is known already are left out. */
  note(experiences: readonly Experience[]): Promise<void>;
  /** What bears on these words: the best matches and the newest records, no corrected ones, in the order of noting. */
  recall(words: string, bounds: RecallBounds): Promise<readonly Remembered[]>;
  /** All records, or those that match the words, in the order of noting. */
  list(words?: string): Promise<readonly Remembered[]>;
  /** The record with this number; undefined when there is none. */
  find(id: number): Promise<Remembered | undefined>;
  /**
   * Corrects a record: the human's words are these. Returns the number of the new record, or a sentence when there is no such
   * record, or another one has corrected it already.
   */
  correct(
    id: number,
    answer: string,
    by: string,
    at: string,
  ): Promise<{ readonly id: number } | { readonly refused: string }>;
  close(): Promise<void>;
}
