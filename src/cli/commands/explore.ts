/**
 * `cfa explore FILE`: every interleaving of a scenario (docs/exploration.md), and what can go wrong in it.
 *
 * E1. Exit 7 when an invariant breaks or a final soup is stuck, 0 otherwise; the JSON is the same data as the text.
 * E2. A bound that cut is said on standard error, with what is proven nevertheless.
 */
import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Cut, Exploration, Final } from "../../rules/explore/explore.ts";
import { differences, runScenario } from "../../rules/explore/run-scenario.ts";
import { parseScenario, type Scenario } from "../../rules/explore/scenario.ts";
import { ScenarioError } from "../../rules/explore/scenario-mistakes.ts";
import { printTrace } from "../../rules/explore/trace.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/** Options of `cfa explore`. */
export type ExploreCommandOptions = {
  readonly rules?: "literal" | "complete" | undefined;
  readonly reduce?: boolean | undefined;
  readonly maxStates?: string | undefined;
  readonly json?: boolean | undefined;
};

/** Explores the scenario in `file`; `-` is standard input. */
export async function exploreCommand(
  context: Context,
  file: string,
  options: ExploreCommandOptions,
): Promise<number> {
  const maxStates = countOf(options.maxStates);
  const scenario = scenarioOf(file === "-" ? "standard input" : file, await textOf(context, file));
  const rules = options.rules ?? scenario.rules;
  const reduce = options.reduce ?? false;
  const found = runScenario(scenario, { rules, reduce, ...(maxStates === undefined ? {} : { maxStates }) });
  if (options.json === true) say(context.stdout, JSON.stringify(asJson(found), null, 2));
  else for (const line of asText(scenario, rules, reduce, found)) say(context.stdout, line);
  if (found.cut !== undefined) say(context.stderr, cutSentence(found.cut, reduce));
  if (scenario.expected !== undefined && rules === scenario.rules && found.complete) {
    for (const one of differences(scenario.expected, found, { reduced: reduce })) {
      say(context.stderr, `differs from what ${file} expects: ${one}`);
    }
  }
  return found.stuck > 0 || found.violations.length > 0 ? EXIT.counterexample : EXIT.completed;
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/u.test(text)) throw new Misuse(`--max-states takes a number from 1, not "${text}"`);
  return Number(text);
}

async function textOf(context: Context, file: string): Promise<string> {
  if (file === "-") return context.stdin.text();
  try {
    const bytes = await readFile(resolve(context.cwd, file));
    // Two names that differ in such bytes alone would become one.
    if (!isUtf8(bytes)) throw new Misuse(`${file} is no UTF-8 text: save it as UTF-8`);
    return bytes.toString("utf8");
  } catch (error) {
    if (error instanceof Misuse) throw error;
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new Misuse(
      `${file} cannot be read (${String(error.code)}): give a scenario file, see docs/exploration.md`,
    );
  }
}

function scenarioOf(file: string, text: string): Scenario {
  try {
    return parseScenario(text);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const [first = "", ...rest] = error.mistakes.map((one) => `${file}: ${one}`);
    throw new Misuse([first, ...rest.map((one) => `     ${one}`)].join("\n"));
  }
}

/** The documented form; `stuckTrace` and `cut` only where there is something to say. */
function asJson(found: Exploration): unknown {
  return {
    states: found.states,
    finals: found.finals.map(({ soup, closed }) => ({ soup, closed })),
    stuck: found.stuck,
    violations: found.violations.map(({ invariant, trace }) => ({ invariant, trace: printTrace(trace) })),
    complete: found.complete,
    ...(found.stuckTrace === undefined ? {} : { stuckTrace: printTrace(found.stuckTrace) }),
    ...(found.cut === undefined ? {} : { cut: found.cut }),
  };
}

/** Finals that the text shows; the JSON has all. */
const SHOWN = 20;

function asText({ name }: Scenario, rules: string, reduce: boolean, found: Exploration): string[] {
  const { states, finals, stuck, stuckTrace, violations, complete } = found;
  const walk = `${reduce ? ", reduced" : ""}${complete ? "" : ", not all"}`;
  const lines = [
    `${name}, rules ${rules}: ${states} ${states === 1 ? "configuration" : "configurations"}${walk}`,
    `${finals.length} final, ${stuck} of them stuck; invariants broken: ${violations.length}`,
    ...finals.slice(0, SHOWN).map((one) => `  ${finalLine(one)}`),
  ];
  if (finals.length > SHOWN) lines.push(`  and ${finals.length - SHOWN} more; --json prints all`);
  if (stuckTrace !== undefined)
    lines.push("", "the way to a stuck soup:", ...indented(printTrace(stuckTrace)));
  for (const { invariant, trace } of violations) {
    lines.push("", `the way to a soup that breaks ${invariant}:`, ...indented(printTrace(trace)));
  }
  return lines;
}

function finalLine({ soup, closed, stuck }: Final): string {
  const ended = closed.length === 0 ? "" : ` ; closed ${closed.join(", ")}`;
  return `${stuck ? "stuck: " : ""}${soup.length === 0 ? "ε" : soup.join(" ‖ ")}${ended}`;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function cutSentence({ bound, limit, depth }: Cut, reduce: boolean): string {
  const what = {
    states: `${limit} configurations`,
    depth: `${limit} firings in a row`,
    memory: `${limit} bytes`,
  }[bound];
  const walked = reduce ? " by the reduced walk" : "";
  const hints = [
    ...(bound === "states" ? ["--max-states raises the bound"] : []),
    ...(reduce ? [] : ["--reduce gets farther"]),
  ];
  return [
    `cut at ${what}: every configuration that is reached${walked} in at most ${depth} firings was checked, others were not`,
    ...hints,
  ].join("; ");
}
