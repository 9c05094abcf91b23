/** The clock as a port: the only source of time in the runtime. */
export interface Clock {
  now(): Date;
  /** Calls `wake` once after `millis`; returns how to call it off. */
  timer(millis: number, wake: () => void): () => void;
}

/** Longest delay that the platform's timers take, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  timer(millis, wake) {
    const timer = setTimeout(wake, Math.min(Math.max(millis, 0), LONGEST));
    return () => clearTimeout(timer);
  },
};
