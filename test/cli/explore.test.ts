/** `cfa explore`: what it prints, how it exits, what it says of files that it cannot use. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { cfa, cfaWith, directory, here } from "./fixture.ts";

const scenarios = fileURLToPath(new URL("../scenarios/", import.meta.url));
const printed = z.object({
  states: z.number(),
  finals: z.array(z.strictObject({ soup: z.array(z.string()), closed: z.array(z.string()) })),
  stuck: z.number(),
  violations: z.array(z.strictObject({ invariant: z.string(), trace: z.array(z.string()) })),
  complete: z.boolean(),
});

test.each(readdirSync(scenarios))(
  "%s: the JSON is what the file expects, the exit code follows from it",
  async (file) => {
    const { expected } = JSON.parse(readFileSync(join(scenarios, file), "utf8"));
    const { code, out, err } = await here(scenarios, "explore", file, "--json");
    const found = printed.parse(JSON.parse(out));
    const { finals, violations, ...rest } = found;
    expect({
      reachableStates: rest.states,
      finalSoups: finals.map(({ soup }) => soup),
      finalClosed: finals.map(({ closed }) => closed),
      stuck: rest.stuck,
      violations: violations.map(({ invariant }) => invariant),
    }).toEqual(expected);
    expect([rest.complete, err]).toEqual([true, ""]);
    expect(code).toBe(expected.stuck > 0 || expected.violations.length > 0 ? 7 : 0);
  },
);

test("the text says how many, lists the finals and shows the way to what is wrong", async () => {
  const { code, out } = await cfa(scenarios, "explore", "l_other_agents_thread.json");
  expect(code).toBe(7);
  expect(out.split("\n")).toEqual([
    "l_other_agents_thread, rules literal: 7 configurations",
    "1 final, 0 of them stuck; invariants broken: 1",
    "  Idle(C,t1) ‖ Idle(D,t1) ‖ Idle(R,t0) ‖ Mailbox(C,t1,[]) ‖ Mailbox(D,t1,[]) ‖ Mailbox(R,t0,[]) ‖ Parent(t1,t0) ‖ Parent(t1,t0)",
    "",
    "the way to a soup that breaks two-parents:",
    "  Idle(C,t1) ‖ Mailbox(C,t1,[]) ‖ Mailbox(R,t0,[]) ‖ Parent(t1,t0) ‖ Send(R,t0,[deliver(D,t1,x)])",
    "  → spark",
    "  Idle(C,t1) ‖ Idle(D,t1) ‖ Mailbox(C,t1,[]) ‖ Mailbox(D,t1,[x]) ‖ Mailbox(R,t0,[]) ‖ Parent(t1,t0) ‖ Parent(t1,t0) ‖ Send(R,t0,[])",
  ]);
});

test("--rules takes the other table, --reduce needs fewer configurations", async () => {
  const cured = await here(scenarios, "explore", "l_other_agents_thread.json", "--rules", "complete");
  expect([cured.code, cured.out.split("\n")[0]]).toEqual([
    0,
    "l_other_agents_thread, rules complete: 5 configurations",
  ]);
  const reduced = await here(scenarios, "explore", "c_fan_out.json", "--reduce", "--json");
  expect(printed.parse(JSON.parse(reduced.out)).states).toBeLessThan(999);
  expect([reduced.code, reduced.err]).toEqual([0, ""]);
});

test("a bound that cuts is said, with what is proven", async () => {
  const { code, out, err } = await here(
    scenarios,
    "explore",
    "c_fan_out.json",
    "--max-states",
    "100",
    "--json",
  );
  expect(printed.parse(JSON.parse(out))).toMatchObject({ states: 100, complete: false });
  expect(err).toBe(
    "cut at 100 configurations: every configuration that is reached in at most 9 firings was checked, others were not; --max-states raises the bound; --reduce gets farther",
  );
  expect(code).toBe(0);
});

test("a scenario that does not come out as expected is said", async () => {
  const file = join(directory(), "x.json");
  const text = readFileSync(join(scenarios, "c_cap.json"), "utf8");
  writeFileSync(file, text.replace('"reachableStates": 529', '"reachableStates": 1'));
  const { code, err } = await here(scenarios, "explore", file);
  expect([code, err]).toEqual([
    0,
    `differs from what ${file} expects: configurations: expected 1, found 529`,
  ]);
});

test("standard input is a file, too", async () => {
  const input = '{"name":"x","initial":["Idle(A,t)"]}';
  const { code, out } = await cfaWith({ cwd: directory(), input }, "explore", "-");
  expect([code, out.split("\n")[0]]).toEqual([0, "x, rules complete: 1 configuration"]);
});

test.each<[string, string | Buffer | undefined, string]>([
  [
    "x.json",
    Buffer.from('{"name":"x\xff","initial":[]}', "latin1"),
    "x.json is no UTF-8 text: save it as UTF-8",
  ],
  [
    "nothing.json",
    undefined,
    "nothing.json cannot be read (ENOENT): give a scenario file, see docs/exploration.md",
  ],
  [".", undefined, ". cannot be read (EISDIR): give a scenario file, see docs/exploration.md"],
  [
    "x.json",
    "{",
    "x.json: line 1, column 2: not JSON: expected a key in double quotes, on one line, with valid escapes, found the end",
  ],
  [
    "x.json",
    '{"name":"x",\n"initial":["Idle(A,t","Run(A)"]}',
    'x.json: line 2, column 12: initial[0]: in the notation, line 1, column 9: expected ")", found the end\n' +
      '     x.json: line 2, column 23: initial[1]: in the notation, line 1, column 6: expected ",", found ")"',
  ],
])("%s: %s is refused with a sentence and exit code 2", async (file, text, sentence) => {
  const cwd = directory();
  if (text !== undefined) writeFileSync(join(cwd, file), text);
  expect(await here(cwd, "explore", file)).toEqual({ code: 2, out: "", err: `cfa: ${sentence}` });
});

test.each(["0", "-1", "many", "1e3"])("--max-states %s is refused", async (count) => {
  const { code, err } = await here(scenarios, "explore", "c_cap.json", `--max-states=${count}`);
  expect([code, err]).toEqual([2, `cfa: --max-states takes a number from 1, not "${count}"`]);
});
