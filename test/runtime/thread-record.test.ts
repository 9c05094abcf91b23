/** What is remembered of a thread from turn to turn. */
import { expect, test } from "vitest";
import type { EntryBody } from "../../src/persistence/entry.ts";
import { endTurn, NEW_THREAD, type ThreadRecord } from "../../src/runtime/thread-record.ts";
import { UNKNOWN_USAGE } from "../../src/runtime/usage.ts";

const NEW: ThreadRecord = {
  ...NEW_THREAD,
  thread: "dispatch:1.1.1",
  agent: "worker",
  serial: 2,
  task: "go",
  optional: false,
  since: "",
  owes: true,
  children: [],
};
const TURN: EntryBody<"turn"> = {
  thread: NEW.thread,
  turn: 1,
  agent: NEW.agent,
  result: "ok",
  failure: null,
  text: "",
  commit: null,
  session: null,
  usage: UNKNOWN_USAGE,
  outcome: null,
  status: null,
  files: [],
  optional: [],
  millis: 0,
};
const ok = TURN;
const failed = { ...TURN, result: "failed" as const };
const aborted = { ...TURN, result: "aborted" as const };
const stopped = { ...TURN, status: "blocked" as const };

test.each([
  ["none has ended", [], true],
  ["all have failed", [failed, failed], true],
  ["one was given up", [aborted], true],
  ["one went well", [ok], false],
  ["one went well, the next failed", [ok, failed], false],
  ["one went well, the next was given up", [ok, aborted], false],
  ["the last one asked for a person", [ok, stopped], true],
  ["the first one did", [stopped], true],
  ["and the one after it failed", [ok, stopped, failed], true],
  ["and the one after that went well", [stopped, failed, ok], false],
])("the next turn is of a new dispatch, when %s: %j is %s", (_what, turns, fresh) => {
  const record = { ...NEW, children: [] };
  for (const turn of turns) endTurn(record, turn);
  expect(record.fresh).toBe(fresh);
});
