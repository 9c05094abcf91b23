/**
 * The checkpoint of a database against the fold of its log: every cache says what the log says (docs/log.md, "Checkpoints").
 *
 * V1. One that is not used is no offence when another cfa wrote it, and one when nobody can have written it so.
 */
import type { LogFile } from "../persistence/log-file.ts";
import type { LogCheck, Offence, Step } from "../persistence/verify.ts";
import { checkpointOf, readCheckpoint } from "./checkpoint.ts";
import { JobReader } from "./read-job.ts";
import type { CheckNote } from "./verify-outside.ts";

/** See the header. */
export class CacheCheck implements LogCheck {
  readonly name = "caches";
  readonly says = "its checkpoint is what the entries before it give";
  readonly #seq: number;
  readonly #state: string;
  readonly #reader = new JobReader();
  #met = false;

  constructor(seq: number, state: string) {
    this.#seq = seq;
    this.#state = state;
  }

  readonly step = ({ entry, after }: Step): string | undefined => {
    if (entry.seq > this.#seq) return undefined;
    this.#reader.adopt(entry, after);
    const job = entry.seq < this.#seq ? undefined : this.#reader.job();
    if (job === undefined) return undefined;
    this.#met = true;
    if (checkpointOf(job).state === this.#state) return undefined;
    return "the checkpoint of the database says something else of it than the log: delete it (DELETE FROM checkpoint)";
  };

  /** The offence of a log that has ended at entry `last`, before the checkpoint. */
  missing(last: number): Offence | undefined {
    if (this.#met) return undefined;
    const problem = `the checkpoint stands at entry ${this.#seq}, and the log ends at entry ${last}: it was cut`;
    return { check: this.name, seq: last, claim: "end of the log", problem, found: [] };
  }
}

/** The check of a file's checkpoint, or why there is none to make. */
export function cacheCheck(file: LogFile): CacheCheck | CheckNote {
  const check = "caches";
  if (file.kind === "export") return { check, says: "an export holds none" };
  const stored = file.checkpoint();
  if (stored === undefined) return { check, says: "the database holds none" };
  const reading = readCheckpoint(stored);
  if ("ignored" in reading && !reading.damaged)
    return { check, says: `its checkpoint is not used: ${reading.ignored}` };
  return new CacheCheck(stored.seq, stored.state);
}
