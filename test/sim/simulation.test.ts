/** The simulation: one seed is one run, byte for byte, wherever its log is kept; and what cfa is today passes its checkers. */
import { expect, test } from "vitest";
import { seedOfRun } from "../../sim/choice.ts";
import { judge } from "../../sim/judge.ts";
import { simulate } from "../../sim/run.ts";

const RUNS = Array.from({ length: 12 }, (_, at) => seedOfRun(7, at + 1));

test.each(RUNS)("seed %i gives the same log, and the same steps to it, every time", async (seed) => {
  const one = await simulate(seed);
  const other = await simulate(seed);
  expect(JSON.stringify(other.rows)).toBe(JSON.stringify(one.rows));
  expect(other.steps).toBe(one.steps);
  expect(other.world.witness.sights).toEqual(one.world.witness.sights);
});

test.each(RUNS.slice(0, 3))("seed %i gives the same log in a SQLite file as in memory", async (seed) => {
  const inMemory = await simulate(seed);
  const inFile = await simulate(seed, "sqlite");
  // The hash is over all that an entry says, and over the one before it.
  expect(inFile.rows.map(({ hash }) => hash)).toEqual(inMemory.rows.map(({ hash }) => hash));
});

test("another seed is another run", async () => {
  const logs = new Set<string>();
  for (const seed of RUNS) logs.add((await simulate(seed)).rows.at(-1)?.hash ?? "");
  expect(logs.size).toBe(RUNS.length);
});

test("the checkers find nothing", async () => {
  for (let run = 1; run <= 60; run++) {
    const simulated = await simulate(seedOfRun(8, run));
    expect(judge(simulated), `run ${run} of seed 8`).toBe(undefined);
  }
});
