/**
 * Simulated time: it stands still until the run moves it.
 *
 * Z1. Timers fire in the order of their times, those of one time in the order in which they were set.
 * Z2. A timer of a dead actor never fires; one of a frozen actor fires when it lives again.
 */
import type { Clock } from "../src/runtime/clock.ts";
import type { Actor } from "./tasks.ts";

type Timer = { readonly actor: Actor; readonly at: number; readonly wake: () => void };

const BEGIN = Date.parse("2026-01-01T00:00:00.000Z");

/** See the header. */
export class Time {
  #now = BEGIN;
  #timers: Timer[] = [];

  now(): Date {
    return new Date(this.#now);
  }

  /** The clock as an actor has it. */
  clockOf(actor: Actor): Clock {
    return {
      now: () => this.now(),
      timer: (millis, wake) => {
        const timer = { actor, at: this.#now + Math.max(millis, 0), wake };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((one) => one !== timer);
        };
      },
    };
  }

  /** Lets `millis` pass and fires what is due on the way. */
  pass(millis: number): void {
    const until = this.#now + millis;
    for (let timer = this.#next(); timer !== undefined && timer.at <= until; timer = this.#next()) {
      this.#fire(timer);
    }
    this.#now = until;
  }

  /** Goes to the next timer and fires it; false when there is none. */
  toNextTimer(): boolean {
    const timer = this.#next();
    if (timer === undefined) return false;
    this.#fire(timer);
    return true;
  }

  #next(): Timer | undefined {
    this.#timers = this.#timers.filter(({ actor }) => actor.state !== "dead");
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.actor.state === "live" && (first === undefined || timer.at < first.at)) first = timer;
    return first;
  }

  #fire(timer: Timer): void {
    this.#timers = this.#timers.filter((one) => one !== timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.wake();
  }
}
