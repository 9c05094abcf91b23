/** `cfa replay` and `cfa why`: the lines, the filters, and notation that can be read back. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printSoup } from "../../src/soup/print.ts";
import { configurationOf } from "../../src/soup/edit.ts";
import { Configuration } from "../../src/soup/configuration.ts";
import { parseSoup } from "../../src/soup/parse.ts";
import { here } from "./fixture.ts";
import { type Finished, finishedJob } from "./reading-fixture.ts";

let done: Finished;
beforeAll(async () => {
  done = await finishedJob();
});
afterAll(() => done.remove());

const replay = async (...words: readonly string[]) =>
  (await here(done.top, "replay", ...words)).out.split("\n");

test("one line an entry: number, commit, rule, what it consumed and produced", async () => {
  const lines = await replay();
  expect(lines).toHaveLength(done.lines.length);
  expect(lines[0]).toBe(
    "    1  #1     open            ε → Idle(orchestrator,job) ‖ Mailbox(orchestrator,job,[])",
  );
  const wake =
    'Idle(orchestrator,job) ‖ Mailbox(orchestrator,job,["Do it."]) → Run(orchestrator,job,"Do it.") ‖ Mailbox(orchestrator,job,[])';
  expect(lines.find((line) => line.includes("  wake  "))).toMatch(
    new RegExp(`^ +\\d+ {2}#2 {5}wake {12}${escape(wake)}$`),
  );
  expect(await replay(done.file)).toEqual(lines);
});

const escape = (text: string) => text.replaceAll(/[()[\].]/g, String.raw`\$&`);

test.each<[string, readonly string[], RegExp]>([
  ["a rule", ["--rule", "spark"], /^ +\d+ {2}#\d+ +spark /],
  ["an agent", ["--agent", "worker"], /worker/],
  ["a thread by its short name", ["--thread", "PLAN:1"], /PLAN:1/],
  ["numbers", ["--from", "3", "--to", "5"], /^ +[345] {2}/],
])("--%s filters", async (_, words, fits) => {
  const lines = await replay(...words);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.length).toBeLessThan(done.lines.length);
  for (const line of lines) expect(line).toMatch(fits);
});

test("--soup adds the molecules that changed, in whole notation", async () => {
  const lines = await replay("--rule", "send-empty", "--to", "20", "--soup");
  const thread = `job:${done.job}`;
  expect(lines.slice(1, 3)).toEqual([
    `       - Send(orchestrator,${thread},[])`,
    `       + Idle(orchestrator,${thread})`,
  ]);
});

test("--at prints a configuration whose soup can be parsed back", async () => {
  for (const at of [1, Math.floor(done.lines.length / 2), done.lines.length]) {
    const lines = await replay("--at", String(at));
    expect(lines.at(-1)).toBe("given cap = 3");
    const soup = lines.filter((line) => !/^(closed|given) /.test(line));
    expect(printSoup(configurationOf(Configuration.empty(), parseSoup(soup.join(" ‖ "))))).toEqual(
      soup.filter((line) => line !== "ε"),
    );
  }
});

test("--at with --soup prints the molecules that the entry changed", async () => {
  const [line = ""] = await replay("--rule", "send-empty");
  const [number = ""] = /\d+/.exec(line) ?? [];
  const thread = `job:${done.job}`;
  expect(await replay("--at", number, "--soup")).toEqual([
    line,
    `       - Send(orchestrator,${thread},[])`,
    `       + Idle(orchestrator,${thread})`,
  ]);
});

test("--jsonl prints one object a line", async () => {
  const [first = ""] = await replay("--rule", "wake", "--jsonl");
  expect(JSON.parse(first)).toMatchObject({
    kind: "fire",
    rule: "wake",
    produced: [expect.stringMatching(/^Run\(/), expect.anything()],
  });
});

describe("mistakes:", () => {
  test.each([
    [["replay", "--rule", "sparc"], /no rule sparc: did you mean spark\?/],
    [["replay", "--at", "9999"], /ends at entry \d+: there is no entry 9999/],
    [["replay", "--from", "x"], /--from takes the number of an entry/],
    [["replay", "--from", "20", "--to", "10"], /--from 20 is after --to 10/],
    [["replay", "--at", "9", "--jsonl"], /--at prints what stands after one entry, and --jsonl chooses/],
    [["replay", "--at", "9", "--rule", "spark"], /and --rule chooses/],
    [["replay", "--thread", "PLAN:7", "--to", "3"], /has no thread PLAN:7: did you mean PLAN:1\?/],
    [["replay", "--agent", "werker"], /has no agent werker: did you mean worker\?/],
    [["why", "nobody"], /has no thread nobody/],
    [["why", "9999"], /there is no entry 9999/],
    [["step"], /needs a terminal/],
    [["step", "--commands", "jump"], /"jump" is no command of cfa step/],
  ])("%j", async (words, says) => {
    expect(await here(done.top, ...words)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(says),
    });
  });
});

test("why: the end of a delivered job's own tree is not told as if its work were lost", async () => {
  const { out } = await here(done.top, "why", String(done.lines.length));
  expect(out).toMatch(/ deliver +the work was delivered on cfa\//);
  expect(out).toContain("the workspace of the job was removed");
  expect(out).not.toContain("the work of job was dropped");
});

test("why: a sentence, then the causes, newest first, one a line", async () => {
  const { out, code } = await here(done.top, "why", "EXECUTE:1");
  expect(code).toBe(0);
  const [headline, ...causes] = out.split("\n");
  expect(headline).toBe("EXECUTE:1 has ended; newest cause first:");
  const numbers = causes.map((line) => Number(/^ +(\d+) {2}/.exec(line)?.[1]));
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  expect(causes.join("\n")).toMatch(/transition +EXECUTE → DONE by APPROVED_WORK of the skill: ok/);
  const json: unknown = JSON.parse((await here(done.top, "why", done.job, String(numbers[0]), "--json")).out);
  expect(json).toMatchObject({
    causes: expect.arrayContaining([{ seq: numbers[0], what: "term-final", text: "EXECUTE:1 ended" }]),
  });
});
