/** The tree of threads: from a view to lines, in a given width and height. */
import { expect, test } from "vitest";
import type { JobView, ThreadView } from "../../../src/cli/view/job-view.ts";
import { money, spentText, usageText } from "../../../src/cli/view/spending.ts";
import { NOTHING_SPENT, type Spent } from "../../../src/runtime/spending.ts";
import { widthOf } from "../../../src/cli/view/text.ts";
import { treeLines } from "../../../src/cli/view/tree-lines.ts";

/** What `turns` have used; `untold` are those of them that did not tell all tokens, and all money. */
const spent = (
  turns: number,
  tokens: number | null,
  usd: number | null,
  untold: readonly [number, number] = [tokens === null ? turns : 0, usd === null ? turns : 0],
): Spent => ({
  turns,
  tokens: { spent: tokens, unknown: untold[0] },
  usd: { spent: usd, unknown: untold[1] },
});

const AT = "2026-01-01T00:00:00.000Z";
const NOW = new Date("2026-01-01T00:01:05.000Z");

function thread(id: string, agent: string, more: Partial<ThreadView> = {}): ThreadView {
  const known = {
    parent: null,
    by: null,
    state: "waiting for mail",
    since: AT,
    turn: more.state === "running" ? 2 : null,
    turns: 1,
    failures: 0,
    why: "",
    spent: NOTHING_SPENT,
    children: [],
  };
  return { thread: id, agent, ...known, ...more } as ThreadView;
}

function job(children: readonly ThreadView[], more: Partial<JobView> = {}): JobView {
  return {
    job: "notes-1",
    state: "EXECUTE",
    history: [],
    backtracks: 0,
    parked: null,
    questions: [],
    answers: [],
    threads: thread("job:notes-1", "orchestrator", { children }),
    delivered: null,
    ended: false,
    request: "Write notes.",
    openedAt: AT,
    at: AT,
    spent: spent(4, null, null),
    boundary: {},
    ...more,
  };
}

const writer = (n: number, more: Partial<ThreadView> = {}) => thread(`dispatch:3.1.${n}`, "writer", more);
const lead = (children: readonly ThreadView[], more: Partial<ThreadView> = {}) =>
  thread("state:notes-1:EXECUTE:1", "lead", { children, why: "from 2 open conversations", ...more });

test("agent, thread, state, turn, time, and the last line or the reason", () => {
  const view = job([
    thread("state:notes-1:PLAN:2", "lead", { state: "ended", turns: 2 }),
    lead([
      writer(1, { state: "running", turn: 3, turns: 2, failures: 1, why: "task: write" }),
      writer(2, { state: "queued", turns: 0, why: "task: write too" }),
      writer(3, { state: "waiting for the human", why: "q1: which?" }),
      writer(4, { state: "ended", why: "merged as abc1234" }),
    ]),
  ]);
  const output = new Map([["dispatch:3.1.1", "\u001b[31mcompiling…\u001b[0m"]]);
  expect(treeLines(view, { width: 200, rows: 20, now: NOW, output })).toEqual([
    "notes-1  EXECUTE  4 turns  1m 05s",
    "├─ ✓ lead  PLAN (2)  ended  2 turns",
    "└─ · lead  EXECUTE  waiting for mail  1 turn  1m 05s  from 2 open conversations",
    "   ├─ ● writer  dispatch:3.1.1  running  turn 3  1m 05s  1 failed  compiling…",
    "   ├─ ○ writer  dispatch:3.1.2  queued  0 turns  1m 05s  task: write too",
    "   ├─ ? writer  dispatch:3.1.3  waiting for the human  1 turn  1m 05s  q1: which?",
    "   └─ ✓ writer  dispatch:3.1.4  ended  1 turn  merged as abc1234",
  ]);
});

test("a parked job and its questions stand in the first line; an ended one stops its clock", () => {
  const asked = { agent: "lead", policy: "always", since: AT, default: null } as const;
  const question = { id: "q1", conversation: "escalation:q1", exchange: 1, thread: "t", text: "?", ...asked };
  const parked = job([], { parked: "the budget of 4 turns is spent", questions: [question] });
  expect(treeLines(parked, { width: 200, rows: 20, now: NOW })).toEqual([
    "notes-1  EXECUTE  4 turns  1m 05s  parked: the budget of 4 turns is spent  1 question open",
  ]);
  const ended = job([], { ended: true, state: "DONE", at: "2026-01-01T00:00:02.500Z" });
  expect(treeLines(ended, { width: 200, rows: 20, now: NOW })).toEqual(["notes-1  DONE  4 turns  2.5s"]);
});

test.each([
  [NOTHING_SPENT, "queued  0 turns"],
  [spent(2, null, null), "cost unknown"],
  [spent(2, 50, null), "  50 tokens"],
  [spent(2, 50, null, [1, 2]), "at least 50 tokens"],
  [spent(2, 50, 0.1), "  0.10 USD"],
  [spent(2, null, 0.1), "  0.10 USD"],
  [spent(2, 50, 0.1, [0, 1]), "at least 0.10 USD"],
])("what a thread has used (%j) is shown where it is wanted, unknown never as zero", (spent, says) => {
  const one = writer(1, { state: "queued", turns: spent.turns, spent });
  const options = { width: 200, rows: 20, now: NOW };
  expect(treeLines(job([lead([one])]), { ...options, costs: true })[2]).toContain(says);
  expect(treeLines(job([lead([one])]), options)[2]).not.toMatch(/USD|cost|token/u);
});

test("a job whose agents have no boundary says so as long as it runs", () => {
  const boundary = { lead: "in-process", writer: "advisory" };
  const [line] = treeLines(job([], { boundary }), { width: 200, rows: 20, now: NOW });
  expect(line).toBe("notes-1  EXECUTE  4 turns  1m 05s  no boundary (advisory)");
  const [last] = treeLines(job([], { boundary, ended: true }), { width: 200, rows: 20, now: NOW });
  expect(last).toBe("notes-1  EXECUTE  4 turns  0ms");
});

test("a turn that nobody runs any more was running", () => {
  const view = job([lead([], { state: "running" })]);
  expect(treeLines(view, { width: 200, rows: 20, now: NOW, ownerless: true })[1]).toContain("was running");
});

const many = job([
  lead([1, 2, 3, 4, 5].map((n) => writer(n, n < 5 ? { state: "ended" } : { state: "running" }))),
]);

test.each([20, 40, 80])("no line is wider than %i cells", (width) => {
  for (const line of treeLines(many, { width, rows: 20, now: NOW }))
    expect(widthOf(line)).toBeLessThanOrEqual(width);
});

test("where rows are short ended conversations are summed up, then the rest is cut", () => {
  const lines = (rows: number) => treeLines(many, { width: 60, rows, now: NOW });
  expect(lines(7)).toHaveLength(7);
  expect(lines(4)).toEqual([
    "notes-1  EXECUTE  4 turns  1m 05s",
    "└─ · lead  EXECUTE  waiting for mail  1 turn  1m 05s  from …",
    "   ├─ ● writer  dispatch:3.1.5  running  turn 2  1m 05s",
    "   └─ 4 conversations ended",
  ]);
  expect(lines(3).at(-1)).toBe("… 2 more");
});

test("what is unknown is never shown as zero", () => {
  expect(spentText(spent(1, null, null))).toBe("tokens unknown, USD unknown");
  expect(spentText(spent(2, 900, null))).toBe("tokens 900, USD unknown");
  expect(spentText(spent(2, 900, 0.5, [1, 0]))).toBe(
    "tokens at least 900 (1 turn did not tell all), USD 0.50",
  );
  expect(spentText(spent(2, 0, 1.5))).toBe("tokens 0, USD 1.50");
});

test.each([
  [{ tokens: null, usd: null }, "usage=unknown"],
  [{ tokens: 120, usd: null }, "tokens=120 usd=unknown"],
  [{ tokens: null, usd: 0 }, "tokens=unknown usd=0.00"],
  [{ tokens: 120, usd: 0.5, priced: true as const }, "tokens=120 usd=0.50 (by prices)"],
  [{ tokens: 120, usd: 0.5, partial: ["tokens" as const] }, "tokens=≥120 usd=0.50"],
])("what one turn has used (%j) is %s", (usage, says) => {
  expect(usageText(usage)).toBe(says);
});

test.each([
  [0, "0.00"],
  [0.00042, "0.00042"],
  [0.004567, "0.0046"],
  [0.25, "0.25"],
  [12.345, "12.35"],
])("%f dollars are written %s: a little is not nothing", (usd, says) => {
  expect(money(usd)).toBe(says);
});

test("a thread whose turn another agent runs says by whom", () => {
  const view = job([lead([], { state: "running", by: "second" })]);
  expect(treeLines(view, { width: 200, rows: 20, now: NOW })[1]).toContain(
    "● lead (by second)  EXECUTE  running",
  );
});
