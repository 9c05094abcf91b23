/** The law: every reachable configuration of `complete` satisfies all invariants. */
import { expect, test } from "vitest";
import { brokenInvariants } from "../../src/rules/invariants.ts";
import { literal } from "../../src/rules/table.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import { checkJobs } from "./check.ts";
import { CAP, RandomJob, ROOT } from "./random-job.ts";

/** Live threads that hang under nothing: neither the root nor the child of a thread. */
function orphans(configuration: Configuration): string[] {
  return [...configuration.cells()]
    .filter((cell) => cell.lifecycles.length + cell.mailboxes.length + cell.questions.length > 0)
    .filter((cell) => cell.terminates.length === 0 && cell.up.length === 0 && cell.thread !== ROOT)
    .map((cell) => `${cell.thread} hangs under nothing`);
}

/** Threads with two agents, and those with more open children than the cap allows. */
function crowded(configuration: Configuration): string[] {
  return [...configuration.cells()].flatMap(({ lifecycles, mailboxes, thread }) => [
    ...(lifecycles.length > 1 || mailboxes.length > 1 ? [`${thread} has two instances`] : []),
    ...(configuration.openChildren(thread) > CAP ? [`${thread} has more than ${CAP} open children`] : []),
  ]);
}

test("every reachable configuration of complete satisfies all invariants", () => {
  checkJobs(1_300, (job, steps) => {
    job.run(steps, () => {
      const broken = brokenInvariants(job.configuration).map(({ what }) => what);
      const all = [...broken, ...orphans(job.configuration), ...crowded(job.configuration)];
      if (all.length > 0) throw new Error(all.join("; "));
    });
  });
});

test("the same search finds what is wrong with literal", () => {
  const found = new Set<string>();
  for (let seed = 0; seed < 120; seed++) {
    const job = new RandomJob(literal);
    const steps = Array.from({ length: 60 }, (_, at) => seed * 1_000 + at);
    job.run(steps, () => {
      for (const { invariant } of brokenInvariants(job.configuration)) found.add(invariant);
    });
  }
  expect([...found].sort()).toEqual(expect.arrayContaining(["parent-cycle", "two-parents"]));
});
