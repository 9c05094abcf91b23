/** What a check says of jobs: which pass, which do not, and the way that it shows. */
import { describe, expect, test } from "vitest";
import { Edit } from "../../../src/soup/edit.ts";
import { defectsOf } from "../../../src/job/check/verdicts.ts";
import { straightRun } from "../../../src/job/check/straight.ts";
import { check, jobOf, type Rosters, startOf } from "./job.ts";

const SOLO: Rosters = { lead: [] };
const TEAM: Rosters = { lead: ["worker"], worker: [] };

describe("a job passes", () => {
  test.each([
    ["one agent", SOLO, {}],
    [
      "one agent that may take one turn a state",
      SOLO,
      { limits: { max_turns: 1, retries: 0, backtracks: 0 } },
    ],
    ["a team of two, one conversation at a time", TEAM, { limits: { fan_out: 1 } }],
    ["dispatches that wait for a close", TEAM, { over_cap: "wait", limits: { fan_out: 1 } }],
    ["a human who is always asked", TEAM, { states: { EXECUTE: { escalation: "always" } } }],
    ["nobody to ask", TEAM, { human: "none" }],
    ["a cycle that a budget bounds", { lead: ["lead"] }, { budget: { turns: 50 } }],
  ])("%s", (_, rosters, keys) => {
    expect(check(jobOf(rosters, keys)).findings).toEqual([]);
  });
});

test("a time is no bound on how much is dispatched", () => {
  const keys = { deadline: "1h", budget: { wall: "1h" } };
  expect(check(jobOf({ lead: ["lead"] }, keys)).findings).toMatchObject([{ kind: "unbounded" }]);
});

test("a small job is walked to the end, each of its states with the same choices", () => {
  const { walked } = check(jobOf(TEAM, { limits: { fan_out: 1 } }));
  const { INTENT, ...others } = walked.of;
  expect(INTENT).toBeGreaterThan(10);
  expect(others).toEqual({ PLAN: INTENT, EXECUTE: INTENT, DONE: 1, WITHDRAWN: 1, FAILURE: 2 });
  expect(walked.cut).toBeNull();
});

test("a bound that cuts is named, with the turns up to which nothing was left out", () => {
  const { walked } = check(jobOf(TEAM), 20);
  expect(walked).toMatchObject({ cut: "maxStates", states: 20 });
  expect(walked.turns).toBeGreaterThan(0);
});

test("the same job gives the same report", () => {
  expect(check(jobOf(TEAM))).toEqual(check(jobOf(TEAM)));
});

describe("DONE is out of reach", () => {
  test.each([
    [{ budget: { turns: 2 } }, "INTENT, PLAN, EXECUTE need 3 turns, one each, and budget.turns is 2"],
    [{ budget: { turns: 1 } }, "INTENT, PLAN, EXECUTE need 3 turns, one each, and budget.turns is 1"],
  ])("under %j", (keys, what) => {
    const { findings, turnsToDone } = check(jobOf(SOLO, keys));
    expect(turnsToDone).toBeNull();
    expect(findings).toMatchObject([{ kind: "done-out-of-reach", what: `DONE cannot be reached: ${what}` }]);
  });

  test("the way there ends where the budget does", () => {
    expect(check(jobOf(SOLO, { budget: { turns: 2 } })).findings[0]?.trace).toEqual([
      "The job starts: lead (INTENT) is given its task.",
      "lead (INTENT) ends its turn with APPROVED_INTENT: INTENT is over, the job goes on to PLAN; lead (PLAN) is given its task.",
      "lead (PLAN) ends its turn with APPROVED_PLAN: PLAN is over, the job goes on to EXECUTE; lead (EXECUTE) is given its task; no turn may begin any more, and the job is parked: the budget of 2 turns is spent.",
      "DONE is out of reach: every lead approved in its first turn, and still EXECUTE lacks a turn that budget.turns (2) does not allow.",
    ]);
  });

  test("a budget that is just enough passes", () => {
    expect(check(jobOf(SOLO, { budget: { turns: 3 } }))).toMatchObject({ findings: [], turnsToDone: 3 });
  });
});

describe("a question that nobody may answer", () => {
  const always = { escalation: "always" };

  test("is shown in the first state where it can be asked, and every such state is named", () => {
    const job = jobOf(SOLO, { human: "none", states: { INTENT: always, EXECUTE: always } });
    expect(check(job).findings).toMatchObject([
      {
        kind: "unanswerable-question",
        trace: [
          "The job starts: lead (INTENT) is given its task.",
          "lead (INTENT) asks a question: the question is put to the human.",
          expect.stringContaining("lead (INTENT) waits for an answer that nobody may give"),
        ],
        advice: "write escalation: never or when_unsure for INTENT, EXECUTE, or give the job a human",
      },
    ]);
  });

  test("is found in a later state", () => {
    const [finding] = check(jobOf(SOLO, { human: "none", states: { EXECUTE: always } })).findings;
    expect(finding?.what).toContain("a question asked in EXECUTE can never be answered");
    expect(finding?.trace).toHaveLength(5);
  });
});

describe("dispatching without end", () => {
  test("a cycle of rosters is shown by one lap of it", () => {
    const job = jobOf({ lead: ["a"], a: ["b"], b: ["a"] });
    expect(check(job, 50).findings).toMatchObject([
      {
        kind: "unbounded",
        what: "conversations can be opened without end: the rosters form a cycle (a → b → a)",
        trace: [
          "The job starts: lead (INTENT) is given its task.",
          "lead (INTENT) dispatches a 1.",
          "a 1 dispatches b 1.",
          "b 1 dispatches a 2.",
          expect.stringContaining("a 2 now works below a 1 and may do the same again"),
        ],
        advice: "set budget.turns, or give the agents that are dispatched no rosters",
      },
    ]);
  });

  test("a dispatched agent with a roster may dispatch again after every reply", () => {
    const job = jobOf({ lead: ["boss"], boss: ["worker"], worker: [] });
    expect(check(job, 50).findings).toMatchObject([
      {
        kind: "unbounded",
        trace: [
          "The job starts: lead (INTENT) is given its task.",
          "lead (INTENT) dispatches boss 1.",
          "boss 1 dispatches worker 1.",
          "worker 1 replies to whoever dispatched it.",
          "boss 1 closes worker 1 and dispatches worker 2.",
          expect.stringContaining("boss 1 may go on like this after every reply"),
        ],
      },
    ]);
  });

  test("it is shown in the state whose lead can begin it, also when that is an earlier one", () => {
    const rosters = { lead: ["lead"], quiet: [] };
    const states = { INTENT: { agent: "quiet" }, PLAN: { agent: "quiet" } };
    const [late] = check(jobOf(rosters, { states }), 20).findings;
    expect(late?.trace[3]).toBe("lead (EXECUTE) dispatches lead 1.");
  });

  test("money and tokens do not count as a bound: nobody reports them", () => {
    const { findings, remarks } = check(jobOf({ lead: ["lead"] }, { budget: { usd: 5 } }), 20);
    expect(findings).toMatchObject([{ kind: "unbounded" }]);
    expect(remarks).toContainEqual(expect.stringContaining("budget.usd counts what agents report"));
  });
});

describe("what no job of today's engine shows", () => {
  test("a standstill", () => {
    const start = startOf(jobOf(SOLO));
    start.model.turns.clear();
    expect(defectsOf(start, []).map(({ finding }) => finding())).toMatchObject([
      { kind: "deadlock", what: expect.stringContaining("standstill in INTENT") },
    ]);
  });

  test("a conversation whose state is over", () => {
    const start = startOf(jobOf(SOLO));
    const { model } = start;
    const edit = new Edit(model.configuration).add({
      kind: "Parent",
      child: "old",
      thread: model.ledger.root,
    });
    model.configuration = edit.done();
    expect(defectsOf(start, [{ kind: "answer", question: "q" }]).map(({ key }) => key)).toEqual([
      "left-behind",
    ]);
  });

  test("a tree that outlives its job", () => {
    const end = straightRun(startOf(jobOf(SOLO)));
    expect(defectsOf(end, [])).toEqual([]);
    end.model.ledger.thread(end.model.ledger.root).closed = false;
    expect(defectsOf(end, []).map(({ key }) => key)).toEqual(["left-behind"]);
  });
});
