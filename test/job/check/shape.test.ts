/** Which states of a job are taken as one. */
import { describe, expect, test } from "vitest";
import type { TurnChoice } from "../../../src/job/check/choices.ts";
import { shapeOf } from "../../../src/job/check/shape.ts";
import { follow, type Node } from "../../../src/job/check/walk.ts";
import { leadOf } from "../../../src/job/state-record.ts";
import { jobOf, startOf } from "./job.ts";

const start = () => startOf(jobOf({ lead: ["one", "other", "boss"], one: [], other: [], boss: ["one"] }));
const lead = ({ model }: Node, choice: TurnChoice): Node =>
  follow({ model, from: undefined, step: undefined }, { kind: "turn", thread: leadOf(model.record), choice });
const child = (node: Node, at: number, choice: TurnChoice): Node => {
  const thread = node.model.ledger.thread(leadOf(node.model.record)).children[at] ?? "";
  return follow(node, { kind: "turn", thread, choice });
};
const dispatch = (...agents: readonly string[]): TurnChoice => ({ kind: "dispatch", agents, closes: [] });
const silence: TurnChoice = { kind: "silence", leaves: false };
const shape = ({ model }: Node) => shapeOf(model);

/** What a boss below the lead has dispatched does something. */
function grandchild(node: Node, choice: TurnChoice): Node {
  const opened = lead(node, dispatch("boss"));
  const [boss = ""] = opened.model.ledger.thread(leadOf(opened.model.record)).children;
  const both = follow(opened, { kind: "turn", thread: boss, choice: dispatch("one") });
  const [thread = ""] = both.model.ledger.thread(boss).children;
  return follow(both, { kind: "turn", thread, choice });
}

describe("one shape", () => {
  test("for children that are alike, whichever of them has gone on", () => {
    const two = lead(start(), dispatch("one", "one"));
    expect(shape(child(two, 0, silence))).toBe(shape(child(two, 1, silence)));
  });

  test("for agents that cannot be told apart, in any order", () => {
    const [some, others] = [dispatch("one", "other"), dispatch("other", "other")];
    expect(shape(lead(start(), some))).toBe(shape(lead(start(), others)));
  });

  test("for children of a lead, whether they owe it a reply or not: it answers to nobody", () => {
    const node = lead(start(), dispatch("one"));
    const told = lead(child(node, 0, { kind: "reply" }), silence);
    expect(shape(told)).toBe(shape(child(node, 0, silence)));
  });

  test("for a lead that is nudged, however often", () => {
    const nudged = lead(start(), silence);
    expect(shape(nudged)).toBe(shape(start()));
    expect(nudged.model.ledger.spent.turns).toBe(1);
  });
});

describe("another shape", () => {
  test.each<[string, (node: Node) => Node, (node: Node) => Node]>([
    ["in another state of the job", (node) => node, (node) => lead(node, approve("APPROVED_INTENT"))],
    [
      "with an agent of another kind",
      (node) => lead(node, dispatch("one")),
      (node) => lead(node, dispatch("boss")),
    ],
    [
      "where a child of a dispatched agent owes a reply",
      (node) => grandchild(node, silence),
      (node) => grandchild(node, { kind: "reply" }),
    ],
    [
      "where a required child has failed",
      (node) => child(lead(node, dispatch("one")), 0, { kind: "reply" }),
      (node) => child(lead(node, dispatch("one")), 0, { kind: "fail" }),
    ],
  ])("%s", (_, one, other) => {
    const node = start();
    expect(shape(one(node))).not.toBe(shape(other(node)));
  });
});

test("following a step leaves the state before it as it was", () => {
  const node = lead(start(), dispatch("one", "other"));
  const before = { shape: shape(node), turns: node.model.ledger.spent.turns };
  child(node, 0, { kind: "fail" });
  child(node, 1, { kind: "ask" });
  expect({ shape: shape(node), turns: node.model.ledger.spent.turns }).toEqual(before);
});

function approve(action: "APPROVED_INTENT"): TurnChoice {
  return { kind: "outcome", action, clumsy: false };
}
