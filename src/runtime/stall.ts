/**
 * Stall detection: a running turn of which nothing has been heard for too long is ended (job.yaml `limits.stall`).
 *
 * S1. The time counts from the newest event of the turn; before the program has started it does not count.
 * S2. While its thread has a question open, an agent may be silent as long as it likes.
 */
import type { Clock } from "./clock.ts";

/** The watch over one turn. */
export type StallWatch = {
  /** Something was heard: the time starts anew. */
  readonly heard: () => void;
  /** The turn is over. */
  readonly end: () => void;
  /** The time ran out. */
  readonly stalled: () => boolean;
};

/** What is watched for. */
export type StallLimit = {
  /** Longest silence, milliseconds; null is no limit. */
  readonly limit: number | null;
  /** Silence does not count now (S2). */
  readonly exempt: () => boolean;
};

/** Watches a turn; calls `stop` once when nothing is heard for as long as the limit. */
export function watchStall(clock: Clock, { limit, exempt }: StallLimit, stop: () => void): StallWatch {
  let cancel = () => {};
  let stalled = false;
  const start = () => {
    if (limit !== null && !stalled) cancel = clock.timer(limit, expire);
  };
  const expire = () => {
    if (exempt()) return start();
    stalled = true;
    stop();
  };
  return {
    heard: () => {
      cancel();
      start();
    },
    end: () => cancel(),
    stalled: () => stalled,
  };
}

const STALLED = "nothing was heard of it for ";

/** Why a turn that has stalled has failed. */
export function stallFailure(limit: number): string {
  return `${STALLED}${limit / 1000} s`;
}

/** Whether that is why a turn has failed. */
export function isStallFailure(failure: string | null): boolean {
  return failure?.startsWith(STALLED) ?? false;
}
