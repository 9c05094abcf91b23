/**
 * `cfa check`: what can become of a job, before a token is spent.
 *
 * K1. Three things are done: the straight run (can DONE be reached within limits and budget?), the exact analysis of rosters
 *     and limits (can it go on for ever? what is the worst case?), and the walk over all states with free agents.
 * K2. The walk knows no budget: a spent budget parks a job in whatever state it is, and it can be resumed. The straight run
 *     and the analysis know it.
 * K3. Whatever was left out is part of the report. The same job and bounds give the same report.
 */
import type { Draft } from "../../persistence/entry.ts";
import type { JobDefinition } from "../definition.ts";
import type { Finding } from "./finding.ts";
import { type Direct, Model } from "./model.ts";
import { remarksOn } from "./remarks.ts";
import { kindsOf } from "./roles.ts";
import { outOfReach, straightRun } from "./straight.ts";
import { unboundedDispatch } from "./unbounded.ts";
import { defectsOf } from "./verdicts.ts";
import { type Bounds, type Node, walk, type Walked } from "./walk.ts";
import { worstCase, type WorstCase } from "./worst-case.ts";

/** Bounds unless others are given. */
export const BOUNDS: Bounds = { maxStates: 3_000, maxTurns: 100 };

/** What a check has found. */
export type CheckReport = {
  readonly job: string;
  /** Counterexamples; empty when the job passes. */
  readonly findings: readonly Finding[];
  /** Sentences on what is no counterexample and should be known. */
  readonly remarks: readonly string[];
  readonly walked: Walked & { readonly bounds: Bounds };
  /** Turns of the shortest run to DONE; null when there is none. */
  readonly turnsToDone: number | null;
  readonly worstCase: WorstCase;
  /** The job's `limits.fan_out`. */
  readonly fanOut: number;
  /** What no part of the check looks at. */
  readonly notCovered: readonly string[];
};

/** What is not covered, whatever the job (docs/check.md, "What it does not cover"). */
export const NOT_COVERED: readonly string[] = [
  "what your agents really do: each turn a free agent does one thing (or dispatches as many as the limit allows), whatever it was told",
  "time: time-outs of turns are taken as failures; state_timeout, deadline and budget.wall never run out",
  "money and tokens; a spent budget parks a job in whatever state it is, so the walk knows no budget",
  "the outside world: crashes, workspaces that cannot be made, full disks, and how long anything takes: worktrees, merges and deliveries are done at once",
  "what a person does besides answering: withdraw, resume; status files, which only park the job until somebody resumes it",
  "a proxy: its words are taken as those of the human; its own turns, failures and withdrawals are not walked",
  "children dispatched as --optional, and files that travel with messages",
  "long queues: mailboxes with more than one unread message are taken as alike; nobody writes to a conversation that has unread mail, or asks while a question of its own is open",
  "what piles up: of children that have failed and were not closed it matters only that there are some",
  "how much of retries, max_turns and backtracks is spent: states that differ in that alone are taken as one, and an agent that fails does so until no try is left",
];

/** Checks a job. `opening` gives the first entries of its log, `direct` its director. Throws only for bugs of cfa. */
export function checkJob(
  definition: JobDefinition,
  opening: (definition: JobDefinition) => readonly Draft[],
  bounds: Bounds = BOUNDS,
  direct?: Direct,
): CheckReport {
  const kinds = kindsOf(definition);
  const start = (of: JobDefinition): Node => ({
    model: Model.opened(opening(of), kinds, direct),
    from: undefined,
    step: undefined,
  });
  const straight = straightRun(start(definition));
  const unreached = outOfReach(straight);
  const budget = { usd: null, tokens: null, turns: null, wall: null };
  const endless = unboundedDispatch(start(definition));
  const defects = new Map<string, Finding>();
  const walked = walk(start({ ...definition, budget }), bounds, (node, steps) => {
    for (const { key, finding } of defectsOf(node, steps)) {
      if (!defects.has(key)) defects.set(key, finding());
    }
  });
  const findings = [unreached, endless, ...defects.values()].filter((one) => one !== undefined);
  return {
    job: definition.name,
    findings,
    remarks: remarksOn(definition),
    walked: { ...walked, bounds },
    turnsToDone: unreached === undefined ? straight.model.ledger.spent.turns : null,
    worstCase: worstCase(definition),
    fanOut: definition.limits.fan_out,
    notCovered: NOT_COVERED,
  };
}
