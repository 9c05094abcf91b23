/** Before the start: what forbids a job is one clear sentence with exit code 2, and nothing has been written. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APPROVE, cfa, directory, git, here, repository, shellJob } from "./fixture.ts";

type Row = { readonly what: string; readonly make: () => Promise<string>; readonly says: RegExp };

const jobText = (text: string) => async () => {
  const top = await repository();
  writeFileSync(join(top, "job.yaml"), text);
  return top;
};

const rows: readonly Row[] = [
  { what: "no job file", make: () => repository(), says: /job\.yaml: the job file .*cfa init/ },
  { what: "an empty job file", make: jobText(""), says: /job\.yaml: the job file is empty/ },
  { what: "a malformed job file", make: jobText("request: [\n"), says: /job\.yaml:\d+:\d+: / },
  {
    what: "an unknown key",
    make: jobText("request: x\nagnets: {}\nagents: { lead: { run: [sh] } }\n"),
    says: /job\.yaml:2:1: .*agnets.*agents/,
  },
  {
    what: "an unknown role",
    make: jobText("request: x\nagents: { lead: { run: [sh], roster: [writer] } }\n"),
    says: /job\.yaml:2:\d+: .*writer/,
  },
  {
    what: "a program that does not exist",
    make: jobText("request: x\nagents: { lead: { run: [no-such-program] } }\n"),
    says: /job\.yaml:2:\d+: .*no-such-program/,
  },
  {
    what: "a repository at a path that no PATH can hold",
    make: async () => {
      const top = join(directory(), "a:b");
      mkdirSync(top);
      await git(top, "init", "-q");
      await git(top, "commit", "-q", "--allow-empty", "-m", "one");
      shellJob(top, { lead: APPROVE });
      return top;
    },
    says: /holds a ":", which cannot stand in an agent's PATH/,
  },
  {
    what: "no repository",
    make: async () => {
      const top = directory();
      shellJob(top, { lead: APPROVE });
      return top;
    },
    says: /is not in a git repository: run "git init"/,
  },
  {
    what: "an empty repository",
    make: async () => {
      const top = directory();
      await git(top, "init", "-q");
      shellJob(top, { lead: APPROVE });
      return top;
    },
    says: /has no commit yet: make a first commit/,
  },
  {
    what: "an artifact that the base tracks",
    make: async () => {
      const top = await repository({ "PLAN.md": "mine\n" });
      shellJob(top, { lead: APPROVE });
      return top;
    },
    says: /PLAN\.md is tracked at the base commit.*artifacts: \{ plan:/,
  },
  {
    what: "a branch named cfa",
    make: async () => {
      const top = await repository();
      await git(top, "branch", "cfa");
      shellJob(top, { lead: APPROVE });
      return top;
    },
    says: /has a branch named cfa.*git branch -m/,
  },
  {
    what: "a base that does not exist",
    make: async () => {
      const top = await repository();
      shellJob(top, { lead: APPROVE }, "base: nowhere");
      return top;
    },
    says: /has no commit "nowhere"/,
  },
];

test.each(rows)("$what", async ({ make, says }) => {
  const top = await make();
  const before = readdirSync(top);
  for (const said of [await cfa(top, "run"), await here(top, "validate")]) {
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err).toMatch(says);
    expect(said.err).not.toMatch(/\n\s+at /);
  }
  expect(readdirSync(top)).toEqual(before);
});

test("all mistakes of a file are reported at once, with places; as JSON too", async () => {
  const top = await jobText(
    "request: x\nagnets: {}\nlimits: { fan_out: many }\nagents: { lead: { run: [sh] } }\n",
  )();
  const said = await here(top, "validate");
  expect(said.err.split("\n").map((line) => /^job\.yaml:(\d+):/.exec(line)?.[1])).toEqual(["2", "3"]);
  const found: unknown = JSON.parse((await here(top, "validate", "--json")).out);
  expect(found).toMatchObject({ valid: false, job: null, mistakes: [{ line: 2, column: 1 }, { line: 3 }] });
});

test("the roles of a valid file are shown, as JSON too", async () => {
  const top = await jobText(
    "request: x\nagents: { lead: { run: [sh], role: { system: Lead., tools: [Read], sends: [task], limits: { timeout: 5m } } } }\n",
  )();
  const said = await here(top, "validate");
  expect(said.code).toBe(0);
  expect(said.out.split("\n")).toEqual([
    "role of lead: system prompt of 5 bytes; tools Read; sends task; receives task, reply; network none; timeout 5m",
    expect.stringMatching(/^job\.yaml is valid/),
  ]);
  const found: unknown = JSON.parse((await here(top, "validate", "--json")).out);
  expect(found).toMatchObject({ roles: [{ agent: "lead", source: null, tools: ["Read"], skills: [] }] });
});

test("what is unusual but allowed is said: a dirty base, a detached one", async () => {
  const top = await repository();
  shellJob(top, { lead: APPROVE });
  await git(top, "checkout", "-q", "--detach");
  const said = await here(top, "validate");
  expect(said.code).toBe(0);
  expect(said.err).toMatch(/uncommitted changes/);
  expect(said.err).toMatch(/HEAD is detached/);
  expect(said.err).toMatch(/no boundary around lead: sandbox is advisory/);
  expect(existsSync(join(top, ".cfa"))).toBe(false);
});
