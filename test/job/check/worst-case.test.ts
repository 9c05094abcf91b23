/** The worst case: figures that no run exceeds, and the run that comes nearest. */
import { describe, expect, test } from "vitest";
import { finishedTurn } from "../../../src/job/check/choices.ts";
import { worstCase } from "../../../src/job/check/worst-case.ts";
import { leadOf } from "../../../src/job/state-record.ts";
import { admit, type Call } from "../../../src/runtime/admission.ts";
import type { OutboxEntry } from "../../../src/runtime/outbox.ts";
import { jobOf, startOf } from "./job.ts";

const limits = { fan_out: 2, max_turns: 10, backtracks: 1, retries: 2 };

describe("the worst case", () => {
  test("a lead alone is bounded in everything", () => {
    expect(worstCase(jobOf({ lead: [] }, { limits }))).toEqual({
      entries: 6,
      leadTurns: 60,
      openAtOnce: 1,
      dispatches: 0,
      turns: 60,
      questions: 60_000,
      callsPerTurn: 1000,
      modest: { dispatches: 0, turns: 60, questions: 60 },
    });
  });

  test("a dispatched agent may go on for ever, yet the number of conversations is bounded", () => {
    expect(worstCase(jobOf({ lead: ["a"], a: [] }, { limits }))).toMatchObject({
      leadTurns: 60,
      openAtOnce: 3,
      dispatches: 60_000,
      turns: null,
      questions: null,
      modest: { dispatches: 120, turns: 60 + 120 * 3, questions: 60 },
    });
  });

  test("a proxy may ask the human again and again, in turns of its own; a budget bounds them", () => {
    const proxy = { lead: [], proxy: [] };
    expect(worstCase(jobOf(proxy, { limits }))).toMatchObject({ turns: null, questions: 60_000 });
    expect(worstCase(jobOf(proxy, { limits, budget: { turns: 70 } }))).toMatchObject({ turns: 70 });
  });

  test("a chain of rosters bounds what is open at once, a cycle nothing", () => {
    const endless = { dispatches: null, turns: null, questions: null };
    const chain = { lead: ["a"], a: ["b"], b: [] };
    expect(worstCase(jobOf(chain, { limits }))).toMatchObject({ ...endless, openAtOnce: 7 });
    expect(worstCase(jobOf({ lead: ["lead"] }, { limits }))).toMatchObject({ ...endless, openAtOnce: null });
  });

  test("a budget of turns bounds everything", () => {
    expect(worstCase(jobOf({ lead: ["lead"] }, { limits, budget: { turns: 5 } }))).toMatchObject({
      entries: 6,
      leadTurns: 5,
      openAtOnce: 11,
      dispatches: 5000,
      turns: 5,
      questions: 5000,
      modest: { dispatches: 10, turns: 5, questions: 5 },
    });
  });
});

test("one turn may open far more conversations than limits.fan_out, and never more than it has calls", () => {
  const definition = jobOf({ lead: ["a"], a: [] }, { limits, budget: { turns: 1 } });
  const { model } = startOf(definition);
  const lead = leadOf(model.record);
  const plan = model.turns.get(lead);
  if (plan === undefined) throw new Error("the lead has no turn");
  const entries: OutboxEntry[] = [];
  while (entries.length < 200) {
    const last = entries.at(-1);
    const call: Call =
      last?.verb === "send"
        ? { verb: "close", thread: last.thread }
        : { verb: "send", to: "a", message: "work", files: [], optional: false };
    const admission = admit(plan.facts, entries, call);
    if ("refused" in admission) throw new Error(admission.refused);
    entries.push(admission.entry);
  }
  model.end(lead, { ...finishedTurn(model, plan, { kind: "silence", leaves: false }), entries });
  const opened = model.ledger.thread(lead).children.length;
  const { dispatches, modest } = worstCase(definition);
  expect({ opened, dispatches, modest: modest.dispatches }).toEqual({
    opened: 100,
    dispatches: 1000,
    modest: 2,
  });
});
