/** The contract between cfa and a program that is an agent: what it is given, what it may do, how its end is judged. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandAgent, type CommandOptions, TURN_VARIABLES } from "../../../src/runtime/agents/command.ts";
import type { TurnEvent, TurnFacts, TurnRequest } from "../../../src/runtime/agents/port.ts";
import { PLAIN_TURN } from "../plain-turn.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cfa-command-"));
  for (const name of ["work", "out", "bin"]) mkdirSync(join(home, name));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function request(over: Partial<TurnRequest> = {}, facts: Partial<TurnFacts> = {}): TurnRequest {
  return {
    facts: {
      job: "j",
      thread: "dispatch:1.0.1",
      turn: 3,
      agent: "writer",
      serial: 2,
      state: "PLAN",
      lead: false,
      roster: [],
      parent: { agent: "lead", thread: "state:j:PLAN:0" },
      children: [],
      closed: [],
      cap: 3,
      overCap: "refuse",
      policy: "never",
      outcomes: [],
      workspace: join(home, "work"),
      ...PLAIN_TURN,
      ...facts,
    },
    message: { id: "m", from: null, kind: "task", body: "write" },
    prompt: "the prompt\n",
    instructions: "",
    session: undefined,
    workspace: join(home, "work"),
    outbox: join(home, "out"),
    stream: join(home, "stream"),
    entry: "draft",
    artifacts: { plan: "PLAN.md" },
    timeout: 60_000,
    signal: new AbortController().signal,
    ...over,
  };
}

function run(script: string, over: Partial<TurnRequest> = {}, options: Partial<CommandOptions> = {}) {
  const agent = commandAgent({
    run: ["sh", "-c", script],
    env: [],
    cfaBin: join(home, "bin"),
    grace: 100,
    ...options,
  });
  return agent.run(request(over), () => {});
}

test("the prompt is its input, the workspace its directory, its output the final text", async () => {
  expect(await run("cat; pwd")).toEqual({
    stop: "ended",
    text: `the prompt\n${join(home, "work")}`,
    session: expect.stringMatching(/^[0-9a-f-]{36}$/),
    usage: { tokens: null, usd: null },
  });
});

test("its environment is PATH, LANG, PWD and what tells of its turn, nothing else", async () => {
  const { text, session } = await run("", {}, { run: ["env"] });
  const names = text.split("\n").map((line) => line.split("=")[0] ?? "");
  const ofTurn = names.filter((name) => name.startsWith("CFA_") && name !== "CFA_MCP");
  expect(TURN_VARIABLES).toEqual(expect.arrayContaining(ofTurn));
  expect(Object.fromEntries(text.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)))).toEqual({
    PATH: `${join(home, "bin")}:${process.env["PATH"]}`,
    LANG: "C.UTF-8",
    PWD: join(home, "work"),
    CFA_JOB: "j",
    CFA_THREAD: "dispatch:1.0.1",
    CFA_TURN: "3",
    CFA_SESSION: session,
    CFA_STATE: "PLAN",
    CFA_ENTRY: "draft",
    CFA_AGENT: "writer",
    CFA_PARENT_AGENT: "lead",
    CFA_PARENT_THREAD: "state:j:PLAN:0",
    CFA_MCP: join(home, "out/mcp.json"),
    CFA_OUTBOX: join(home, "out"),
    CFA_WORKSPACE: join(home, "work"),
    CFA_ARTIFACTS: '{"plan":"PLAN.md"}',
  });
});

test("a lead has no parent in its environment", async () => {
  const agent = commandAgent({ run: ["env"], env: [], cfaBin: join(home, "bin") });
  const { text } = await agent.run(request({}, { parent: null }), () => {});
  expect(text).not.toContain("CFA_PARENT");
});

test("named variables are passed on where they are set; none of them hides what cfa says", async () => {
  process.env["CFA_TEST_PASSED"] = "on";
  process.env["CFA_TURN"] = "99";
  const { text } = await run(
    "",
    {},
    { run: ["env"], env: ["CFA_TEST_PASSED", "CFA_TEST_UNSET", "CFA_TURN", "PATH"] },
  );
  delete process.env["CFA_TEST_PASSED"];
  delete process.env["CFA_TURN"];
  expect(text).toContain("CFA_TEST_PASSED=on");
  expect(text).not.toContain("CFA_TEST_UNSET");
  expect(text).toContain("CFA_TURN=3");
  expect(text).toContain(`PATH=${join(home, "bin")}:`);
});

test("cfa is the first on its PATH", async () => {
  writeFileSync(join(home, "bin/cfa"), '#!/bin/sh\necho "called: $*"\n', { mode: 0o755 });
  expect((await run("cfa send --none")).text).toBe("called: send --none");
});

test("all turns of a thread see one session; another thread sees another", async () => {
  const first = await run("echo $CFA_SESSION");
  expect((await run("echo $CFA_SESSION")).text).toBe(first.text);
  expect(first.session).toBe(first.text);
  expect((await run("echo $CFA_SESSION", { session: "kept" })).text).toBe("kept");
  const other = commandAgent({ run: ["sh", "-c", "echo $CFA_SESSION"], env: [], cfaBin: join(home, "bin") });
  expect((await other.run(request({}, { thread: "dispatch:1.0.2" }), () => {})).text).not.toBe(first.text);
});

describe("it fails with one sentence", () => {
  test.each([
    [
      "that exits with a status",
      "echo partial; echo first >&2; echo 'no luck ' >&2; exit 3",
      /^sh ended with exit status 3: no luck$/,
    ],
    ["that exits without a word", "exit 1", /^sh ended with exit status 1$/],
    ["that dies by a signal", "kill -SEGV $$", /^sh ended with exit status 139 \(SIGSEGV\)/],
    [
      "that complains at length",
      "head -c 5000 /dev/zero | tr '\\0' x >&2; exit 1",
      /^sh ended with exit status 1: x{200}$/,
    ],
  ])("a program %s", async (_, script, failure) => {
    expect(await run(script)).toMatchObject({ stop: "failed", failure: expect.stringMatching(failure) });
  });

  test("a program that hangs", async () => {
    expect(await run("echo so far; sleep 1000", { timeout: 200 })).toMatchObject({
      stop: "failed",
      failure: "sh ran longer than its time-out of 0.2 s and was stopped",
      text: "so far",
    });
  });

  test("a program that does not exist", async () => {
    expect(await run("", {}, { run: ["/no/such/agent", "x"] })).toMatchObject({
      stop: "failed",
      failure: 'cannot run "/no/such/agent": /no/such/agent does not exist',
      text: "",
    });
  });
});

test("exit status 0 is no failure, whatever it printed", async () => {
  expect(await run("echo FAILURE; echo error >&2")).toMatchObject({ stop: "ended", text: "FAILURE" });
});

test("an aborted turn is aborted, even if the program then ends well", async () => {
  const abort = new AbortController();
  const agent = commandAgent({
    run: ["sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done"],
    env: [],
    cfaBin: join(home, "bin"),
  });
  const result = await agent.run(request({ signal: abort.signal }), (event) => {
    if (event.kind === "line") abort.abort();
  });
  expect(result).toMatchObject({ stop: "aborted", text: "ready" });
  expect(result).not.toHaveProperty("failure");
});

test("it reports its identity, then its lines; its output stands in the stream file", async () => {
  const events: TurnEvent[] = [];
  const agent = commandAgent({
    run: ["sh", "-c", "echo one; echo two >&2"],
    env: [],
    cfaBin: join(home, "bin"),
  });
  await agent.run(request(), (event) => events.push(event));
  expect(events[0]).toEqual({
    kind: "started",
    pid: expect.any(Number),
    started: expect.stringContaining("/"),
  });
  expect(
    events
      .slice(1)
      .map((event) => event.kind === "line" && event.text)
      .sort(),
  ).toEqual(["one", "two"]);
  expect(readFileSync(join(home, "stream"), "utf8").split("\n").sort()).toEqual(["", "one", "two"]);
});

test("it is no boundary", () => {
  expect(commandAgent({ run: ["true"], env: [], cfaBin: "/" }).boundary).toBe("advisory");
});
