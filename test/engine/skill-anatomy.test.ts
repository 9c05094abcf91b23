/**
 * The anatomy of a skill (CfA §4, Diagram 3), walked by a lead that is a scripted model: at ASK and ASSERT it does what the
 * human's answer says, and after START or REVISE it goes where the human's last words sent it.
 */
import { describe, expect, test } from "vitest";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import { type Keys, bodies, finish, read, startJob, transitions, write } from "./fixture.ts";

type Place = "START" | "DRAFT" | "ALIGN" | "ASK" | "ASSERT" | "REVISE" | "APPROVE" | "BACKTRACK" | "WITHDRAW";

/** Every edge of the diagram. */
const DIAGRAM = [
  "START→ALIGN",
  "START→DRAFT",
  "DRAFT→ASSERT",
  "DRAFT→ASK",
  "ALIGN→ASSERT",
  "ALIGN→ASK",
  "ASK→REVISE",
  "ASK→BACKTRACK",
  "ASK→WITHDRAW",
  "REVISE→ASSERT",
  "REVISE→ASK",
  "ASSERT→APPROVE",
  "ASSERT→REVISE",
  "ASSERT→BACKTRACK",
  "ASSERT→WITHDRAW",
];

const ARTIFACT: Readonly<Record<string, string>> = {
  INTENT: "INTENT.md",
  PLAN: "PLAN.md",
  EXECUTE: "WORK_SUMMARY.md",
};
const APPROVED: Readonly<Record<string, string>> = {
  INTENT: "APPROVED_INTENT",
  PLAN: "APPROVED_PLAN",
  EXECUTE: "APPROVED_WORK",
};

/** A model that notes the edges that it walks. `opens` says where each entry to a state goes from DRAFT or ALIGN. */
function model(walked: string[], opens: readonly ("ASK" | "ASSERT")[]): Script {
  let entries = 0;
  const walk = (from: Place, to: Place) => void walked.push(`${from}→${to}`);
  const put = async (turn: ScriptTurn, from: Place, to: "ASK" | "ASSERT") => {
    walk(from, to);
    await turn.ask(to);
  };
  return async (turn) => {
    const file = ARTIFACT[turn.state] ?? "";
    if (turn.message.kind === "task") {
      const made = turn.entry === "align" ? "ALIGN" : "DRAFT";
      walk("START", made);
      const before = made === "ALIGN" ? read(turn.workspace, file) : "";
      write(turn.workspace, file, `${before}${made}\n`);
      return put(turn, made, opens[entries++] ?? "ASSERT");
    }
    // The human's words: where the question came from, what it leads to, and after REVISE where that goes on.
    const [from, to, then] = turn.message.body.split(" ") as [Place, Place, ("ASK" | "ASSERT")?];
    walk(from, to);
    switch (to) {
      case "REVISE":
        write(turn.workspace, file, `${read(turn.workspace, file)}REVISE\n`);
        return put(turn, "REVISE", then ?? "ASSERT");
      case "APPROVE":
        return turn.outcome(APPROVED[turn.state] ?? "", "the human said yes");
      case "BACKTRACK":
        return turn.outcome(turn.state === "PLAN" ? "REALIGN" : "REPLAN", "the state before was wrong");
      case "WITHDRAW":
        return turn.outcome("WITHDRAW", "the human gives it up");
      default:
        throw new Error(`the model does not know the answer ${turn.message.body}`);
    }
  };
}

/** Runs a job whose human gives these answers, one a question. */
async function converse(keys: Keys, opens: readonly ("ASK" | "ASSERT")[], answers: readonly string[]) {
  const walked: string[] = [];
  const started = await startJob(keys, { lead: model(walked, opens) });
  let next = 0;
  for await (const entry of started.run) {
    const [fired] = bodies([entry], "fire");
    if (fired?.rule !== "escalate") continue;
    await started.run.answer(fired.at["e"] ?? "", answers[next++] ?? "the test has no answer");
  }
  return { ...(await finish(started)), walked };
}

describe.concurrent("every edge of the diagram is walked", () => {
  test("draft, ask, revise, assert, approve; align after a backtrack; the artifact is kept and carried on", async () => {
    const { walked, end, entries } = await converse(
      {},
      ["ASK", "ASSERT", "ASK", "ASSERT", "ASK", "ASSERT"],
      [
        // INTENT
        "ASK REVISE ASK",
        "ASK REVISE ASSERT",
        "ASSERT REVISE ASSERT",
        "ASSERT APPROVE",
        // PLAN: what was agreed was wrong
        "ASSERT BACKTRACK",
        // INTENT again
        "ASK REVISE ASSERT",
        "ASSERT APPROVE",
        // PLAN again
        "ASSERT APPROVE",
        // EXECUTE: the plan does not lead there
        "ASK BACKTRACK",
        // PLAN a third time, then EXECUTE, where nothing had been written
        "ASSERT APPROVE",
        "ASSERT APPROVE",
      ],
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(DIAGRAM.filter((edge) => !walked.includes(edge))).toEqual(["ASK→WITHDRAW", "ASSERT→WITHDRAW"]);
    expect(walked.filter((edge) => !DIAGRAM.includes(edge))).toEqual([]);
    expect(transitions(entries)).toEqual([
      "INTENT APPROVED_INTENT PLAN (skill)",
      "PLAN REALIGN INTENT (skill)",
      "INTENT APPROVED_INTENT PLAN (skill)",
      "PLAN APPROVED_PLAN EXECUTE (skill)",
      "EXECUTE REPLAN PLAN (skill)",
      "PLAN APPROVED_PLAN EXECUTE (skill)",
      "EXECUTE APPROVED_WORK DONE (skill)",
    ]);
  });

  test.each([
    ["ASK", ["ASK"]],
    ["ASSERT", ["ASSERT"]],
  ] as const)("withdraw at %s", async (at, opens) => {
    const { walked, end } = await converse({}, opens, [`${at} WITHDRAW`]);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(walked).toEqual(["START→DRAFT", `DRAFT→${at}`, `${at}→WITHDRAW`]);
  });
});
