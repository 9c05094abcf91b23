/** Jobs on a clock that moves when a test says so. */
import { memoryBus } from "../../src/persistence/memory.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { type Keys, makeEngine, type Scripts, startJob } from "./fixture.ts";

/** A clock that stands still; timers fire when it is moved past them. */
export class ManualClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  readonly #timers = new Set<{ readonly at: number; readonly wake: () => void }>();

  now(): Date {
    return new Date(this.#now);
  }

  timer(millis: number, wake: () => void): () => void {
    const timer = { at: this.#now + millis, wake };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  advance(millis: number): void {
    this.#now += millis;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.wake();
    }
  }
}

/** Starts a job whose engine and log tell the time by a clock of the test. */
export async function startTimed(keys: Keys, scripts: Scripts) {
  const clock = new ManualClock();
  const engine = makeEngine({ clock, bus: (job) => memoryBus(job, { clock: () => clock.now() }) });
  return { clock, ...(await startJob(keys, scripts, { engine })) };
}
