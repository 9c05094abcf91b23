/** What rosters and limits alone say of a job. */
import { describe, expect, test } from "vitest";
import { kindsOf } from "../../../src/job/check/roles.ts";
import { depthOf, endlessDispatch, endOf } from "../../../src/job/check/rosters.ts";
import { jobOf, type Rosters } from "./job.ts";

const path = (rosters: Rosters, keys = {}) => endlessDispatch(jobOf(rosters, keys))?.path.join(" ");

describe("the shortest way to dispatch without end", () => {
  test.each<[string, Rosters, string | undefined]>([
    ["nobody dispatches", { lead: [] }, undefined],
    ["only the lead dispatches: its turns are limited", { lead: ["a", "b"], a: [], b: [] }, undefined],
    ["a dispatched agent dispatches", { lead: ["a"], a: ["b"], b: [] }, "a"],
    ["an agent dispatches itself", { lead: ["a"], a: ["a"] }, "a a"],
    ["the lead is dispatched in turn", { lead: ["a"], a: ["lead"] }, "a lead a"],
    ["a cycle goes before a shorter way", { lead: ["a", "c"], a: ["b"], b: [], c: ["c"] }, "c c"],
    ["a cycle that no lead reaches does not count", { lead: [], a: ["a"] }, undefined],
  ])("%s", (_, rosters, expected) => {
    expect(path(rosters)).toBe(expected);
  });

  test("a state that the job cannot come to does not count", () => {
    const rosters = { lead: [], wild: ["wild"] };
    const states = { INTENT: { agent: "wild" } };
    expect(path(rosters, { states })).toBe("wild wild");
  });
});

test.each([
  [{}, undefined],
  [{ budget: { turns: 5 } }, "budget.turns"],
  [{ budget: { usd: 5, tokens: 5 } }, undefined],
  [{ budget: { wall: "1h" } }, undefined],
  [{ deadline: "1h" }, undefined],
  [{ states: { INTENT: { state_timeout: "1h" } } }, undefined],
])("what bounds the dispatches of a job under %j", (keys, expected) => {
  expect(endOf(jobOf({ lead: [] }, keys))).toBe(expected);
});

test.each<[Rosters, number | null]>([
  [{ lead: [] }, 0],
  [{ lead: ["a"], a: [] }, 1],
  [{ lead: ["a", "b"], a: ["b"], b: [] }, 2],
  [{ lead: ["lead"] }, null],
])("levels below the leads of %j", (rosters, levels) => {
  expect(depthOf(jobOf(rosters))).toBe(levels);
});

describe("agents that cannot be told apart", () => {
  test.each<[Rosters, readonly string[]]>([
    [{ lead: ["a", "b"], a: [], b: [] }, ["lead", "a", "a"]],
    [{ lead: ["a", "b"], a: ["b"], b: [] }, ["lead", "a", "b"]],
    [{ x: ["y"], y: ["x"], z: ["z"] }, ["x", "x", "x"]],
  ])("in %j", (rosters, expected) => {
    const states = { INTENT: { agent: "z" } };
    const job = jobOf(rosters, "lead" in rosters ? {} : { states: both(states) });
    expect([...kindsOf(job).values()]).toEqual(expected);
  });

  test("what their roles let them send tells them apart", () => {
    const agent = { adapter: "script", steps: [{ say: "done" }] };
    const agents = {
      lead: { ...agent, roster: ["a", "b"] },
      a: { ...agent, role: { sends: ["reply"] } },
      b: agent,
    };
    expect([...kindsOf(jobOf({}, { agents })).values()]).toEqual(["lead", "a", "b"]);
  });
});

/** States that all have the agent of INTENT. */
function both({ INTENT }: { readonly INTENT: { readonly agent: string } }) {
  return { INTENT, PLAN: INTENT, EXECUTE: INTENT };
}
