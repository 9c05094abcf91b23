/**
 * The bus as four small asynchronous ports, so that a distributed store can stand behind them.
 *
 * B1. `commit` takes one data structure, never a callback; it happens whole or not at all.
 * B2. A commit with a stale epoch or sequence is refused with a {@link StaleCommit}; nothing is written.
 * B3. Log rows are never changed or deleted.
 * B4. No commit spans jobs: one bus serves one job.
 */
import type { Draft, Entry } from "./entry.ts";

/** What one commit carries. */
export type Commit = {
  /** Number of the newest entry that the writer knows; 0 for an empty log. */
  readonly expected: number;
  /** Fencing epoch of the writer, from {@link Ownership.claim}. */
  readonly epoch: number;
  /** What happened, in order; all entries get one round number. */
  readonly drafts: readonly Draft[];
  /** Inbox items that these entries take up; they are never offered again. */
  readonly consumed: readonly string[];
};

/** A commit was refused: somebody else owns the job or has written since. */
export class StaleCommit extends Error {
  override readonly name = "StaleCommit";
}

/** A value cached with the entry up to which it stands; may be deleted at any time. */
export type Checkpoint = { readonly seq: number; readonly state: string };

/** The append-only log of one job. */
export interface JobLog {
  /** Appends the drafts as entries, numbers and chains them. Returns them as they stand in the log. */
  commit(commit: Commit): Promise<readonly Entry[]>;
  /**
   * Entries with numbers in (after, upTo], oldest first. Ends at the entry that was newest when reading began;
   * writing while somebody reads disturbs neither.
   */
  read(after?: number, upTo?: number): AsyncIterable<Entry>;
  /** Number, round and hash of the newest entry; 0, 0 and 64 zeros for an empty log. */
  head(): Promise<{ readonly seq: number; readonly round: number; readonly hash: string }>;
  /** The newest checkpoint, if any. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** Stores a checkpoint in place of the one before. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
}

/** What somebody outside wants: to answer, interrupt, withdraw, tell, resume, pause, resolve; `fork` tells of one. */
export type InboxItem = {
  /** Minted by the poster; posting the same id twice is posting once. */
  readonly id: string;
  readonly verb: "answer" | "interrupt" | "withdraw" | "tell" | "resume" | "pause" | "resolve" | "fork";
  /** Question id (with `#N`: the N-th time that it is put to the human), thread id, path or number of an entry; empty for the job as a whole. */
  readonly target: string;
  readonly text: string;
  /** Who: a user name, or a process. */
  readonly by: string;
};

/** Where any process or host leaves a wish for the owner of the job. */
export interface Inbox {
  /** Leaves an item and wakes subscribers. Needs no ownership. An id that was posted before is ignored, consumed or not. */
  post(item: InboxItem): Promise<void>;
  /** Items not yet consumed, oldest first. */
  pending(): Promise<readonly InboxItem[]>;
}

/** Who runs a job. */
export type Owner = {
  readonly host: string;
  readonly pid: number;
  /** Start time of the process as the system tells it, to recognise a reused pid. */
  readonly started: string;
  /** When it claimed the job, by the store's clock, ISO 8601. */
  readonly since: string;
  readonly epoch: number;
  /** The lease has run out, or the process is dead: the job may be claimed. */
  readonly expired: boolean;
};

/** The result of a claim: the epoch to commit with, or who has it. */
export type Claim = { readonly epoch: number } | { readonly owner: Owner };

/** One writer per job, by a lease and a fencing epoch; times are the store's clock. */
export interface Ownership {
  /**
   * Takes the job unless another live owner has it. A dead process of the same host is taken over at once. Every claim
   * raises the epoch, also one by the bus that has the job; a second bus of the same process is another owner.
   */
  claim(): Promise<Claim>;
  /** Extends the lease; false when the epoch is no longer the owner's. */
  beat(epoch: number): Promise<boolean>;
  /** Gives the job up, if the epoch is still the owner's. */
  release(epoch: number): Promise<void>;
  /** The present owner, if any. */
  owner(): Promise<Owner | undefined>;
}

/**
 * How often a waiting process looks for itself, in milliseconds: the longest that a lost hint can delay anything.
 * What it polls is {@link Inbox.pending} and {@link JobLog.head}.
 */
export const POLL_MILLIS = 500;

/**
 * Hints that something changed; they may be lost or come twice, polling is the guarantee ({@link POLL_MILLIS}).
 * A post to the inbox notifies; a commit does not, its writer calls `notify` when readers should look.
 */
export interface Wake {
  /** Calls `listener` when something may have changed. Returns the end of the subscription. */
  subscribe(listener: () => void): () => void;
  /** Tells subscribers in this and in other processes. */
  notify(): void;
}

/** The bus of one job. */
export interface Bus {
  readonly job: string;
  readonly log: JobLog;
  readonly inbox: Inbox;
  readonly ownership: Ownership;
  readonly wake: Wake;
  /** Gives up what this bus still owns and lets go of the store. Closing twice is closing once. */
  close(): Promise<void>;
}
