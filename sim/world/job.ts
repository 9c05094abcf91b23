/**
 * A job to simulate: small limits, so that they are met, and a team in which conversations nest.
 */
import { type JobDefinition, parseDefinition } from "../../src/job/definition.ts";
import type { Choices } from "../choice.ts";

const script = (roster: readonly string[]) => ({
  adapter: "script",
  steps: [{ say: "a simulated agent takes the place of this step" }],
  roster,
  skill: null,
});

const POLICIES = ["never", "when_unsure", "always"] as const;
const HOUR = 3_600_000;

/** A definition with chosen rosters, limits and policies. */
export function chooseJob(choices: Choices): JobDefinition {
  const state = (skill: string) => ({
    agent: "lead",
    skill,
    escalation: choices.one(POLICIES),
    state_timeout: choices.percent(15) ? 2 * HOUR : null,
  });
  return parseDefinition({
    version: 1,
    name: "simulated",
    request: "Do what a simulation asks for.",
    repository: "/cfa-simulation/repository",
    base: "HEAD",
    start: choices.weighted([
      [6, "INTENT"],
      [2, "PLAN"],
      [3, "EXECUTE"],
    ]),
    deliver: choices.one(["branch", "pr-ready"]),
    human: choices.percent(85) ? "default" : "none",
    ...(choices.percent(50) ? { proxy: "proxy" } : {}),
    ...(choices.percent(50) ? { notify: { run: ["a simulated notifier takes the place of this"] } } : {}),
    artifacts: { intent: "INTENT.md", plan: "PLAN.md", summary: "WORK_SUMMARY.md" },
    given: { intent: null, plan: null },
    agents: {
      lead: script(["worker", "helper"]),
      worker: script(["helper"]),
      helper: script([]),
      proxy: script([]),
    },
    states: { INTENT: state("intent-alignment"), PLAN: state("planning"), EXECUTE: state("execute") },
    limits: {
      fan_out: choices.between(1, 3),
      concurrency: choices.between(1, 4),
      timeout: 600_000,
      stall: choices.percent(50) ? 300_000 : null,
      retries: choices.between(0, 4),
      backtracks: choices.between(0, 2),
      max_turns: choices.between(8, 20),
    },
    budget: {
      usd: null,
      tokens: null,
      turns: choices.percent(15) ? choices.between(3, 12) : null,
      wall: null,
    },
    deadline: choices.percent(10) ? 24 * HOUR : null,
    over_cap: choices.one(["refuse", "wait"]),
    workspaces: null,
  });
}
