/**
 * When the folds of a job are written beside its log, so that opening it again need not read the whole of it.
 *
 * C1. Written when the job comes to rest after enough entries, and at a clean end: after at least a thousand entries, and at
 *     least one for each hundred characters of the checkpoint before, so that writing them costs a bounded share of writing entries.
 * C2. One that cannot be written is left out: only time is lost by it, and what stands in its way stops the next commit.
 */
import { BusError } from "../persistence/bus-error.ts";

/** Writes a checkpoint of the folds as they stand. Returns its length in characters. */
export type WriteCheckpoint = () => Promise<number>;

const LEAST_ENTRIES = 1_000;
const CHARACTERS_AN_ENTRY = 100;

/** See the header. */
export class Checkpoints {
  readonly #write: WriteCheckpoint | undefined;
  #saved: number;
  #characters = 0;

  /** `saved` is the entry at which the newest checkpoint stands; 0 without one. */
  constructor(write: WriteCheckpoint | undefined, saved: number) {
    this.#write = write;
    this.#saved = saved;
  }

  /** Writes one if enough entries have come, the newest being number `seq` (C1). */
  async offer(seq: number): Promise<void> {
    const entries = Math.max(LEAST_ENTRIES, this.#characters / CHARACTERS_AN_ENTRY);
    if (seq - this.#saved >= entries) await this.#save(seq);
  }

  /** The run ends cleanly with entry `seq`. */
  async settle(seq: number): Promise<void> {
    if (seq > this.#saved) await this.#save(seq);
  }

  async #save(seq: number): Promise<void> {
    this.#saved = seq;
    try {
      this.#characters = (await this.#write?.()) ?? 0;
    } catch (error) {
      if (!(error instanceof BusError)) throw error; // C2
    }
  }
}
