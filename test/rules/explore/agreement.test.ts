/** Exploration against the independent engine (../walk.ts), and the reduced walk against the full one. */
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Exploration } from "../../../src/rules/explore/explore.ts";
import { differences, runScenario } from "../../../src/rules/explore/run-scenario.ts";
import { parseScenario } from "../../../src/rules/explore/scenario.ts";
import { walk } from "../walk.ts";
import { scenario as anyScenario } from "./random-scenario.ts";

const folder = new URL("../../scenarios/", import.meta.url);

/** What does not depend on the number of configurations. */
function verdicts({ finals, stuck, violations }: Exploration) {
  return {
    finals: finals.map(({ soup, closed }) => ({ soup, closed })),
    stuck,
    violations: violations.map(({ invariant }) => invariant),
  };
}

describe.each(readdirSync(folder).sort())("%s", (file) => {
  const scenario = parseScenario(readFileSync(new URL(file, folder), "utf8"));
  const { expected } = scenario;
  if (expected === undefined) throw new Error(`${file} expects nothing`);

  // A table that is wrong may never come to an end.
  const maxStates = 10 * expected.reachableStates;

  test("the full walk finds what is expected", () => {
    expect(differences(expected, runScenario(scenario, { maxStates }))).toEqual([]);
  });

  test("the reduced walk finds the same in at most as many configurations", () => {
    expect(
      differences(expected, runScenario(scenario, { reduce: true, maxStates }), { reduced: true }),
    ).toEqual([]);
  });
});

test("exploration agrees with the independent engine on random scenarios, the reduced one too", () => {
  fc.assert(
    fc.property(anyScenario, (given) => {
      const scenario = parseScenario(JSON.stringify(given));
      const full = runScenario(scenario, { maxStates: 200 });
      if (!full.complete) return;
      const { states, ...others } = walk(given);
      expect({ states: full.states, ...verdicts(full) }).toEqual({ states, ...others });
      const reduced = runScenario(scenario, { reduce: true });
      expect(verdicts(reduced)).toEqual(others);
      expect(reduced.states).toBeLessThanOrEqual(states);
    }),
    { numRuns: Number(process.env["RUNS"] ?? 200) },
  );
});

test("the reduced walk agrees with the full one on larger random scenarios", () => {
  fc.assert(
    fc.property(anyScenario, (given) => {
      const scenario = parseScenario(JSON.stringify(given));
      const full = runScenario(scenario, { maxStates: 1_500 });
      if (!full.complete) return;
      const reduced = runScenario(scenario, { reduce: true });
      expect(verdicts(reduced)).toEqual(verdicts(full));
      expect(reduced.states).toBeLessThanOrEqual(full.states);
    }),
    { numRuns: Number(process.env["RUNS"] ?? 200) },
  );
});
