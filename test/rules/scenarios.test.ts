import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scenarioSchema, walk } from "./walk.ts";

const folder = new URL("../scenarios/", import.meta.url);

for (const file of readdirSync(folder).sort()) {
  const scenario = scenarioSchema.parse(JSON.parse(readFileSync(new URL(file, folder), "utf8")));
  test(`${scenario.name}: ${scenario.about ?? scenario.rules}`, () => {
    const found = walk(scenario);
    const { finalSoups, finalClosed, ...expected } = scenario.expected;
    const finals = finalSoups.map((soup, at) => ({ soup, closed: finalClosed[at] }));
    expect({ finals: found.finals, stuck: found.stuck, violations: found.violations }).toEqual({
      finals,
      stuck: expected.stuck,
      violations: expected.violations,
    });
    expect(found.states).toBe(expected.reachableStates);
  });
}
