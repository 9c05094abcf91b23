/**
 * What the checkers look at: the log, read and judged by the verifier of cfa, and what the world has seen. Nothing of the scheduler.
 */
import { logChecks } from "../src/engine/verify.ts";
import type { LogRow } from "../src/persistence/chain.ts";
import { type LogCheck, LogVerifier, type Step } from "../src/persistence/verify.ts";
import { brokenInvariants } from "../src/rules/invariants.ts";
import { complete } from "../src/rules/table.ts";
import type { Configuration } from "../src/soup/configuration.ts";
import type { Finding } from "./finding.ts";
import type { Trees } from "./world/trees.ts";
import type { Sight } from "./world/witness.ts";

/** See the header. */
export type Evidence = {
  readonly job: string;
  readonly steps: readonly Step[];
  /** The configuration after the newest entry. */
  readonly final: Configuration;
  readonly sights: readonly Sight[];
  readonly trees: Trees;
  /** The job has ended; otherwise nobody can say what would still have come. */
  readonly ended: boolean;
};

/** A checker. It returns a sentence for what it has found. */
export type Checker = {
  readonly name: string;
  /** What holds when it finds nothing, for people. */
  readonly says: string;
  readonly check: (evidence: Evidence) => string | undefined;
};

/** Reads a log; the finding is the first offence against chain, rules, further checks and the invariants of CfA §12. */
export function readLog(rows: readonly LogRow[]): {
  readonly steps: readonly Step[];
  readonly final: Configuration;
  readonly finding: Finding | undefined;
} {
  const steps: Step[] = [];
  const keep: LogCheck = { name: "kept", says: "", step: (step) => void steps.push(step) };
  const verifier = new LogVerifier(complete, [keep, invariants, ...logChecks()]);
  for (const row of rows) {
    const offence = verifier.take(row);
    if (offence !== undefined) return { steps, final: verifier.configuration, finding: found(offence) };
  }
  const last = verifier.end();
  return { steps, final: verifier.configuration, finding: last && found(last) };
}

const invariants: LogCheck = {
  name: "invariants",
  says: "every configuration satisfies the invariants",
  step: ({ before, after }) => (before === after ? undefined : brokenInvariants(after)[0]?.what),
};

function found({
  check,
  seq,
  claim,
  problem,
}: {
  check: string;
  seq: number;
  claim: string;
  problem: string;
}) {
  return { checker: `log: ${check}`, sentence: `entry ${seq} (${claim}): ${problem}` };
}
