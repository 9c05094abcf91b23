/** `cfa tool-check` as a program: what a client's hook gets, above all when something goes wrong. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Output } from "../../src/cli/context.ts";
import { runProgram } from "../../src/cli/program.ts";
import { hookCommand } from "../../src/tool-check/hook-command.ts";
import { MAIN } from "../cli/fixture.ts";
import { makeSite, grantOf, type Site } from "./site.ts";

let site: Site;
let grant: string;
beforeAll(() => {
  site = makeSite();
  grant = join(site.top, "grant.json");
  writeFileSync(grant, JSON.stringify(grantOf(site)));
  mkdirSync(join(site.top, "folder"));
  writeFileSync(join(site.top, "broken.json"), "{");
  writeFileSync(join(site.top, "wrong.json"), JSON.stringify({ ...grantOf(site), network: "some" }));
});
afterAll(() => site.remove());

const call = (tool_name: string, tool_input: unknown) =>
  JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", tool_name, tool_input, cwd: site.work });

/** The same without a process of its own: quicker, for what only the input or an option decides. */
async function here(input: string, words: readonly string[] = ["--grant", grant], workspace = site.work) {
  const written = { out: "", err: "" };
  const output = (to: "out" | "err"): Output => ({
    write: (text) => void (written[to] += text),
    drained: async () => undefined,
    isTTY: false,
    columns: () => 80,
    rows: () => 24,
    closed: () => false,
  });
  const code = await runProgram(["tool-check", ...words], {
    stdout: output("out"),
    stderr: output("err"),
    stdin: { isTTY: false, text: async () => input },
    env: { CFA_WORKSPACE: workspace },
    cwd: "/",
    now: () => new Date(),
    onSignal: () => () => undefined,
  });
  return { code, out: written.out, err: written.err.trimEnd() };
}

async function hook(input: string, words: readonly string[] = ["--grant", grant], workspace = site.work) {
  const done = await execa(process.execPath, [MAIN, "tool-check", ...words], {
    input,
    env: { CFA_WORKSPACE: workspace },
    reject: false,
  });
  return { code: done.exitCode, out: done.stdout, err: done.stderr };
}

test("a call that may be made passes without a word", async () => {
  expect(await hook(call("Read", { file_path: "a.txt" }))).toEqual({ code: 0, out: "", err: "" });
});

test("a call that may not is blocked, with one sentence for the agent", async () => {
  const { code, out, err } = await hook(call("Read", { file_path: "../secret.txt" }));
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toBe(
    `refused: Read: ../secret.txt (${site.work}/../secret.txt) leads to ${site.top}/secret.txt, outside your workspace: work within ${site.work}`,
  );
});

describe("blocks what it cannot check:", () => {
  test.each([
    ["empty standard input", "", "standard input is empty"],
    ["blanks", " \n", "standard input is empty"],
    ["no JSON", "{", "no JSON"],
    ["a list", "[]", "no tool call"],
    ["null", "null", "no tool call"],
    ["no name of a tool", JSON.stringify({ tool_input: {}, cwd: "/" }), "tool_name"],
    ["no input of a tool", JSON.stringify({ tool_name: "Read", cwd: "/" }), "tool_input"],
    [
      "an input that is text",
      JSON.stringify({ tool_name: "Read", tool_input: "a.txt", cwd: "/" }),
      "tool_input",
    ],
    ["no directory", JSON.stringify({ tool_name: "Read", tool_input: {} }), "cwd"],
    ["a relative directory", JSON.stringify({ tool_name: "Read", tool_input: {}, cwd: "." }), "cwd"],
    [
      "another event",
      JSON.stringify({ hook_event_name: "Stop", tool_name: "Read", tool_input: {}, cwd: "/" }),
      "must be PreToolUse",
    ],
  ])("%s", async (_name, input, why) => {
    const { code, out, err } = await here(input);
    expect({ code, out, lines: err.split("\n").length }).toEqual({ code: 2, out: "", lines: 1 });
    expect(err).toContain(why);
  });

  test.each([
    ["empty standard input", ""],
    ["no JSON", "{"],
  ])("as a process: %s", async (_name, input) => {
    expect(await hook(input)).toMatchObject({ code: 2, out: "" });
  });

  test("more input than any call has", async () => {
    const { code, err } = await hook(
      call("Write", { file_path: "a.txt", content: "x".repeat(17 * 1024 * 1024) }),
    );
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("longer than") });
  });

  test("input nested without measure", async () => {
    const { code } = await hook(
      `{"tool_name":"Read","cwd":"/","tool_input":{"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`,
    );
    expect(code).toBe(2);
  });

  test.each([
    ["no grant", () => []],
    ["a grant that is not there", () => ["--grant", join(site.top, "none.json")]],
    ["a folder for a grant", () => ["--grant", join(site.top, "folder")]],
    ["a grant that is no JSON", () => ["--grant", join(site.top, "broken.json")]],
    ["a grant of another form", () => ["--grant", join(site.top, "wrong.json")]],
    ["an option that there is not", () => ["--grant", grant, "--open"]],
    ["a deadline that is none", () => ["--grant", grant, "--deadline", "soon"]],
  ])("%s", async (_name, words) => {
    expect((await here(call("Read", { file_path: "a.txt" }), words())).code).toBe(2);
  });

  test.each(["", "work", "/nowhere"])("the workspace %j", async (workspace) => {
    expect((await here(call("Read", { file_path: "a.txt" }), ["--grant", grant], workspace)).code).toBe(2);
  });

  test("standard input that does not end", async () => {
    const hanging = execa(
      process.execPath,
      [MAIN, "tool-check", "--grant", grant, "--workspace", site.work, "--deadline", "50ms"],
      { stdin: "pipe", reject: false },
    );
    const { exitCode, stderr } = await hanging;
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("longer than 50ms"),
    });
  });
});

describe("the command that cfa writes into a client's settings", () => {
  const shell = (command: string, input: string) =>
    execa("sh", ["-c", command], { input, env: { CFA_WORKSPACE: site.work }, reject: false });

  test("checks", async () => {
    const command = hookCommand([process.execPath, MAIN], grant);
    expect((await shell(command, call("Read", { file_path: "a.txt" }))).exitCode).toBe(0);
    expect((await shell(command, call("Read", { file_path: "out" }))).exitCode).toBe(2);
  });

  test.each([
    ["the program is gone", ["/no/such/node", "main.js"]],
    ["the program cannot be loaded", [process.execPath, "/no/such/main.js"]],
    ["the program throws", [process.execPath, "-e", "throw new Error('bug')"]],
    ["the program ends with another code", ["sh", "-c", "exit 1"]],
    ["the program is killed", ["sh", "-c", "kill -9 $$"]],
  ])("blocks when %s", async (_name, run) => {
    const done = await shell(hookCommand(run, grant), call("Read", { file_path: "a.txt" }));
    expect(done.exitCode).toBe(2);
  });

  test("takes paths with blanks and quotes as they are", async () => {
    const folder = join(site.top, "it's a folder");
    mkdirSync(folder);
    writeFileSync(join(folder, "grant.json"), JSON.stringify(grantOf(site)));
    const command = hookCommand([process.execPath, MAIN], join(folder, "grant.json"));
    expect((await shell(command, call("Read", { file_path: "a.txt" }))).exitCode).toBe(0);
  });
});

test("a check that is kept busy beyond its deadline is killed, which the command of the hook makes a block of", async () => {
  // Stands for whatever might keep it busy: no timer of that thread is served any more.
  const busy = "--import=data:text/javascript,Promise.race=()=>{for(;;);}";
  const command = `"$NODE" "$MAIN" tool-check --grant "$GRANT" --deadline 50ms || exit 2`;
  const done = await execa("sh", ["-c", command], {
    input: call("Read", { file_path: "a.txt" }),
    env: { CFA_WORKSPACE: site.work, NODE_OPTIONS: busy, NODE: process.execPath, MAIN, GRANT: grant },
    reject: false,
  });
  expect({ code: done.exitCode, out: done.stdout }).toEqual({ code: 2, out: "" });
  expect(done.stderr).toContain("it took longer than its deadline");
});
