/** The last words of a run. */
import { expect, test } from "vitest";
import type { JobView } from "../../../src/cli/view/job-view.ts";
import { endLines, parkedLines, stoppedLines, waitingLines } from "../../../src/cli/view/summary.ts";
import { NOTHING_SPENT } from "../../../src/runtime/spending.ts";

const view: JobView = {
  job: "j",
  state: "DONE",
  history: [
    { from: "EXECUTE", action: "APPROVED_WORK", to: "DONE", reason: "all there\nand more", origin: "skill" },
  ],
  backtracks: 0,
  parked: null,
  questions: [],
  answers: [],
  threads: {
    thread: "job:j",
    agent: "orchestrator",
    parent: null,
    by: null,
    state: "ended",
    since: "",
    turn: null,
    turns: 0,
    failures: 0,
    why: "",
    spent: NOTHING_SPENT,
    children: [],
  },
  delivered: { branch: "cfa/j", commit: "abcdefabcd".repeat(4), mode: "branch" },
  ended: true,
  request: "Do it.",
  openedAt: "2026-01-01T00:00:00.000Z",
  at: "2026-01-01T00:00:02.000Z",
  spent: { turns: 5, tokens: { spent: null, unknown: 5 }, usd: { spent: null, unknown: 5 } },
  boundary: {},
};
const ASKED = {
  id: "q1",
  conversation: "escalation:q1",
  exchange: 1,
  agent: "lead",
  thread: "t",
  policy: "always",
  since: view.at,
  default: null,
} as const;
const facts = { files: [], streams: [], command: (words: string) => `cfa ${words}` };

test("DONE: reason, turns, time, branch, commit, files, how to show one", () => {
  const files = [{ change: "D", path: "old" } as const, { change: "A", path: "it's new.md" } as const];
  expect(endLines(view, { ...facts, files })).toEqual([
    "j is DONE: all there",
    "5 turns in 2.0s; tokens unknown, USD unknown",
    "branch cfa/j at abcdefabcd",
    "  D old",
    "  A it's new.md",
    String.raw`show one: git show cfa/j:'it'\''s new.md'`,
  ]);
});

test("control codes in the names of files and in questions reach no terminal", () => {
  const files = [{ change: "A", path: "\u001b[2Jgone\n" } as const];
  expect(endLines(view, { ...facts, files }).slice(2)).toEqual(["branch cfa/j at abcdefabcd", "  A gone"]);
  const text = "\u001b[2JWhich?\n  1. apples";
  expect(waitingLines({ ...view, questions: [{ ...ASKED, text }] }, facts)).toEqual([
    "j waits for a human",
    "  q1: Which?",
    "      1. apples",
    "    cfa answer q1 TEXT --job j",
    "then: cfa resume j",
  ]);
});

test("at most ten files are listed", () => {
  const files = Array.from({ length: 12 }, (_, n) => ({ change: "A", path: `f${n}` }) as const);
  const lines = endLines(view, { ...facts, files });
  expect(lines.filter((line) => line.startsWith("  A "))).toHaveLength(10);
  expect(lines).toContain("  … 2 more");
});

test("FAILURE: where to look", () => {
  const failed = { ...view, state: "FAILURE", delivered: null };
  expect(endLines(failed, { ...facts, streams: ["/x/1.1.log"] })).toEqual([
    "j is FAILURE: all there",
    "5 turns in 2.0s; tokens unknown, USD unknown",
    "look further: cfa log j",
    "output of a failed turn: /x/1.1.log",
  ]);
});

test("waiting, parked and stopped jobs say what to do next", () => {
  const questions = [{ ...ASKED, text: "Which?" }];
  expect(waitingLines({ ...view, questions }, facts)).toEqual([
    "j waits for a human",
    "  q1: Which?",
    "    cfa answer q1 TEXT --job j",
    "then: cfa resume j",
  ]);
  expect(parkedLines({ ...view, parked: "the budget of 2 turns is spent" }, facts)[0]).toBe(
    "j is parked: the budget of 2 turns is spent",
  );
  expect(stoppedLines({ ...view, state: "PLAN" }, facts)).toEqual([
    "j is stopped in PLAN; nothing is lost",
    "go on: cfa resume j",
  ]);
});
