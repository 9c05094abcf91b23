/** The outbox on disk: hunts numbers given twice, caps passed by calls at once, and files that no call of cfa wrote. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TurnFacts } from "../../src/runtime/agents/port.ts";
import { makeCall, makeOutcome } from "../../src/runtime/outbox-calls.ts";
import { readTurnFacts, writeTurnFacts } from "../../src/runtime/outbox-facts.ts";
import { appendCall, CALLS_MAX, readOutbox } from "../../src/runtime/outbox-store.ts";
import { PLAIN_TURN } from "./plain-turn.ts";

let home: string;
let facts: TurnFacts;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cfa-outbox-"));
  mkdirSync(join(home, "out"));
  mkdirSync(join(home, "work"));
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
    workspace: join(home, "work"),
    ...PLAIN_TURN,
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const outbox = () => join(home, "out");
const put = (name: string, content: unknown) => writeFileSync(join(outbox(), name), JSON.stringify(content));
const send = { verb: "send" as const, to: "writer", message: "go", files: [], optional: false };

test("an empty outbox says nothing", async () => {
  await writeTurnFacts(outbox(), facts);
  expect(await readOutbox(outbox(), facts)).toEqual({ entries: [], problems: [], next: 1 });
});

test("calls are numbered in their order and read back as they were", async () => {
  await makeCall(outbox(), facts, send);
  await makeCall(outbox(), facts, { verb: "ask", text: "which?" });
  await makeCall(outbox(), facts, { verb: "close", thread: "dispatch:2.1.1" });
  expect(readdirSync(outbox()).sort()).toEqual(["0001.json", "0002.json", "0003.json"]);
  expect((await readOutbox(outbox(), facts)).entries).toEqual([
    { ...send, thread: "dispatch:2.1.1", opens: true },
    { verb: "ask", question: "q2.1.2", text: "which?" },
    { verb: "close", thread: "dispatch:2.1.1" },
  ]);
});

test("a number is taken once", async () => {
  expect(await appendCall(outbox(), 1, { verb: "none" })).toBe(true);
  expect(await appendCall(outbox(), 1, { verb: "close", thread: "x" })).toBe(false);
  expect((await readOutbox(outbox())).entries).toEqual([{ verb: "none" }]);
  expect(readdirSync(outbox())).toEqual(["0001.json"]);
});

test("calls made at once pass the cap together no more than one by one", async () => {
  const admissions = await Promise.all(Array.from({ length: 10 }, () => makeCall(outbox(), facts, send)));
  expect(admissions.filter((admission) => "entry" in admission)).toHaveLength(3);
  const { entries } = await readOutbox(outbox(), facts);
  expect(entries.map((entry) => entry.verb === "send" && entry.thread)).toEqual([
    "dispatch:2.1.1",
    "dispatch:2.1.2",
    "dispatch:2.1.3",
  ]);
});

test("numbers order calls beyond four digits", async () => {
  for (const number of [10_000, 9999, 2])
    await appendCall(outbox(), number, { verb: "close", thread: `t${number}` });
  expect(await readOutbox(outbox())).toEqual({
    entries: ["t2", "t9999", "t10000"].map((thread) => ({ verb: "close", thread })),
    problems: [],
    next: 10_001,
  });
});

test("a call that was never finished is no call", async () => {
  writeFileSync(join(outbox(), ".writing-1"), '{"verb":');
  expect(await readOutbox(outbox())).toEqual({ entries: [], problems: [], next: 1 });
});

describe("what is not understood is named and ignored, the rest counts", () => {
  test.each<readonly [string, string, (path: string) => unknown, RegExp]>([
    ["broken JSON", "0001.json", (path) => writeFileSync(path, "{"), /0001.json is no call/],
    [
      "an unknown verb",
      "0001.json",
      (path) => writeFileSync(path, '{"verb":"shout"}'),
      /0001.json is no call/,
    ],
    [
      "an unknown key",
      "0001.json",
      (path) => writeFileSync(path, '{"verb":"none","x":1}'),
      /0001.json is no call/,
    ],
    [
      "another name",
      "notes.txt",
      (path) => writeFileSync(path, ""),
      /notes.txt is no call \(calls are 0001.json/,
    ],
    [
      "a number with too few digits",
      "1.json",
      (path) => writeFileSync(path, '{"verb":"none"}'),
      /1.json is no call/,
    ],
    ["number zero", "0000.json", (path) => writeFileSync(path, '{"verb":"none"}'), /0000.json is no call/],
    [
      "a link",
      "0001.json",
      (path) => symlinkSync("0002.json", path),
      /0001.json is a link, which is not followed/,
    ],
    ["a directory", "0001.json", (path) => mkdirSync(path), /0001.json is no regular file/],
    ["a device", "0001.json", (path) => execa("mkfifo", [path]), /0001.json is no regular file/],
    [
      "a huge file",
      "0001.json",
      (path) => [writeFileSync(path, ""), truncateSync(path, 2 ** 33)],
      /0001.json is larger than/,
    ],
  ])("%s", async (_, name, make, problem) => {
    put("0002.json", { verb: "close", thread: "t" });
    await make(join(outbox(), name));
    expect(await readOutbox(outbox())).toEqual({
      entries: [{ verb: "close", thread: "t" }],
      problems: [expect.stringMatching(problem)],
      next: 3,
    });
  });

  test.each([
    [
      "a thread",
      { ...send, thread: "dispatch:9.9.9", opens: true },
      /opens the conversation dispatch:9.9.9, which is not this/,
    ],
    [
      "a question",
      { verb: "ask", question: "q9.9.9", text: "?" },
      /asks under the id q9.9.9, which is not this call's/,
    ],
  ])("the id of %s that this turn did not mint", async (_, entry, problem) => {
    put("0001.json", entry);
    expect(await readOutbox(outbox(), facts)).toEqual({
      entries: [],
      problems: [expect.stringMatching(problem)],
      next: 2,
    });
  });

  test("calls beyond the limit", async () => {
    for (let number = 1; number <= CALLS_MAX + 1; number++)
      put(`${String(number).padStart(4, "0")}.json`, { verb: "none" });
    const { entries, problems } = await readOutbox(outbox());
    expect(entries).toHaveLength(CALLS_MAX);
    expect(problems).toEqual([
      expect.stringMatching(/more than 1000 calls: those from 1001.json on are ignored/),
    ]);
    expect(await makeCall(outbox(), facts, { verb: "none" })).toEqual({
      refused: expect.stringMatching(/1000 calls, which is the limit/),
    });
  });
});

describe("turn.json", () => {
  test("is read back as it was written", async () => {
    await writeTurnFacts(outbox(), facts);
    expect(await readTurnFacts(outbox())).toEqual(facts);
  });

  test.each<readonly [string, (path: string) => void, RegExp]>([
    ["missing", () => {}, /turn.json is missing: the turn has ended/],
    ["broken", (path) => writeFileSync(path, "{"), /turn.json is not what cfa wrote/],
    [
      "with an unknown key",
      (path) => writeFileSync(path, JSON.stringify({ ...facts, x: 1 })),
      /not what cfa wrote/,
    ],
    ["a link", (path) => symlinkSync("/etc/passwd", path), /turn.json is a link/],
  ])("%s is said in a sentence", async (_, make, sentence) => {
    make(join(outbox(), "turn.json"));
    await expect(readTurnFacts(outbox())).rejects.toThrow(sentence);
  });
});

describe("the outcome record", () => {
  const record = () => readFileSync(join(home, "work/.cfa/outcome.json"), "utf8");
  const written = '{"outcome":"APPROVED_PLAN","reason":"done"}\n';

  test("stands in .cfa at the top of the workspace; a later one replaces it", async () => {
    await makeOutcome(facts, "APPROVED_PLAN", "first");
    await makeOutcome(facts, "APPROVED_PLAN", "done");
    expect(record()).toBe(written);
    expect(readdirSync(join(home, "work/.cfa"))).toEqual(["outcome.json"]);
  });

  test("replaces a link and leaves alone what it points to", async () => {
    mkdirSync(join(home, "work/.cfa"));
    writeFileSync(join(home, "elsewhere"), "mine");
    symlinkSync(join(home, "elsewhere"), join(home, "work/.cfa/outcome.json"));
    await makeOutcome(facts, "APPROVED_PLAN", "done");
    expect(record()).toBe(written);
    expect(readFileSync(join(home, "elsewhere"), "utf8")).toBe("mine");
  });

  test("is not written through a .cfa that is a link", async () => {
    mkdirSync(join(home, "elsewhere"));
    symlinkSync(join(home, "elsewhere"), join(home, "work/.cfa"));
    expect(await makeOutcome(facts, "APPROVED_PLAN", "done")).toEqual({
      refused: expect.stringMatching(/is no directory/),
    });
    expect(readdirSync(join(home, "elsewhere"))).toEqual([]);
  });

  test("of a refused outcome is not written", async () => {
    expect(await makeOutcome(facts, "FAILURE", "broken")).toHaveProperty("refused");
    expect(readdirSync(join(home, "work"))).toEqual([]);
  });
});
