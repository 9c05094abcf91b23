/** Reading a job back from its log: the same folds that the engine uses, without an engine. */
import type { StateRecord } from "../job/state-record.ts";
import { Orchestrator } from "../job/orchestrator.ts";
import type { Entry } from "../persistence/entry.ts";
import { foldEntry } from "../persistence/fold.ts";
import { complete } from "../rules/table.ts";
import { Ledger } from "../runtime/ledger.ts";
import type { LedgerForm } from "../runtime/ledger-form.ts";
import { Configuration } from "../soup/configuration.ts";

/** A job as its log tells it. */
export type ReadJob = {
  readonly record: StateRecord;
  readonly ledger: Ledger;
  readonly configuration: Configuration;
  /** Number and time of the newest entry. */
  readonly seq: number;
  readonly at: string;
};

/** All folds of a job, and the entry up to which they stand. */
export type Folds = ReadJob & { readonly hash: string };

/** Folds as they come out of a checkpoint. */
export type SavedFolds = Omit<Folds, "ledger"> & { readonly ledger: LedgerForm };

/** The job has come to an end state, its threads have ended and their trees have left. */
export function hasEnded({ configuration, ledger }: Pick<ReadJob, "configuration" | "ledger">): boolean {
  return configuration.isClosed(ledger.root) && ledger.unreleased.size === 0;
}

/** Folds a job entry by entry. */
export class JobReader {
  readonly director: Orchestrator;
  readonly ledger: Ledger;
  configuration = Configuration.empty();
  seq = 0;
  at = "";
  hash = "";
  #round = 0;

  /** `saved` are the folds to go on from; without them the first entry is the first of the log. */
  constructor(saved?: SavedFolds) {
    const director = new Orchestrator(saved?.record);
    const treeOf = (thread: string) => director.treeOf(thread);
    this.director = director;
    this.ledger = saved === undefined ? new Ledger(treeOf) : Ledger.from(saved.ledger, treeOf);
    if (saved !== undefined)
      ({ configuration: this.configuration, seq: this.seq, at: this.at, hash: this.hash } = saved);
  }

  /** Takes up the next entry. Throws LogInvalid when the rules do not allow it. */
  apply(entry: Entry): void {
    this.adopt(entry, foldEntry(complete, this.configuration, entry));
  }

  /** The same where somebody has the configuration after it already. */
  adopt(entry: Entry, after: Configuration): void {
    if (entry.round !== this.#round) this.ledger.settle(this.configuration);
    this.#round = entry.round;
    this.configuration = after;
    this.ledger.apply(entry);
    this.director.apply(entry, this.ledger);
    this.seq = entry.seq;
    this.at = entry.at;
    this.hash = entry.hash;
  }

  /** The job after the entries so far; undefined before the first. */
  job(): Folds | undefined {
    if (this.seq === 0) return undefined;
    this.ledger.settle(this.configuration);
    const { director, ledger, configuration, seq, at, hash } = this;
    return { record: director.record, ledger, configuration, seq, at, hash };
  }
}
