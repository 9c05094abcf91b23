/** Rosters are read by name alone, whatever an agent is called (docs/rules.md, "send"). */
import { expect, test } from "vitest";
import { isRostered, rosterOf } from "../../src/rules/refusal.ts";
import { configurationFrom } from "./trace.ts";

test.each(["constructor", "toString", "valueOf", "hasOwnProperty", "B"])(
  "an agent called %s has no roster when none names it",
  (agent) => {
    const configuration = configurationFrom("Idle(A,a)", "roster(A: C)");
    expect(rosterOf(configuration, agent)).toEqual([]);
    expect(isRostered(configuration, agent, "C")).toBe(false);
  },
);

test("whom a roster names may be dispatched, nobody else", () => {
  const configuration = configurationFrom("Idle(A,a)", "roster(A: C)");
  expect([isRostered(configuration, "A", "C"), isRostered(configuration, "A", "B")]).toEqual([true, false]);
});
