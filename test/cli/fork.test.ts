/** `cfa fork`: what it says, what it refuses, and that the reading commands know the fork. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { cfa, git, here } from "./fixture.ts";
import { type Finished, finishedJob } from "./reading-fixture.ts";

let done: Finished;
let fork: string;
let said: { readonly code: number | undefined; readonly out: string; readonly err: string };
beforeAll(async () => {
  done = await finishedJob();
  const wake = done.lines.findLastIndex((line) => line.includes('"rule":"wake"')) + 1;
  said = await cfa(done.top, "fork", done.job, "--at", String(wake), "-q");
  fork = `${done.job}-at-${wake}`;
});
afterAll(() => done.remove());

test("it says where the fork goes on, runs it to its end and shows the result", () => {
  expect(said).toMatchObject({ code: 0 });
  expect(said.err).toMatch(new RegExp(`^${fork} goes on from entry \\d+ of ${done.job}$`, "m"));
  expect(said.out).toMatch(new RegExp(`^${fork} is DONE: `));
});

test.each([
  [["status"], /^\S+-at-\d+ {2}DONE {2}/],
  [["log"], / fork +job=/],
  [["replay"], /^ +\d+ +#\d+ +fork +job=/m],
  [["replay", "--thread", "EXECUTE:1"], /Idle\(lead,EXECUTE:1\)/],
  [["step", "--commands", "n 4; print; q"], /Mailbox\(orchestrator,job/],
  [["why"], /^EXECUTE:1 has ended; newest cause first:/],
  [["verify"], /\n {2}forks +what it has taken over is what the log that it names held\n/],
] as const)("cfa %j reads it", async (words, expected) => {
  const [verb, ...rest] = words;
  const target = verb === "why" ? ["EXECUTE:1"] : [];
  const { code, out, err } = await here(done.top, verb, fork, ...target, ...rest);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(expected);
});

test("one of a job that has delivered has the result on its own branch, and says so", async () => {
  const last = done.lines.findIndex((line) => line.includes('"kind":"deliver"')) + 1;
  const { code, out } = await cfa(done.top, "fork", done.job, "--at", String(last), "-q");
  expect(code).toBe(0);
  const own = `cfa/${done.job}-at-${last}`;
  expect(out).toMatch(new RegExp(`^branch ${own} at [0-9a-f]{10}$`, "m"));
  expect(out).toContain(`show one: git show ${own}:b.txt`);
  expect(await git(done.top, "show", `${own}:b.txt`)).toBe("write");
});

test.each([
  [[], "cfa: say where: cfa fork JOB --at N (cfa replay JOB numbers the entries)"],
  [["--at", "0"], 'cfa: --at takes the number of an entry, not "0"'],
  [["--at", "9999"], /^cfa: the log of \S+ holds entries 1 to \d+: there is no entry 9999$/],
] as const)("%j is refused with a sentence and exit code 2", async (words, sentence) => {
  const jobs = () => readdirSync(join(done.top, ".cfa", "jobs"));
  const before = jobs();
  const { code, out, err } = await here(done.top, "fork", done.job, ...words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(sentence);
  expect(jobs()).toEqual(before);
});
