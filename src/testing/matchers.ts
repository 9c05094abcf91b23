/// <reference types="vitest" />
/**
 * Matchers for vitest (and what else has `expect.extend`): `expect.extend(cfaMatchers)`.
 *
 * H1. Nothing here imports a test framework; the types of vitest are widened where it is installed. (The reference above
 *     lets the widening compile; it is not part of the declarations that are shipped.)
 * H2. A failure shows both sides in notation, the molecules that differ, and for a reduction how it came about.
 */
import { brokenInvariants } from "../rules/invariants.ts";
import { redexes } from "../rules/redex.ts";
import { complete } from "../rules/table.ts";
import { Configuration } from "../soup/configuration.ts";
import { printAtom, printMolecule, printSoup } from "../soup/print.ts";
import type { Fired } from "./fired.ts";
import { parseConfiguration, printConfiguration } from "./soup.ts";
import { step, type Steps } from "./step.ts";
import { trace } from "./trace.ts";

/** What a matcher returns. */
export type Verdict = { readonly pass: boolean; readonly message: () => string };

/** What is matched: a configuration, a soup in notation, or what `step` or `run` returned. */
export type Matched = Configuration | string | Steps;

function configurationIn(matched: unknown): Configuration {
  if (matched instanceof Configuration) return matched;
  if (typeof matched === "string") return parseConfiguration(matched).configuration;
  if (typeof matched === "object" && matched !== null && "configuration" in matched)
    return configurationIn(matched.configuration);
  throw new TypeError("expected a Configuration, a soup in notation, or the result of step() or run()");
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/** What stands in one list and not in the other, each as often as it does: `- ` is expected alone, `+ ` found alone. */
export function difference(expected: readonly string[], found: readonly string[]): string[] {
  const left = [...found];
  const missing = expected.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...missing.map((one) => `- ${one}`), ...left.map((one) => `+ ${one}`)];
}

/** All structural firings, round by round. */
function reduced(configuration: Configuration): Steps<Fired> {
  const events: Fired[] = [];
  for (;;) {
    const before = events.at(-1)?.after ?? configuration;
    const round = step(before);
    if (round.events.length === 0) return { configuration: before, events };
    events.push(...round.events);
  }
}

/** Longest trace of a message, in lines. */
const LINES = 40;

function toReduceTo(matched: unknown, notation: string): Verdict {
  const { configuration, events } = reduced(configurationIn(matched));
  const { configuration: wanted, ended } = parseConfiguration(notation);
  const parts = (one: Configuration) => [
    ...printSoup(one),
    ...(ended === undefined ? [] : [...one.closed()].map((thread) => `closed ${printAtom(thread)}`).sort()),
  ];
  const differing = difference(parts(wanted), parts(configuration));
  const lines = trace(events);
  const cut =
    lines.length > LINES ? [`(${lines.length - LINES} steps before)`, ...lines.slice(-LINES)] : lines;
  const message = () =>
    [
      `expected the soup ${differing.length === 0 ? "not " : ""}to reduce to`,
      `  ${printConfiguration(wanted)}`,
      "found",
      `  ${printConfiguration(configuration)}`,
      ...(differing.length === 0 ? [] : ["difference (- expected, + found)", ...indented(differing)]),
      ...(cut.length === 0 ? ["no rule fired"] : ["by", ...indented(cut)]),
    ].join("\n");
  return { pass: differing.length === 0, message };
}

function toBeInert(matched: unknown): Verdict {
  const configuration = configurationIn(matched);
  const found = redexes(complete, configuration).filter(({ rule }) => rule.structural);
  const lines = found.map(({ rule, matched }) => `${rule.id}: ${matched.map(printMolecule).join(" ‖ ")}`);
  const pass = lines.length === 0;
  const message = () =>
    [
      `expected the soup ${pass ? "not " : ""}to be inert`,
      `  ${printConfiguration(configuration)}`,
      ...(pass ? ["no rule matches that needs no choice"] : ["but these match", ...indented(lines)]),
    ].join("\n");
  return { pass, message };
}

function toSatisfyInvariants(matched: unknown): Verdict {
  const configuration = configurationIn(matched);
  const broken = brokenInvariants(configuration).map(({ invariant, what }) => `${invariant}: ${what}`);
  const pass = broken.length === 0;
  const message = () =>
    [
      `expected the soup ${pass ? "not " : ""}to satisfy the invariants`,
      `  ${printConfiguration(configuration)}`,
      ...(pass ? [] : ["but it breaks", ...indented(broken)]),
    ].join("\n");
  return { pass, message };
}

/** The matchers, for `expect.extend(cfaMatchers)`. Their docs: {@link CfaMatchers}. */
export const cfaMatchers = { toReduceTo, toBeInert, toSatisfyInvariants };

/** The matchers as `expect(…)` offers them. The table is `complete`. */
export type CfaMatchers = {
  /**
   * Firing rules that need no choice, round by round, leads to this soup. Closed threads are compared when the notation names
   * them (`; closed t1`).
   */
  toReduceTo(notation: string): void;
  /** No rule matches that needs no choice. */
  toBeInert(): void;
  /** None of the invariants of docs/rules.md is broken. */
  toSatisfyInvariants(): void;
};

declare module "vitest" {
  // oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-unused-vars -- the parameter must stand as vitest has it
  interface Matchers<T> extends CfaMatchers {}
}
