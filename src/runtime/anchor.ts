/**
 * Keeping the newest entry's number and hash outside the log too, so that a log that was cut at its end is recognised
 * (docs/log.md, "The anchor").
 *
 * N1. Moving waits for nothing: while one move is written, only the newest of those that come is remembered.
 * N2. What could not be written is reported by the next move or by `settle`, whichever comes first.
 */
import type { Entry } from "../persistence/entry.ts";

/** Where the anchor is kept. A move to an entry that is older than the one kept is ignored. */
export type AnchorPort = (seq: number, hash: string) => Promise<void>;

type Place = { readonly seq: number; readonly hash: string };

/** See the header. */
export class Anchor {
  readonly #port: AnchorPort | undefined;
  #wanted: Place | undefined;
  #written = 0;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(port: AnchorPort | undefined) {
    this.#port = port;
  }

  /** Wants the anchor at this entry. Throws what an earlier move has met (N2). */
  move(place: Place): void {
    this.#report();
    this.#wanted = place;
    this.#writing ??= this.#write();
  }

  /** Waits until the anchor is at `place`. */
  async settle(place: Place): Promise<void> {
    if (place.seq > this.#written) this.move(place);
    await this.rest();
    this.#report();
  }

  /** Waits until nothing is being written. Never rejects. */
  async rest(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      for (let next = this.#wanted; next !== undefined; next = this.#wanted) {
        this.#wanted = undefined;
        await this.#port?.(next.seq, next.hash);
        this.#written = next.seq;
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#writing = undefined;
    }
  }

  #report(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}

/** Entries that a log which was cut or replaced is not to hide (docs/log.md, "The anchor"). */
const ANCHORED: readonly Entry["kind"][] = ["open", "fork", "resume", "turn", "transition"];

/** A commit with such an entry moves the anchor. */
export function isAnchored({ kind }: Entry): boolean {
  return ANCHORED.includes(kind);
}
