/** The surface: help, mistakes in the command line, completion scripts, the end of a pipe, broken logs. */
import { copyFileSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { APPROVE, cfa, cfaWith, directory, here, MAIN, repository, shellJob } from "./fixture.ts";

const VERBS = [
  "init",
  "validate",
  "check",
  "run",
  "resume",
  "fork",
  "answer",
  "inbox",
  "interrupt",
  "tell",
  "pause",
  "withdraw",
  "memory",
  "status",
  "log",
  "replay",
  "step",
  "verify",
  "why",
  "explore",
  "doctor",
  "gc",
  "completion",
];
const AGENT_VERBS = ["send", "ask", "respond", "close", "outcome", "resolve", "usage"];

test("the help lists every verb and every exit code", async () => {
  const { out, err, code } = await cfa(directory(), "--help");
  expect({ err, code }).toEqual({ err: "", code: 0 });
  const listed = [...out.matchAll(/^ {2}([a-z]+) .{2}/gm)].map(([, name]) => name);
  expect(listed).toEqual(expect.arrayContaining([...VERBS, "help", ...AGENT_VERBS]));
  const codes = [...out.matchAll(/^ +(\d+) {2}/gm)].map(([, number]) => Number(number));
  expect(codes).toEqual(Object.values(EXIT));
});

test.each([
  [["rnu"], "unknown command 'rnu'"],
  [["stats"], "Did you mean status?"],
  [["run", "--nwe"], "Did you mean --new?"],
  [["run", "a", "b"], "too many arguments"],
  [["answer"], "missing required argument 'question'"],
  [["completion", "ksh"], "Allowed choices are bash, zsh, fish"],
  [["send", "hello"], "works only inside a turn"],
  [["status", "--repo", "no-such-directory"], "does not exist: name the directory of a git repository"],
])("%j is a misuse: exit code 2", async (words, says) => {
  const said = await here(directory(), ...words);
  expect(said).toMatchObject({ code: 2, out: "" });
  expect(said.err).toContain(says);
});

test("a repository without jobs, a job that is not there", async () => {
  const top = await repository();
  expect(await here(top, "status")).toMatchObject({
    code: 2,
    err: `cfa: there is no job in ${top} yet: start one with cfa run`,
  });
  expect((await here(top, "log", "nope")).err).toContain(`there is no job nope in ${top}`);
  expect((await here(top, "resume")).err).toContain(`there is no job in ${top} yet`);
  expect(await here(top, "status", "--all")).toEqual({ code: 0, out: "", err: "" });
  expect(readdirSync(top)).toEqual([".git", "a.txt"]);
});

test("the completion script for bash is valid and completes commands, options and jobs", async () => {
  const top = await repository();
  shellJob(top, { lead: APPROVE });
  await cfa(top, "run", "--quiet");
  const { out: script } = await here(top, "completion", "bash");
  await execa("bash", ["-n"], { input: script });
  const bin = directory();
  writeFileSync(join(bin, "cfa"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  const completed = async (...words: string[]) => {
    const ask = `COMP_WORDS=(${["cfa", ...words].map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _cfa; echo "\${COMPREPLY[@]}"`;
    const env = { PATH: `${bin}:${process.env["PATH"]}` };
    return (await execa("bash", ["-c", `${script}\n${ask}`], { cwd: top, env })).stdout;
  };
  expect((await completed("")).split(" ")).toEqual(expect.arrayContaining([...VERBS, ...AGENT_VERBS]));
  expect((await completed("res")).split(" ")).toEqual(["resume", "respond", "resolve"]);
  expect(await completed("resume", "--b")).toBe("--budget");
  expect(await completed("log", "test-")).toMatch(/^test-[0-9a-f]{8}$/);
});

test.each(["zsh", "fish"])("the completion script for %s names every command", async (shell) => {
  const { out, code } = await here(directory(), "completion", shell);
  expect(code).toBe(0);
  for (const verb of [...VERBS, ...AGENT_VERBS]) expect(out).toMatch(new RegExp(`\\b${verb}\\b`));
});

test("a reader that goes away is no error", async () => {
  const top = await repository();
  shellJob(top, { lead: APPROVE });
  await cfa(top, "run", "--quiet");
  const piped = `set -o pipefail; '${process.execPath}' '${MAIN}' log --jsonl | head -c 1`;
  const done = await execa("bash", ["-c", piped], { cwd: top, reject: false });
  expect(done).toMatchObject({ exitCode: 0, stdout: "{", stderr: "" });
});

test("a damaged log gives exit code 6 and one sentence; a stack only with CFA_DEBUG=1", async () => {
  const top = await repository();
  shellJob(top, { lead: APPROVE });
  await cfa(top, "run", "--quiet");
  const [job = ""] = readdirSync(join(top, ".cfa", "jobs"));
  const file = join(top, ".cfa", "jobs", job, "bus.db");
  const copy = join(directory(), "bus.db");
  copyFileSync(file, copy);
  truncateSync(file, 6000);
  for (const verb of ["log", "status", "resume"]) {
    const said = await here(top, verb, job);
    expect(said.code).toBe(6);
    expect(said.err.split("\n")).toHaveLength(1);
  }
  writeFileSync(file, "not a database");
  expect((await here(top, "log")).code).toBe(6);
  expect((await cfaWith({ cwd: top, env: { CFA_DEBUG: "1" } }, "log")).err).toMatch(/\n\s+at /);
  copyFileSync(copy, file);
  expect((await here(top, "log")).code).toBe(0);
});
