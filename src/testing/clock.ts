/**
 * A clock that stands still until a test moves it: for `openEngine({ clock })`.
 *
 * Z1. Timers fire inside `advance`, in the order of their time, those of one time in the order in which they were set;
 *     during each the clock shows its time.
 * Z2. A timer that is set during `advance` and is due within it fires in it, too.
 */
import type { Clock } from "../runtime/clock.ts";

/** See the header. */
export type ManualClock = Clock & {
  /** Moves the clock on by `millis` and fires what is due on the way. Returns how many timers fired. */
  advance(millis: number): number;
  /** How many timers are set. */
  readonly timers: number;
};

type Timer = { readonly at: number; readonly wake: () => void };

/** A clock that shows `start`: a date, or ISO 8601 (2026-01-01 in UTC by default). */
export function manualClock(start: Date | string = "2026-01-01T00:00:00.000Z"): ManualClock {
  let now = new Date(start).getTime();
  if (Number.isNaN(now))
    throw new RangeError(`"${String(start)}" is no time; write it like 2026-01-01T00:00:00Z`);
  const timers = new Set<Timer>();
  const due = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers)
      if (timer.at <= until && (first === undefined || timer.at < first.at)) first = timer;
    return first;
  };
  return {
    now: () => new Date(now),
    timer(millis, wake) {
      const timer = { at: now + Math.max(millis, 0), wake };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(millis) {
      const until = now + millis;
      let fired = 0;
      for (let timer = due(until); timer !== undefined; timer = due(until)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.wake();
        fired++;
      }
      now = until;
      return fired;
    },
    get timers() {
      return timers.size;
    },
  };
}
