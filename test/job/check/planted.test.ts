/** A fault planted in the orchestrator is found in the very state in which it was planted. */
import { expect, test } from "vitest";
import type { Draft } from "../../../src/persistence/entry.ts";
import { Orchestrator } from "../../../src/job/orchestrator.ts";
import type { LiveState } from "../../../src/job/machine.ts";
import type { View } from "../../../src/runtime/director.ts";
import { check, jobOf } from "./job.ts";

const TEAM = jobOf({ lead: ["worker"], worker: [] }, { limits: { fan_out: 1 } });

/** An approval that waits for open conversations is forgotten in one state. */
class ForgetsHolds extends Orchestrator {
  readonly state: LiveState;

  constructor(state: LiveState, ...record: ConstructorParameters<typeof Orchestrator>) {
    super(...record);
    this.state = state;
  }

  override steer(view: View): readonly Draft[] {
    const { hold, machine } = this.record;
    return hold !== null && machine.state === this.state ? [] : super.steer(view);
  }
}

test.each<[LiveState, number, string]>([
  ["INTENT", 0, "APPROVED_INTENT"],
  ["PLAN", 1, "APPROVED_PLAN"],
  ["EXECUTE", 2, "APPROVED_WORK"],
])("a standstill that takes an open conversation is found in %s", (state, approvals, action) => {
  const { findings } = check(TEAM, 100, (record) => new ForgetsHolds(state, record));
  expect(findings).toMatchObject([
    { kind: "deadlock", what: expect.stringContaining(`standstill in ${state}`) },
  ]);
  const steps = findings[0]?.trace.slice(1 + approvals) ?? [];
  expect(steps).toEqual([
    `lead (${state}) dispatches worker 1.`,
    expect.stringMatching(/^worker 1 /u),
    expect.stringContaining(`lead (${state}) ends its turn with ${action}: the approval waits`),
    "Now nothing can happen any more.",
  ]);
});
