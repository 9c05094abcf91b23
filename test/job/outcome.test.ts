import { describe, expect, it } from "vitest";
import { ACTIONS, type LiveState, NEW_RECORD, step } from "../../src/job/machine.ts";
import { OUTCOME_BYTES_MAX, judgeRecord } from "../../src/job/outcome.ts";

const write = (outcome: string): string => JSON.stringify({ outcome, reason: "because" });

/** What a lead may leave behind: each action, PENDING, an unknown word, broken JSON, nothing. */
const RECORDS: readonly (readonly [name: string, bytes: string | null])[] = [
  ...ACTIONS.map((action) => [action, write(action)] as const),
  ["PENDING", write("PENDING")],
  ["unknown", write("FINISHED")],
  ["broken", '{"outcome": "WITHDRAW", '],
  ["none", null],
];

/** The seed's transitions (CfA §3, §4); every other pair of state and record is a violation or pending. */
const TRANSITIONS: Readonly<Record<LiveState, Readonly<Record<string, string>>>> = {
  INTENT: { APPROVED_INTENT: "PLAN", WITHDRAW: "WITHDRAWN", none: "pending" },
  PLAN: { APPROVED_PLAN: "EXECUTE", REALIGN: "INTENT", WITHDRAW: "WITHDRAWN", none: "pending" },
  EXECUTE: {
    APPROVED_WORK: "DONE",
    REALIGN: "INTENT",
    REPLAN: "PLAN",
    WITHDRAW: "WITHDRAWN",
    none: "pending",
  },
};

function consequence(state: LiveState, bytes: string | null): string {
  const judged = judgeRecord(state, bytes);
  if (judged.verdict !== "action") return judged.verdict;
  const next = step({ ...NEW_RECORD, state }, judged.action, { reason: judged.reason, origin: "skill" });
  return "record" in next ? next.record.state : next.refused;
}

describe.each(["INTENT", "PLAN", "EXECUTE"] as const)("in %s", (state) => {
  it.each(RECORDS)("the record %s has the consequence of the table", (name, bytes) => {
    expect(consequence(state, bytes)).toBe(TRANSITIONS[state][name] ?? "violation");
  });
});

describe("a record", () => {
  it("carries its reason", () => {
    expect(judgeRecord("PLAN", '{"reason": "the goal moved", "outcome": "REALIGN"}\n')).toEqual({
      verdict: "action",
      action: "REALIGN",
      reason: "the goal moved",
    });
  });

  it.each([
    ["", "is not JSON"],
    ["WITHDRAW", "is not JSON"],
    ["\uFEFF" + write("WITHDRAW"), "is not JSON"],
    ["null", "is no JSON object"],
    ['"WITHDRAW"', "is no JSON object"],
    ["[]", "is no JSON object"],
    ["{}", 'has no text as "outcome" and has no text as "reason"'],
    ['{"outcome": "WITHDRAW"}', 'has no text as "reason"'],
    ['{"outcome": "WITHDRAW", "reason": 7}', 'has no text as "reason"'],
    ['{"outcome": null, "reason": ""}', 'has no text as "outcome"'],
    ['{"outcome": "WITHDRAW", "reason": "", "note": 1}', 'has the unknown key "note"'],
    [write("withdraw"), 'names the unknown outcome "withdraw"; write one of APPROVED_INTENT, WITHDRAW'],
    [write(" WITHDRAW"), 'names the unknown outcome " WITHDRAW"'],
    [write("toString"), 'names the unknown outcome "toString"'],
    [write(""), 'names the unknown outcome ""'],
    [write("REPLAN"), "names REPLAN, which INTENT cannot emit; write one of APPROVED_INTENT, WITHDRAW"],
    [write("FAILURE"), "names FAILURE, which only the orchestrator emits"],
    [write("PENDING"), "names PENDING, which is no outcome"],
  ])("%j is a violation that %s", (bytes, problem) => {
    const judged = judgeRecord("INTENT", bytes);
    expect(judged).toMatchObject({
      verdict: "violation",
      problem: expect.stringContaining(`.cfa/outcome.json ${problem}`),
    });
  });

  it("may be as large as the limit and not a byte larger", () => {
    const empty = JSON.stringify({ outcome: "WITHDRAW", reason: "" }).length;
    const sized = (bytes: number): string =>
      JSON.stringify({ outcome: "WITHDRAW", reason: "x".repeat(bytes - empty) });
    expect(judgeRecord("INTENT", sized(OUTCOME_BYTES_MAX)).verdict).toBe("action");
    expect(judgeRecord("INTENT", sized(OUTCOME_BYTES_MAX + 1))).toMatchObject({
      verdict: "violation",
      problem: expect.stringContaining("larger than 64 KiB"),
    });
  });
});
