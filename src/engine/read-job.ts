/** Reading a job back from its log: the same folds that the engine uses, without an engine. */
import type { StateRecord } from "../job/state-record.ts";
import { Orchestrator } from "../job/orchestrator.ts";
import type { Entry } from "../persistence/entry.ts";
import { foldEntry } from "../persistence/fold.ts";
import type { Bus } from "../persistence/ports.ts";
import { complete } from "../rules/table.ts";
import { Ledger } from "../runtime/ledger.ts";
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

/** Folds a job entry by entry. */
export class JobReader {
  readonly #director = new Orchestrator();
  readonly ledger = new Ledger((thread) => this.#director.treeOf(thread));
  configuration = Configuration.empty();
  seq = 0;
  at = "";

  /** Takes up the next entry. Throws LogInvalid when the rules do not allow it. */
  apply(entry: Entry): void {
    this.configuration = foldEntry(complete, this.configuration, entry);
    this.ledger.apply(entry);
    this.#director.apply(entry, this.ledger);
    this.seq = entry.seq;
    this.at = entry.at;
  }

  /** The job after the entries so far; undefined before the first. */
  job(): ReadJob | undefined {
    if (this.seq === 0) return undefined;
    const { ledger, configuration, seq, at } = this;
    return { record: this.#director.record, ledger, configuration, seq, at };
  }
}

/** The job that a bus holds; undefined when its log is empty. */
export async function openJobRecord(bus: Bus): Promise<ReadJob | undefined> {
  const reader = new JobReader();
  for await (const entry of bus.log.read()) reader.apply(entry);
  return reader.job();
}
