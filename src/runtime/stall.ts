/**
 * Stall detection: a running turn of which nothing has been heard for too long is ended (job.yaml `limits.stall`).
 *
 * S1. The time counts from the newest event of the turn; before the program has started it does not count.
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

/** Watches a turn; calls `stop` once when nothing is heard for `limit` milliseconds. Null is no limit. */
export function watchStall(clock: Clock, limit: number | null, stop: () => void): StallWatch {
  let cancel = () => {};
  let stalled = false;
  const expire = () => {
    stalled = true;
    stop();
  };
  return {
    heard: () => {
      cancel();
      if (limit !== null && !stalled) cancel = clock.timer(limit, expire);
    },
    end: () => cancel(),
    stalled: () => stalled,
  };
}
