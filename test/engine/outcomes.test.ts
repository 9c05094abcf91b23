/** What a lead's outcome record does, for every live state and every thing that can stand in it (CfA §3, §4). */
import { describe, expect, test } from "vitest";
import type { LiveState } from "../../src/job/machine.ts";
import { approve, bodies, type Keys, mailOf, record, runJob, transitions } from "./fixture.ts";

/** Starts in the state under test, so that nothing else happens before it. */
const STARTS: Readonly<Record<LiveState, { readonly keys: Keys; readonly before: readonly string[] }>> = {
  INTENT: { keys: {}, before: [] },
  PLAN: {
    keys: { start: "PLAN", given: { intent: "intent.md" } },
    before: ["INTENT APPROVED_INTENT PLAN (human)"],
  },
  EXECUTE: {
    keys: { start: "EXECUTE", given: { intent: "intent.md", plan: "plan.md" } },
    before: ["INTENT APPROVED_INTENT PLAN (human)", "PLAN APPROVED_PLAN EXECUTE (human)"],
  },
};

/** What the first record of each state leads to: the state of the seed's diagram, or a violation that names the reason. */
const TABLE: readonly (readonly [state: LiveState, word: string, to: string])[] = [
  ["INTENT", "APPROVED_INTENT", "PLAN"],
  ["INTENT", "APPROVED_PLAN", "names APPROVED_PLAN, which INTENT cannot emit"],
  ["INTENT", "APPROVED_WORK", "names APPROVED_WORK, which INTENT cannot emit"],
  ["INTENT", "REALIGN", "names REALIGN, which INTENT cannot emit"],
  ["INTENT", "REPLAN", "names REPLAN, which INTENT cannot emit"],
  ["INTENT", "WITHDRAW", "WITHDRAWN"],
  ["INTENT", "FAILURE", "names FAILURE, which only the orchestrator emits"],
  ["INTENT", "PENDING", "names PENDING, which is no outcome"],
  ["INTENT", "DONE", 'names the unknown outcome "DONE"'],
  ["INTENT", "approved_intent", 'names the unknown outcome "approved_intent"'],
  ["PLAN", "APPROVED_INTENT", "names APPROVED_INTENT, which PLAN cannot emit"],
  ["PLAN", "APPROVED_PLAN", "EXECUTE"],
  ["PLAN", "APPROVED_WORK", "names APPROVED_WORK, which PLAN cannot emit"],
  ["PLAN", "REALIGN", "INTENT"],
  ["PLAN", "REPLAN", "names REPLAN, which PLAN cannot emit"],
  ["PLAN", "WITHDRAW", "WITHDRAWN"],
  ["PLAN", "FAILURE", "names FAILURE, which only the orchestrator emits"],
  ["PLAN", "PENDING", "names PENDING, which is no outcome"],
  ["PLAN", "EXECUTE", 'names the unknown outcome "EXECUTE"'],
  ["EXECUTE", "APPROVED_INTENT", "names APPROVED_INTENT, which EXECUTE cannot emit"],
  ["EXECUTE", "APPROVED_PLAN", "names APPROVED_PLAN, which EXECUTE cannot emit"],
  ["EXECUTE", "APPROVED_WORK", "DONE"],
  ["EXECUTE", "REALIGN", "INTENT"],
  ["EXECUTE", "REPLAN", "PLAN"],
  ["EXECUTE", "WITHDRAW", "WITHDRAWN"],
  ["EXECUTE", "FAILURE", "names FAILURE, which only the orchestrator emits"],
  ["EXECUTE", "PENDING", "names PENDING, which is no outcome"],
  ["EXECUTE", "", 'names the unknown outcome ""'],
];

/** Records that are no records. */
const MALFORMED: readonly (readonly [what: string, bytes: string, problem: string])[] = [
  ["broken JSON", '{"outcome": "APPROVED_', "is not JSON"],
  ["an empty file", "", "is not JSON"],
  ["an extra key", '{"outcome":"WITHDRAW","reason":"r","sure":true}', 'has the unknown key "sure"'],
  ["no reason", '{"outcome":"WITHDRAW"}', 'has no text as "reason"'],
  ["a list", '["WITHDRAW","r"]', "is no JSON object"],
  ["a number as outcome", '{"outcome":7,"reason":"r"}', 'has no text as "outcome"'],
];

const wordRecord = (word: string): string => JSON.stringify({ outcome: word, reason: "because" });
const LIVE: readonly LiveState[] = ["INTENT", "PLAN", "EXECUTE"];
const STATES = new Set(["INTENT", "PLAN", "EXECUTE", "DONE", "WITHDRAWN", "FAILURE"]);

describe.concurrent(
  "a record that the state may write moves the job as the diagram says, and no further",
  () => {
    for (const [state, word, to] of TABLE.filter(([, , to]) => STATES.has(to))) {
      test(`${word} in ${state} leads to ${to}`, async () => {
        const { keys, before } = STARTS[state];
        let first = true;
        const { entries, end, job } = await runJob(keys, {
          lead: (turn) => {
            record(turn, wordRecord(first ? word : "WITHDRAW"));
            first = false;
          },
        });
        const ended = to === "DONE" || to === "WITHDRAWN";
        const after = ended ? [] : [`${to} WITHDRAW WITHDRAWN (skill)`];
        expect(transitions(entries)).toEqual([...before, `${state} ${word} ${to} (skill)`, ...after]);
        expect(end).toEqual({ kind: "ended", state: ended ? to : "WITHDRAWN" });
        expect(bodies(entries, "violation")).toEqual([]);
        const backward = word === "REALIGN" || word === "REPLAN";
        expect(job.record.machine.backtracks).toBe(backward ? 1 : 0);
        expect(bodies(entries, "transition").at(before.length)).toMatchObject({
          reason: "because",
          record: wordRecord(word),
        });
      });
    }
  },
);

describe.concurrent("any other record is a violation; with retries: 0 the first one is FAILURE", () => {
  const rows = [
    ...TABLE.filter(([, , to]) => !STATES.has(to)).map(
      ([state, word, problem]) =>
        [state, word === "" ? "the empty word" : word, wordRecord(word), problem] as const,
    ),
    ...LIVE.flatMap((state) => MALFORMED.map((row) => [state, ...row] as const)),
  ];
  for (const [state, what, bytes, problem] of rows) {
    test(`${what} in ${state}: ${problem}`, async () => {
      const { keys, before } = STARTS[state];
      const lead = (turn: Parameters<typeof record>[0]) => record(turn, bytes);
      const { entries, end } = await runJob({ ...keys, limits: { retries: 0 } }, { lead });
      expect(end).toEqual({ kind: "ended", state: "FAILURE" });
      expect(transitions(entries)).toEqual([...before, `${state} FAILURE FAILURE (orchestrator)`]);
      expect(bodies(entries, "violation")).toEqual([
        expect.objectContaining({
          state,
          record: bytes,
          failures: 1,
          problem: expect.stringContaining(problem),
        }),
      ]);
      expect(bodies(entries, "transition").at(-1)?.reason).toContain(problem);
    });
  }
});

describe.concurrent("no record is PENDING: the state carries over", () => {
  for (const state of LIVE) {
    test(`a lead of ${state} that says nothing is nudged, and goes on in the same state`, async () => {
      const { keys, before } = STARTS[state];
      const { entries } = await runJob(keys, {
        lead: (turn) => (turn.turn === 1 ? "thinking" : record(turn, wordRecord("WITHDRAW"))),
      });
      expect(transitions(entries)).toEqual([...before, `${state} WITHDRAW WITHDRAWN (skill)`]);
      expect(bodies(entries, "violation")).toEqual([
        expect.objectContaining({ state, record: null, failures: 1 }),
      ]);
      const [, nudge] = bodies(entries, "turn");
      expect(nudge).toMatchObject({ turn: 2, result: "ok" });
      expect(mailOf(entries, nudge?.thread ?? "")).toEqual([expect.stringContaining("without an outcome")]);
    });

    test(`with retries: 0 the first turn of ${state} without a record is FAILURE`, async () => {
      const { keys, before } = STARTS[state];
      const { entries } = await runJob({ ...keys, limits: { retries: 0 } }, { lead: () => "thinking" });
      expect(transitions(entries)).toEqual([...before, `${state} FAILURE FAILURE (orchestrator)`]);
    });
  }
});

describe.concurrent("the retry budget of a state", () => {
  test("with retries: 2 the third violation in a row is FAILURE, and each carries its bytes", async () => {
    const { entries, end } = await runJob(
      { limits: { retries: 2 } },
      { lead: (turn) => record(turn, `no record ${turn.turn}`) },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "violation").map(({ record, failures }) => [record, failures])).toEqual([
      ["no record 1", 1],
      ["no record 2", 2],
      ["no record 3", 3],
    ]);
    expect(bodies(entries, "turn")).toHaveLength(3);
  });

  test("corrective mail tells the lead what was wrong and what is allowed, and a good record proceeds", async () => {
    const heard: string[] = [];
    const { end } = await runJob(
      { limits: { retries: 1 } },
      {
        lead: (turn) => {
          heard.push(`${turn.message.kind}: ${turn.message.body}`);
          const early = turn.state === "INTENT" && turn.turn === 1;
          return early ? record(turn, wordRecord("APPROVED_WORK")) : approve(turn);
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard[1]).toMatch(
      /^control: .*names APPROVED_WORK.*write one of APPROVED_INTENT, WITHDRAW.*last try/u,
    );
  });

  test("is new in each state", async () => {
    const { end, entries } = await runJob(
      { limits: { retries: 1 } },
      { lead: (turn) => (turn.turn === 1 ? "not yet" : approve(turn)) },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "violation").map(({ state, failures }) => `${state} ${failures}`)).toEqual([
      "INTENT 1",
      "PLAN 1",
      "EXECUTE 1",
    ]);
  });

  test("is shared by bad records, silence and failed turns", async () => {
    const { end, entries } = await runJob(
      { limits: { retries: 2 } },
      {
        lead: (turn) => {
          if (turn.turn === 1) record(turn, "{}");
          if (turn.turn === 2) throw new Error("out of ink");
          return "nothing";
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "violation").map(({ failures }) => failures)).toEqual([1, 2, 3]);
  });
});

describe.concurrent("who may write a record", () => {
  test("one of a dispatched child is ignored with a warning", async () => {
    const { entries, end } = await runJob(STARTS.EXECUTE.keys, {
      lead: (turn) =>
        turn.turn === 1 ? turn.send({ to: "worker", message: "go" }).then(() => "sent") : approve(turn),
      worker: (turn) => {
        record(turn, wordRecord("WITHDRAW"));
        return "tried";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "note")).toEqual([
      expect.objectContaining({
        level: "warn",
        thread: expect.stringMatching(/^dispatch:/u),
        text: expect.stringContaining("only the lead of a state"),
      }),
    ]);
  });

  test("a record from an earlier turn is never read again", async () => {
    const { entries } = await runJob(
      { limits: { retries: 1 } },
      {
        lead: (turn) => {
          if (turn.turn === 1) record(turn, wordRecord("FAILURE"));
          return "said";
        },
      },
    );
    expect(bodies(entries, "violation").map(({ record }) => record)).toEqual([wordRecord("FAILURE"), null]);
  });

  test("of a failed turn it is not taken", async () => {
    const { entries, end } = await runJob(
      { limits: { retries: 1 } },
      {
        lead: (turn) => {
          if (turn.turn > 1) return approve(turn);
          record(turn, wordRecord("WITHDRAW"));
          throw new Error("fell over");
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn")[0]).toMatchObject({
      result: "failed",
      failure: "fell over",
      outcome: null,
    });
  });
});
