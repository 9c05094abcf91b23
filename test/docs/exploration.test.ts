/** docs/exploration.md: its scenario comes out as it expects, and its example is what the command prints. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { differences, runScenario } from "../../src/rules/explore/run-scenario.ts";
import { parseScenario } from "../../src/rules/explore/scenario.ts";
import { here } from "../cli/fixture.ts";

const top = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(new URL("../../docs/exploration.md", import.meta.url), "utf8");

test("the scenario of the page comes out as it expects", () => {
  const [, text = ""] = /```json\n([^`]*)```/u.exec(page) ?? [];
  const scenario = parseScenario(text);
  if (scenario.expected === undefined) expect.unreachable("the example expects nothing");
  else expect(differences(scenario.expected, runScenario(scenario))).toEqual([]);
});

test("the example is what the command prints", async () => {
  const [, words = "", output = ""] = /```\n\$ cfa ([^\n]*)\n([^`]*)\n```/u.exec(page) ?? [];
  expect((await here(top, ...words.split(" "))).out).toBe(output);
});

test("the page names every option", async () => {
  const { out } = await here(top, "explore", "--help");
  for (const option of ["--rules", "--reduce", "--max-states", "--json"]) {
    expect([option, out.includes(option), page.includes(option)]).toEqual([option, true, true]);
  }
});
