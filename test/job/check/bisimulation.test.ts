/**
 * States of one shape have the same future: whatever can happen in one can happen in the other, and leads to the same shape.
 *
 * This holds where nothing is counted (H3 of shape.ts: `retries: 0`, limits out of reach) and nothing has piled up (H4: such
 * states are not compared).
 */
import { expect, test } from "vitest";
import type { Model } from "../../../src/job/check/model.ts";
import { shapeOf } from "../../../src/job/check/shape.ts";
import { after, type Step, stepsOf } from "../../../src/job/check/walk.ts";
import { jobOf, type Rosters, startOf } from "./job.ts";

const limits = (fan_out: number) => ({
  limits: { fan_out, retries: 0, max_turns: 1000, backtracks: 1000 },
});

/** A step without the names of threads. */
function label(step: Step): string {
  if (step.kind === "answer") return "answer";
  const { choice } = step;
  const words: readonly unknown[] = [
    choice.kind,
    "action" in choice ? choice.action : "",
    "clumsy" in choice && choice.clumsy,
    "leaves" in choice && choice.leaves,
    "agents" in choice ? choice.agents.length : 0,
  ];
  return words.join(" ");
}

/** What can come next, with the models that it leads to. */
function futureOf(model: Model) {
  const next = stepsOf(model).map((step) => ({ step, model: after(model, step) }));
  return {
    words: [...new Set(next.map((one) => `${label(one.step)} → ${shapeOf(one.model)}`))].sort(),
    models: next.map((one) => one.model),
  };
}

/** More than one message unread, or more than one child failed and not closed. */
function hasPiledUp({ ledger, configuration }: Model): boolean {
  return [...ledger.threads.values()].some(({ thread, children }) => {
    const unread = configuration.cell(thread)?.mailboxes.some(({ messages }) => messages.length > 1) ?? false;
    return unread || children.filter((child) => ledger.thread(child).failed).length > 1;
  });
}

test.each<[string, Rosters, Readonly<Record<string, unknown>>, number]>([
  ["two conversations at once", { lead: ["a"], a: [] }, limits(2), 5],
  [
    "questions to a human",
    { lead: ["a"], a: [] },
    { ...limits(1), states: { PLAN: { escalation: "always" } } },
    8,
  ],
  ["a dispatched agent that dispatches", { lead: ["a"], a: ["b"], b: [] }, limits(1), 6],
  ["dispatches that wait for a close", { lead: ["a"], a: [] }, { ...limits(1), over_cap: "wait" }, 6],
])("%s", (_, rosters, keys, depth) => {
  const known = new Map<string, { readonly words: readonly string[]; seen: number }>();
  let compared = 0;
  let level: Model[] = [startOf(jobOf(rosters, keys)).model];
  for (let at = 0; at < depth; at++) {
    const next: Model[] = [];
    for (const model of level) {
      const shape = shapeOf(model);
      const first = known.get(shape);
      if (first?.seen === 2 || hasPiledUp(model)) continue;
      const { words, models } = futureOf(model);
      if (first === undefined) known.set(shape, { words, seen: 1 });
      else {
        expect({ shape, words }).toEqual({ shape, words: first.words });
        first.seen += 1;
        compared += 1;
      }
      next.push(...models);
    }
    level = next;
  }
  expect(compared).toBeGreaterThan(30);
});
