/** `cfa resume [JOB]`: goes on with a job where its log ends. */
import { openEngine } from "../../engine/engine.ts";
import { parseDuration } from "../../job/duration.ts";
import type { Budget } from "../carry-on.ts";
import { carryOn } from "../carry-on.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { chooseResumable, readFolds } from "../jobs.ts";
import { hasEnded } from "../../engine/read-job.ts";
import { showEnd } from "../show-end.ts";

/** Options of `cfa resume`. */
export type ResumeOptions = {
  readonly repo?: string | undefined;
  readonly budget?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
};

/** Resumes the job; one that has ended is shown. */
export async function resumeCommand(
  context: Context,
  job: string | undefined,
  options: ResumeOptions,
): Promise<number> {
  const budget = options.budget === undefined ? undefined : parseBudget(options.budget);
  const place = await chooseResumable(context, options.repo, job);
  const show = { json: options.json ?? false, quiet: options.quiet ?? false };
  const reader = await readFolds(place);
  const known = reader.job();
  if (known === undefined)
    throw new Misuse(`the log of ${place.id} is empty: nothing was started, run its job file again`);
  if (hasEnded(known)) {
    say(context.stderr, `${place.id} has ended; this is its result.`);
    return showEnd(context, place, show);
  }
  const engine = openEngine();
  try {
    return await carryOn(context, engine, place, reader, { ...show, budget });
  } finally {
    await engine.close();
  }
}

const KEYS = ["usd", "tokens", "turns", "wall"] as const;

/** Reads `usd=10 turns=5 wall=2h`. Throws {@link Misuse} for anything else. */
export function parseBudget(words: readonly string[]): Budget {
  return Object.fromEntries(words.map(parseWord));
}

function parseWord(word: string): [(typeof KEYS)[number], number] {
  const [name, value = ""] = word.split(/=(.*)/s);
  const key = KEYS.find((known) => known === name);
  if (key === undefined || !word.includes("="))
    throw new Misuse(
      `--budget takes ${KEYS.map((known) => `${known}=…`).join(" ")}, not "${word}": put the job before it`,
    );
  const amount = amountOf(key, value);
  if (amount !== undefined) return [key, amount];
  const wanted = {
    usd: "a number",
    tokens: "a whole number",
    turns: "a whole number",
    wall: "a duration such as 2h",
  };
  throw new Misuse(`--budget ${key} must be ${wanted[key]}, not "${value}"`);
}

function amountOf(key: (typeof KEYS)[number], value: string): number | undefined {
  if (key === "wall") return parseDuration(value);
  const shape = key === "usd" ? /^\d+(\.\d+)?$/ : /^\d{1,15}$/;
  return shape.test(value) ? Number(value) : undefined;
}
