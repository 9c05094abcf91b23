/** What `npm run sim` prints: sums, and a finding with its run in notation. */
import { replayLine } from "../src/cli/view/replay-line.ts";
import { readLog } from "./evidence.ts";
import { CHECKERS } from "./judge.ts";
import { type FaultCounts, FAULTS } from "./faults.ts";
import type { Finding } from "./finding.ts";
import type { Simulated } from "./run.ts";

/** Entries of a finding's run that are printed, the last ones. */
const LINES_MAX = 400;
const WIDTH_MAX = 300;

/** Sums over runs. */
export type Sums = {
  readonly seed: string;
  runs: number;
  onSqlite: number;
  entries: number;
  steps: number;
  readonly faults: FaultCounts;
  /** Terminal states, with how many jobs ended there. */
  readonly ends: Map<string, number>;
  /** Hash over the last hashes of all logs: the same seed gives the same. */
  digest: string;
};

/** The lines of a report without a finding. */
export function sumLines(sums: Sums): readonly string[] {
  const ends = [...sums.ends].map(([state, times]) => `${state} ${times}`);
  const kinds = Object.entries(FAULTS).map(([name, says]) => {
    const times = [...sums.faults].find(([fault]) => fault === name)?.[1] ?? 0;
    return `  ${String(times).padStart(8)}  ${name.padEnd(19)} ${says}`;
  });
  return [
    `seed ${sums.seed}, ${sums.runs} runs, ${sums.onSqlite} of them on SQLite`,
    `${sums.entries} entries in ${sums.steps} steps; jobs ended: ${ends.join(", ")}`,
    "faults injected:",
    ...kinds,
    "checked: chain, rules, rounds, turns, questions and job of each log, the invariants of each configuration, and",
    ...CHECKERS.map(({ name, says }) => `  ${name.padEnd(12)} ${says}`),
    `hash over all logs: ${sums.digest}`,
  ];
}

/** The line that says what was found, and where. */
export function findingLine(run: number, { checker, sentence }: Finding): string {
  return `run ${run}: ${checker}: ${sentence.split("\n")[0] ?? ""}`;
}

/** A finding: its sentence, its run in notation, and how to see it again. */
export function findingLines(
  seed: string,
  run: number,
  finding: Finding,
  { rows }: Simulated,
): readonly string[] {
  const lines = readLog(rows).steps.map((step) => clip(replayLine(step)));
  const left = Math.max(0, lines.length - LINES_MAX);
  return [
    ...(left > 0 ? [`(${left} entries before)`] : []),
    ...lines.slice(left),
    "",
    `finding in run ${run}: ${finding.checker}: ${finding.sentence}`,
    `again: npm run sim -- --seed ${seed} --run ${run}`,
  ];
}

function clip(line: string): string {
  return line.length <= WIDTH_MAX ? line : `${line.slice(0, WIDTH_MAX)}…`;
}
