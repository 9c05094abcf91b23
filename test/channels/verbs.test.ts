/** The verbs that agents call on the command line: what they print, their exit codes, and what stands in the outbox afterwards. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask } from "../../src/channels/verbs/ask.ts";
import { close } from "../../src/channels/verbs/close.ts";
import { outcome } from "../../src/channels/verbs/outcome.ts";
import { send, type SendOptions } from "../../src/channels/verbs/send.ts";
import { usage, type UsageOptions } from "../../src/channels/verbs/usage.ts";
import type { TurnFacts } from "../../src/runtime/agents/port.ts";
import { writeTurnFacts } from "../../src/runtime/outbox-facts.ts";
import { readOutbox } from "../../src/runtime/outbox-store.ts";
import { fillDisk, mountDisk, noDisk } from "../cli/disk.ts";
import { PLAIN_TURN } from "../runtime/plain-turn.ts";

let home: string;
let work: string;
let outbox: string;
let env: Record<string, string>;
let facts: TurnFacts;
beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "cfa-verbs-")));
  work = join(home, "work");
  outbox = join(home, "out");
  mkdirSync(join(work, "sub"), { recursive: true });
  mkdirSync(outbox);
  facts = {
    job: "j",
    thread: "state:j:PLAN:0",
    turn: 1,
    agent: "lead",
    serial: 2,
    state: "PLAN",
    lead: true,
    roster: ["writer"],
    parent: null,
    children: [],
    closed: [],
    cap: 3,
    overCap: "refuse",
    policy: "never",
    outcomes: ["APPROVED_PLAN"],
    workspace: work,
    ...PLAIN_TURN,
  };
  await writeTurnFacts(outbox, facts);
  env = { CFA_OUTBOX: outbox, CFA_JOB: "j", CFA_THREAD: facts.thread, CFA_TURN: "1" };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const entries = async () => (await readOutbox(outbox, facts)).entries;

test("send prints the id of the conversation that it opens", async () => {
  expect(await send(env, { to: "writer", message: "go" }, work)).toEqual({
    stdout: "dispatch:2.1.1\n",
    stderr: "",
    exitCode: 0,
  });
  expect(await entries()).toEqual([
    {
      verb: "send",
      to: "writer",
      thread: "dispatch:2.1.1",
      opens: true,
      message: "go",
      files: [],
      optional: false,
    },
  ]);
});

test("send goes on with a conversation that an earlier call of the turn opened, and prints it again", async () => {
  await send(env, { to: "writer", message: "go" }, work);
  const again = await send(env, { to: "writer", thread: "dispatch:2.1.1", message: "and this" }, work);
  expect(again.stdout).toBe("dispatch:2.1.1\n");
  expect(await entries()).toHaveLength(2);
});

test("send --none says nothing, on purpose", async () => {
  expect(await send(env, { none: true }, work)).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  expect(await entries()).toEqual([{ verb: "none" }]);
});

test("ask prints the id of the question and says how to get the answer", async () => {
  expect(await ask(env, { text: "which?" })).toEqual({
    stdout: "q2.1.1\n",
    stderr: "end your turn; the answer arrives as your next message\n",
    exitCode: 0,
  });
});

test("close prints nothing", async () => {
  await send(env, { to: "writer", message: "go" }, work);
  expect(await close(env, { thread: "dispatch:2.1.1" })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  expect((await entries())[1]).toEqual({ verb: "close", thread: "dispatch:2.1.1" });
});

test("outcome writes the record and leaves the outbox as it is", async () => {
  expect(await outcome(env, { outcome: "APPROVED_PLAN", reason: "done" })).toMatchObject({
    exitCode: 0,
    stdout: "",
  });
  expect(JSON.parse(readFileSync(join(work, ".cfa/outcome.json"), "utf8"))).toEqual({
    outcome: "APPROVED_PLAN",
    reason: "done",
  });
  expect(await entries()).toEqual([]);
});

describe("a refused call exits 1 with a sentence and leaves no trace", () => {
  test.each([
    [
      "an unknown role",
      () => send(env, { to: "painter", message: "go" }, work),
      /^refused: there is no "painter"/,
    ],
    [
      "a close of a stranger",
      () => close(env, { thread: "dispatch:9.9.9" }),
      /^refused: dispatch:9.9.9 is no conversation/,
    ],
    ["an empty question", () => ask(env, { text: "" }), /^refused: the question is empty/],
    [
      "an outcome of another state",
      () => outcome(env, { outcome: "REPLAN", reason: "x" }),
      /^refused: "REPLAN" is no outcome/,
    ],
    ["an outcome without reason", () => outcome(env, { outcome: "APPROVED_PLAN" }), /needs a reason/],
  ])("%s", async (_, call, sentence) => {
    expect(await call()).toEqual({ stdout: "", stderr: expect.stringMatching(sentence), exitCode: 1 });
    expect(await entries()).toEqual([]);
  });
});

describe("a wrong command line exits 2 with a sentence", () => {
  test.each<readonly [string, SendOptions, RegExp]>([
    ["nobody", { message: "go" }, /say whom/],
    ["nothing", { to: "writer" }, /say what/],
    ["--none and a message", { none: true, message: "go" }, /takes nothing else/],
    ["--none and a role", { none: true, to: "writer" }, /takes nothing else/],
    ["--none and --optional", { none: true, optional: true }, /takes nothing else/],
  ])("send to %s", async (_, options, sentence) => {
    expect(await send(env, options, work)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(sentence),
    });
    expect(await entries()).toEqual([]);
  });

  test("ask, close and outcome without their word", async () => {
    expect(await ask(env, {})).toMatchObject({ exitCode: 2 });
    expect(await close(env, {})).toMatchObject({ exitCode: 2 });
    expect(await outcome(env, { reason: "done" })).toMatchObject({ exitCode: 2 });
  });
});

describe("usage", () => {
  const reports = () => readFileSync(join(outbox, "usage.jsonl"), "utf8").trim().split("\n");

  test("adds a line for each report, and prints nothing", async () => {
    expect(await usage(env, { input: "12", output: "3", cached: "0", model: "big" })).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
    await usage(env, { usd: "0.05" });
    expect(reports().map((line) => JSON.parse(line))).toEqual([
      { input: 12, output: 3, cached: 0, model: "big" },
      { usd: 0.05 },
    ]);
    expect(await entries()).toEqual([]);
  });

  test.each<readonly [string, UsageOptions, 1 | 2, RegExp]>([
    ["nothing", {}, 2, /say what/],
    ["a model alone", { model: "big" }, 2, /say what/],
    ["no number", { tokens: "many" }, 2, /--tokens must be a number, not "many"/],
    ["below nothing", { usd: "-1" }, 2, /--usd must be a number/],
    ["another base", { tokens: "0x10" }, 2, /--tokens must be a number/],
    ["an empty word", { usd: "" }, 2, /--usd must be a number/],
    ["half a token", { tokens: "1.5" }, 1, /tokens must be a whole number of tokens/],
    ["input alone", { input: "5" }, 1, /input and output together/],
    ["kinds and a sum", { input: "5", output: "5", tokens: "10" }, 1, /not both/],
    ["beyond all bounds", { tokens: "1e15" }, 1, /at most/],
  ])("%s is no report", async (_what, options, exitCode, sentence) => {
    expect(await usage(env, options)).toMatchObject({ exitCode, stderr: expect.stringMatching(sentence) });
    expect(existsSync(join(outbox, "usage.jsonl"))).toBe(false);
  });
});

describe("outside its turn a verb exits 2 with a sentence", () => {
  test.each<readonly [string, Record<string, string | undefined>, RegExp]>([
    [
      "no variables",
      { CFA_OUTBOX: undefined, CFA_JOB: undefined },
      /only inside a turn.*unset or unfit: CFA_OUTBOX, CFA_JOB/,
    ],
    ["a relative outbox", { CFA_OUTBOX: "out" }, /CFA_OUTBOX/],
    ["an outbox that is gone", { CFA_OUTBOX: "/no/such/outbox" }, /turn.json is missing: the turn has ended/],
    ["a later turn of the thread", { CFA_TURN: "0" }, /belongs to turn 0 of state:j:PLAN:0, which has ended/],
    ["another thread", { CFA_THREAD: "dispatch:1.1.1" }, /has ended: nothing was done/],
  ])("%s", async (_, change, sentence) => {
    const result = await send({ ...env, ...change }, { to: "writer", message: "go" }, work);
    expect(result).toEqual({ stdout: "", stderr: expect.stringMatching(sentence), exitCode: 2 });
    expect(await entries()).toEqual([]);
  });
});

describe("files", () => {
  beforeEach(() => {
    writeFileSync(join(work, "sub/a.txt"), "a");
    writeFileSync(join(home, "secret"), "s");
    symlinkSync(join(home, "secret"), join(work, "link"));
    symlinkSync(home, join(work, "out"));
  });
  const sendFile = (file: string, cwd = work) =>
    send(env, { to: "writer", message: "go", file: [file] }, cwd);

  test.each([
    ["from the top", "sub/a.txt", ""],
    ["from a directory below", "a.txt", "sub"],
    ["by a way around", "../sub/./a.txt", "sub"],
  ])("are named by their path below the top: %s", async (_, file, below) => {
    expect(await sendFile(file, join(work, below))).toMatchObject({ exitCode: 0 });
    expect(await entries()).toMatchObject([{ files: [{ path: "sub/a.txt" }] }]);
  });

  test.each([
    ["missing", "b.txt", /does not exist/],
    ["a directory", "sub", /no regular file/],
    ["a link", "link", /no regular file/],
    ["outside", "../secret", /outside your workspace/],
    ["outside, behind a link", "out/secret", /outside your workspace/],
    ["a device", "/dev/null", /no regular file/],
  ])("that cannot travel are refused: %s", async (_, file, sentence) => {
    expect(await sendFile(file)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(sentence) });
    expect(await entries()).toEqual([]);
  });
});

test.skipIf(noDisk !== undefined)(
  "on a full disk each verb says so in a sentence, and does nothing",
  async () => {
    const path = join(home, "disk");
    const unmount = await mountDisk(path, "64k");
    try {
      mkdirSync(join(path, "out"));
      await writeTurnFacts(join(path, "out"), { ...facts, workspace: path });
      const full = { ...env, CFA_OUTBOX: join(path, "out") };
      const room = await fillDisk(path);
      for (const [name, result] of [
        ["send", await send(full, { to: "writer", message: "go" }, path)],
        ["ask", await ask(full, { text: "why?" })],
        ["usage", await usage(full, { tokens: "7" })],
        ["outcome", await outcome(full, { outcome: "APPROVED_PLAN", reason: "x" })],
      ] as const)
        expect(result).toEqual({
          stdout: "",
          stderr: expect.stringMatching(
            new RegExp(
              `^\`cfa ${name}\` could not be written, and nothing was done \\(ENOSPC.*\\): make room, or .*\n$`,
            ),
          ),
          exitCode: 1,
        });
      room();
      expect(await usage(full, { tokens: "7" })).toMatchObject({ exitCode: 0 });
    } finally {
      await unmount();
    }
  },
);
