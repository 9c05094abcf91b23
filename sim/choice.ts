/**
 * The choices of a run: everything that is left open is chosen here, from one seed.
 *
 * C1. The same seed and the same questions in the same order give the same choices, on every machine.
 */
import { randomFrom } from "../src/testing/random.ts";

/** Chooses; made by {@link choicesFrom}. */
export type Choices = {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** True in `percent` of 100 cases. */
  percent(percent: number): boolean;
  /** One of these; there must be one. */
  one<T>(from: readonly T[]): T;
  /** One of these, each as often as its weight says. */
  weighted<T>(from: readonly (readonly [weight: number, what: T])[]): T;
};

/** The choices that follow from a seed (C1). */
export function choicesFrom(seed: number): Choices {
  const below = randomFrom(seed);
  const one = <T>(from: readonly T[]): T => {
    const [...items] = from;
    const [item] = items.slice(below(items.length));
    if (item === undefined) throw new RangeError("there is nothing to choose from");
    return item;
  };
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    percent: (percent) => below(100) < percent,
    one,
    weighted: (from) => {
      let left = below(from.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, what] of from) {
        if (left < weight) return what;
        left -= weight;
      }
      throw new RangeError("there is nothing to choose from");
    },
  };
}

/** The seed of run number `run` (from 1) of the runs from `seed`: well apart from its neighbours', and 1 to 2³² - 1. */
export function seedOfRun(seed: number, run: number): number {
  let mixed = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(run, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0 || 1;
}
