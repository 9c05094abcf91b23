/**
 * `cfa usage --input N --output N [--cached N] [--model NAME]`, or `--tokens N`, or `--usd X`: reports what the agent has used, beside what
 * it reported before in the same turn (docs/cost.md). Prints nothing.
 */
import { mistakeIn, noteUsage } from "../../runtime/usage-file.ts";
import type { UsageReport } from "../../runtime/usage.ts";
import type { Environment } from "../turn.ts";
import { done, inTurn, misuse, refusal, type VerbResult } from "./turn.ts";

/** Options of `cfa usage`, as they stand on the command line. */
export type UsageOptions = {
  readonly input?: string | undefined;
  readonly output?: string | undefined;
  readonly cached?: string | undefined;
  readonly tokens?: string | undefined;
  readonly usd?: string | undefined;
  readonly model?: string | undefined;
};

const AMOUNTS = ["input", "output", "cached", "tokens", "usd"] as const;

/** Adds a report to those of the turn. */
export function usage(env: Environment, options: UsageOptions): Promise<VerbResult> {
  return inTurn(env, "usage", async ({ outbox }) => {
    const given = AMOUNTS.flatMap((key) =>
      options[key] === undefined ? [] : [[key, options[key]] as const],
    );
    const strange = given.find(([, word]) => !/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(word));
    if (strange !== undefined) return misuse(`--${strange[0]} must be a number, not "${strange[1]}"`);
    if (given.length === 0)
      return misuse(
        "say what: `cfa usage --input N --output N`, `cfa usage --tokens N` or `cfa usage --usd X`",
      );
    const report: UsageReport = {
      ...Object.fromEntries(given.map(([key, word]) => [key, Number(word)])),
      ...(options.model === undefined ? {} : { model: options.model }),
    };
    const mistake = mistakeIn(report);
    if (mistake !== undefined) return refusal(`the report ${mistake}`);
    await noteUsage(outbox, report);
    return done();
  });
}
