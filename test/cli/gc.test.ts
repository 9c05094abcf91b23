/** `cfa gc`: what ended jobs leave in the repository goes by age; log, anchor and result stay. */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cfa, git, here, repository, shellJob, start } from "./fixture.ts";
import { type Finished, finishedJob } from "./reading-fixture.ts";

let done: Finished;
beforeEach(async () => {
  done = await finishedJob();
});
afterEach(() => done.remove());

const refsOf = async (top: string): Promise<readonly string[]> =>
  (await git(top, "for-each-ref", "--format=%(refname)")).split("\n");

test("a job is left alone until it is old enough; --dry-run only counts", async () => {
  const { top, job } = done;
  const before = await refsOf(top);
  expect((await here(top, "gc")).out).toMatch(
    new RegExp(`^${job}: left as it is, its newest entry is of 20`),
  );
  const { code, out } = await here(top, "gc", "--older-than", "0", "--dry-run");
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(new RegExp(`^${job}: would remove 0 worktrees and \\d+ private refs$`)),
  });
  expect(await refsOf(top)).toEqual(before);
});

test("worktrees and private refs go, the log tells of it, and it stays valid even when its commits are gone", async () => {
  const { top, job, lines } = done;
  expect((await here(top, "gc", job, "--older-than", "0")).out).toMatch(
    /: removed 0 worktrees and \d+ private refs$/,
  );
  expect(await refsOf(top)).toEqual(
    [`refs/cfa/${job}/anchor`, `refs/heads/cfa/${job}`, "refs/heads/main"].toSorted(),
  );
  expect((await here(top, "gc", "--older-than", "0", "--json")).out).toContain('"refs": 0');
  const log = (await here(top, "log", "--jsonl")).out.split("\n");
  expect(log.slice(0, lines.length)).toEqual(lines);
  expect(log.slice(lines.length)).toEqual([expect.stringContaining('"verb":"gc"')]);
  await git(top, "reflog", "expire", "--expire=now", "--all");
  await git(top, "gc", "--quiet", "--prune=now");
  const { code, out } = await here(top, "verify");
  expect(code).toBe(0);
  expect(out).toMatch(
    /not checked:\n {2}commits +\d+ of the \d+ commits that it names are gone, as entry \d+ has it/,
  );
  const fork = await here(
    top,
    "fork",
    "--at",
    String(lines.findIndex((line) => line.includes('"kind":"turn"')) + 1),
  );
  expect(fork).toMatchObject({ code: 2, out: "" });
  expect(fork.err).toMatch(/ stands on the commit [0-9a-f]{40}, which is no longer in /);
  expect((await here(top, "status")).out).toContain("DONE");
  expect(await here(top, "fork", "--at", String(lines.length))).toMatchObject({ code: 0 });
  const forked = await here(top, "verify", `${job}-at-${lines.length}`);
  expect(forked).toMatchObject({ code: 0 });
  expect(forked.out).toMatch(
    /\n {2}commits +\d+ of the \d+ commits that it names are gone, as entry \d+ has/,
  );
});

test("what a kill in the midst of it has left goes when it is done again", async () => {
  const { top, job } = done;
  const all = await git(
    top,
    "for-each-ref",
    "--format=create %(refname) %(objectname)",
    `refs/cfa/${job}/*/**`,
  );
  expect((await here(top, "gc", "--older-than", "0")).code).toBe(0);
  await execa("git", ["update-ref", "--stdin"], { cwd: top, input: `${all}\n` });
  expect((await here(top, "verify")).code).toBe(0);
  expect((await here(top, "gc", "--older-than", "0")).out).toMatch(
    /: removed 0 worktrees and \d+ private refs$/,
  );
  expect((await here(top, "gc", "--older-than", "0")).out).toMatch(/: nothing is left of it$/);
  expect((await here(top, "verify")).code).toBe(0);
});

test("what is left of a job whose folder was removed is named and goes; its result stays", async () => {
  const { top, job } = done;
  rmSync(join(top, ".cfa", "jobs", job), { recursive: true });
  const line = new RegExp(
    `^${job}: would remove 0 worktrees and \\d+ private refs, no log names it any more$`,
  );
  expect((await here(top, "gc", "--dry-run")).out).toMatch(line);
  expect((await here(top, "gc", "--json")).out).toContain('"gone": true');
  expect(await refsOf(top)).toEqual([`refs/heads/cfa/${job}`, "refs/heads/main"]);
  expect((await here(top, "gc")).out).toBe("");
});

test("a job that has not ended is left as it is", async () => {
  const top = await repository();
  shellJob(top, { lead: "sleep 100" });
  const run = start(top, "run", "-q");
  while (!(await here(top, "log")).out.includes("  start  "))
    await new Promise((resolve) => setImmediate(resolve));
  const { out } = await here(top, "gc", "--older-than", "0");
  expect(out).toMatch(/: left as it is, it has not ended$/);
  run.kill("SIGTERM");
  expect(await run.end()).toMatchObject({ code: 143 });
});

test("a log that cannot be read is named and gives the exit code; the others are cleaned up", async () => {
  const { top, job, file } = done;
  mkdirSync(join(top, ".cfa", "jobs", "broken"));
  copyFileSync(file, join(top, ".cfa", "jobs", "broken", "bus.db"));
  const { code, out, err } = await cfa(top, "gc", "--older-than", "0");
  expect(code).toBe(6);
  expect(err).toContain("is not a SQLite database");
  expect(out).toMatch(new RegExp(`^${job}: removed `));
});

test.each(["30", "soon", "-1d"])("--older-than %s is a misuse", async (age) => {
  const { code, err } = await here(done.top, "gc", `--older-than=${age}`);
  expect({ code, err }).toEqual({
    code: 2,
    err: `cfa: --older-than takes a duration such as 30d, or 0, not "${age}"`,
  });
});
