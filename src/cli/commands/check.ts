/**
 * `cfa check [job.yaml]`: explores the job with free agents, without running anything (docs/check.md).
 *
 * C1. Exit 7 with a counterexample, 0 without one, 2 for an invalid file. The JSON is the same data as the text.
 * C2. Bounds are printed, and so is what was not looked at.
 */
import { openingDrafts } from "../../engine/opening.ts";
import { BOUNDS, checkJob, type CheckReport } from "../../job/check/check-job.ts";
import { loadJobFile } from "../../job/load.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { reportLines } from "../view/check-lines.ts";

/** Options of `cfa check`. */
export type CheckOptions = {
  readonly maxStates?: string | undefined;
  readonly maxTurns?: string | undefined;
  readonly json?: boolean | undefined;
};

/** Checks the job of a file. */
export function checkCommand(context: Context, file: string | undefined, options: CheckOptions): number {
  const bounds = {
    maxStates: countOf("--max-states", options.maxStates) ?? BOUNDS.maxStates,
    maxTurns: countOf("--max-turns", options.maxTurns) ?? BOUNDS.maxTurns,
  };
  const { definition } = loadJobFile(file ?? "job.yaml", { cwd: context.cwd });
  const report = checkJob(definition, (of) => openingDrafts("check", of, "base", null, []), bounds);
  if (options.json === true) say(context.stdout, JSON.stringify(report satisfies CheckReport, null, 2));
  else for (const line of reportLines(report)) say(context.stdout, line);
  return report.findings.length > 0 ? EXIT.counterexample : EXIT.completed;
}

function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new Misuse(`${option} takes a number from 1, not "${text}"`);
  return Number(text);
}
