/** The shipped scenarios through the second, independent engine. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { walk } from "./walk.ts";
import { scenarioSchema } from "./walk-scenario.ts";

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

test("the second engine shares nothing with cfa: it imports its own files, the scenario's form and Node", () => {
  const here = new URL("./", import.meta.url);
  const files = readdirSync(here).filter((file) => /^walk.*\.ts$/u.test(file));
  const imports = files.flatMap((file) =>
    [...readFileSync(new URL(file, here), "utf8").matchAll(/from "([^"]+)"/gu)].map(([, from]) => from),
  );
  expect([...new Set(imports)].sort()).toEqual(["./walk-scenario.ts", "./walk-terms.ts", "node:fs", "zod"]);
});
