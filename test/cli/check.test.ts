/** `cfa check`: the main example passes; what is broken in it is shown, with exit code 7. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { directory, here } from "./fixture.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/release-notes", import.meta.url));

/** A copy of the main example whose job file has been changed. */
function variant(...changes: readonly (readonly [string, string])[]): string {
  const copy = directory();
  cpSync(EXAMPLE, copy, { recursive: true });
  const file = join(copy, "job.yaml");
  const text = changes.reduce(
    (before, [old, young]) => {
      expect(before).toContain(old);
      return before.replace(old, young);
    },
    readFileSync(file, "utf8"),
  );
  writeFileSync(file, text);
  return copy;
}

const few = ["--max-states", "100"];

test("the main example passes, in all of its states", async () => {
  const { code, out, err } = await here(EXAMPLE, "check");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^release-notes: no counterexample\n/);
  expect(out).toContain("(bounds --max-states 3000, --max-turns 100: neither cut)");
  expect(out).toMatch(/ states \((\d+) in INTENT, \1 in PLAN, \1 in EXECUTE\), /);
  expect(out).toContain("DONE is reached in 3 turns");
  expect(out).toContain("Not covered:");
});

test.each<[string, readonly (readonly [string, string])[], RegExp]>([
  [
    "a roster cycle without a budget of turns",
    [
      ["run: [node, writer.mjs]", "run: [node, writer.mjs]\n    roster: [checker]"],
      ["run: [node, checker.mjs]", "run: [node, checker.mjs]\n    roster: [writer]"],
    ],
    /opened without end: the rosters form a cycle \(writer → checker → writer\)\n {2}1\. The job starts[^]*What to do: set budget\.turns/,
  ],
  [
    "always without a human",
    [
      ["EXECUTE: { agent: lead, escalation: never }", "EXECUTE: { agent: lead, escalation: always }"],
      ["deliver: branch", "human: none\ndeliver: branch"],
    ],
    /a question asked in EXECUTE can never be answered[^]*lead \(EXECUTE\) asks a question/,
  ],
  [
    "two turns for three states",
    [["limits:", "budget: { turns: 2 }\nlimits:"]],
    /DONE cannot be reached: INTENT, PLAN, EXECUTE need 3 turns[^]*parked: the budget of 2 turns is spent/,
  ],
])("%s: exit code 7 and the way to it", async (_, changes, says) => {
  const top = variant(...changes);
  const before = readdirSync(top);
  const { code, out } = await here(top, "check", ...few);
  expect(code).toBe(7);
  expect(out).toMatch(says);
  expect(readdirSync(top)).toEqual(before);
});

test("the JSON is the same data", async () => {
  const top = variant(["limits:", "budget: { turns: 2 }\nlimits:"]);
  const { code, out } = await here(top, "check", "job.yaml", "--json", ...few);
  expect(code).toBe(7);
  expect(JSON.parse(out)).toMatchObject({
    job: "release-notes",
    findings: [{ kind: "done-out-of-reach", advice: expect.stringContaining("3") }],
    walked: { states: 100, cut: "maxStates", bounds: { maxStates: 100, maxTurns: 100 } },
    turnsToDone: null,
    worstCase: { turns: 2, openAtOnce: 4 },
    notCovered: expect.arrayContaining([expect.stringContaining("money and tokens")]),
  });
});

test.each([
  [["check", "none.yaml"], "the job file does not exist"],
  [["check", "--max-states", "0"], '--max-states takes a number from 1, not "0"'],
  [["check", "--max-turns", "many"], '--max-turns takes a number from 1, not "many"'],
])("%j is a misuse: exit code 2", async (words, says) => {
  const { code, out, err } = await here(EXAMPLE, ...words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(says);
});
