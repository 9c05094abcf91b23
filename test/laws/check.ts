/**
 * How laws are checked: over random cases, 10,000 in all in a default run. `CFA_LAWS=100000 npx vitest run test/laws` checks more.
 *
 * A failure prints the seed and path that find it again, the smaller case to which it was shrunk, and that case step by step
 * in notation.
 */
import fc from "fast-check";
import type { RuleTable } from "../../src/rules/table.ts";
import { complete } from "../../src/rules/table.ts";
import { RandomJob } from "./random-job.ts";

const TOTAL = 10_000;
const wanted = Number(process.env["CFA_LAWS"] ?? TOTAL);
if (!(wanted > 0)) throw new Error(`CFA_LAWS is a number of cases, not "${process.env["CFA_LAWS"] ?? ""}"`);

/** The seeds of a job's steps. Shrinking leaves steps out; a smaller seed is not a simpler step. */
export const seeds: fc.Arbitrary<readonly number[]> = fc.array(fc.noShrink(fc.nat()), {
  minLength: 1,
  maxLength: 60,
  size: "max",
});

/** Checks a property on `cases` of the 10,000. */
export function check<T>(cases: number, random: fc.Arbitrary<T>, holds: (value: T) => void): void {
  const numRuns = Math.ceil((cases * wanted) / TOTAL);
  fc.assert(fc.property(random, holds), { numRuns, includeErrorInReport: true });
}

/** Checks a property of random jobs; `given` is one more random number. The steps of a job that breaks it are printed. */
export function checkJobs(
  cases: number,
  holds: (job: RandomJob, steps: readonly number[], given: number) => void,
  table: RuleTable = complete,
): void {
  check(cases, fc.tuple(seeds, fc.noShrink(fc.nat())), ([steps, given]) => {
    const job = new RandomJob(table);
    try {
      holds(job, steps, given);
    } catch (error) {
      const problem = String(error);
      throw new Error([problem, "in this job:", ...job.lines().map((line) => `  ${line}`)].join("\n"), {
        cause: error,
      });
    }
  });
}
