import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialTransition } from "xstate";
import {
  ACTION_TO_STATE,
  ACTIONS,
  ALLOWED_FROM,
  type Action,
  type Cause,
  EMITTED_BY,
  type JobRecord,
  type JobState,
  LIVE_STATES,
  NEW_RECORD,
  type Origin,
  TERMINAL_STATES,
  approvalsBefore,
  isBacktrack,
  isLive,
  jobMachine,
  skillOutcomes,
  step,
} from "../../src/job/machine.ts";

const STATES: readonly JobState[] = [...LIVE_STATES, ...TERMINAL_STATES];
const ORIGINS: readonly Origin[] = ["skill", "orchestrator", "human"];

/** CfA §3, Diagram 1, line by line; `+1` marks a backtrack. */
const DIAGRAM = [
  "INTENT --> PLAN : APPROVED_INTENT",
  "PLAN --> EXECUTE : APPROVED_PLAN",
  "EXECUTE --> DONE : APPROVED_WORK",
  "PLAN --> INTENT : REALIGN +1",
  "EXECUTE --> INTENT : REALIGN +1",
  "EXECUTE --> PLAN : REPLAN +1",
  "INTENT --> WITHDRAWN : WITHDRAW",
  "PLAN --> WITHDRAWN : WITHDRAW",
  "EXECUTE --> WITHDRAWN : WITHDRAW",
  "INTENT --> FAILURE : FAILURE",
  "PLAN --> FAILURE : FAILURE",
  "EXECUTE --> FAILURE : FAILURE",
];

const at = (state: JobState): JobRecord => ({ ...NEW_RECORD, state });
const by = (origin: Origin): Cause => ({ reason: "because", origin });
const rightful = (action: Action): Cause => by(EMITTED_BY[action][0] ?? "skill");

describe("the transition graph", () => {
  it("is exactly Diagram 1", () => {
    const edges = STATES.flatMap((state) =>
      ACTIONS.flatMap((action) => {
        const next = step(at(state), action, rightful(action));
        if (!("record" in next)) return [];
        const count = next.record.backtracks === 0 ? "" : ` +${next.record.backtracks}`;
        return [`${state} --> ${next.record.state} : ${action}${count}`];
      }),
    );
    expect(edges.sort()).toEqual([...DIAGRAM].sort());
  });

  it("begins at INTENT and ends where no action leaves", () => {
    expect(NEW_RECORD).toEqual({ state: "INTENT", history: [], backtracks: 0 });
    expect(initialTransition(jobMachine)[0].value).toBe("INTENT");
    for (const state of TERMINAL_STATES) {
      expect(jobMachine.resolveState({ value: state, context: { history: [], backtracks: 0 } }).status).toBe(
        "done",
      );
    }
  });

  it("has a target for every action and no other", () => {
    expect(Object.keys(ACTION_TO_STATE)).toEqual([...ACTIONS]);
    expect(ACTIONS).toHaveLength(7);
  });
});

describe("who may emit what", () => {
  it.each([
    ["INTENT", ["APPROVED_INTENT", "WITHDRAW"]],
    ["PLAN", ["APPROVED_PLAN", "REALIGN", "WITHDRAW"]],
    ["EXECUTE", ["APPROVED_WORK", "REALIGN", "REPLAN", "WITHDRAW"]],
  ] as const)("a skill in %s writes one of %j", (state, outcomes) => {
    expect(skillOutcomes(state)).toEqual(outcomes);
  });

  it.each([
    ["FAILURE", "skill", "FAILURE cannot come from the skill, only from the orchestrator"],
    ["FAILURE", "human", "FAILURE cannot come from the human, only from the orchestrator"],
    [
      "APPROVED_INTENT",
      "orchestrator",
      "APPROVED_INTENT cannot come from the orchestrator, only from the skill or the human",
    ],
    [
      "WITHDRAW",
      "orchestrator",
      "WITHDRAW cannot come from the orchestrator, only from the skill or the human",
    ],
    ["APPROVED_WORK", "skill", "APPROVED_WORK is not possible in INTENT, only in EXECUTE"],
    ["REPLAN", "skill", "REPLAN is not possible in INTENT, only in EXECUTE"],
  ] as const)("%s of the %s in INTENT is refused", (action, origin, refused) => {
    expect(step(NEW_RECORD, action, by(origin))).toEqual({ refused });
  });

  it("the operator's artifacts stand for the approvals before a later start", () => {
    const starts = LIVE_STATES.map((start) => approvalsBefore(start));
    expect(starts).toEqual([[], ["APPROVED_INTENT"], ["APPROVED_INTENT", "APPROVED_PLAN"]]);
  });
});

describe("a step", () => {
  it("records action, reason, origin and log entry, and leaves the record before as it was", () => {
    const before = Object.freeze({ ...NEW_RECORD, history: Object.freeze([]) });
    const cause = { reason: "agreed", origin: "skill", seq: 12 } as const;
    expect(step(before, "APPROVED_INTENT", cause)).toEqual({
      record: {
        state: "PLAN",
        history: [
          {
            from: "INTENT",
            action: "APPROVED_INTENT",
            to: "PLAN",
            reason: "agreed",
            origin: "skill",
            seq: 12,
          },
        ],
        backtracks: 0,
      },
    });
    expect(before).toEqual(NEW_RECORD);
  });

  it.each(TERMINAL_STATES)("is refused in %s, whatever the action", (state) => {
    for (const action of ACTIONS) {
      expect(step(at(state), action, rightful(action))).toEqual({
        refused: `the job is ${state}, which no action leaves`,
      });
    }
  });

  const walk = fc.array(fc.tuple(fc.constantFrom(...ACTIONS), fc.constantFrom(...ORIGINS)), {
    maxLength: 40,
  });

  it("is deterministic, total and append-only on every walk", () => {
    fc.assert(
      fc.property(walk, (moves) => {
        let record = NEW_RECORD;
        for (const [action, origin] of moves) {
          const next = step(record, action, by(origin));
          expect(step(record, action, by(origin))).toEqual(next);
          const possible =
            isLive(record.state) &&
            ALLOWED_FROM[action].includes(record.state) &&
            EMITTED_BY[action].includes(origin);
          expect("record" in next).toBe(possible);
          if (!("record" in next)) continue;
          expect(next.record.state).toBe(ACTION_TO_STATE[action]);
          expect(next.record.history.slice(0, -1)).toEqual(record.history);
          expect(next.record.history).toHaveLength(record.history.length + 1);
          record = next.record;
        }
        const backtracks = record.history.filter(({ from, to }) => isBacktrack(from, to)).length;
        expect(record.backtracks).toBe(backtracks);
      }),
    );
  });
});
