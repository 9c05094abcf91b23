/**
 * Redexes: the places where a rule matches.
 *
 * X1. `redexesOf(table, c, t)` lists those anchored on thread t, in the order of the cell's molecules, then of the
 *     rules; its cost depends on what t holds and nothing else.
 * X2. `redexes` lists those of all threads, in the order of the threads' numbers.
 */
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Molecule } from "../soup/molecule.ts";
import { anchorOf } from "./anchor.ts";
import { guardsHold, type Rule, type RulesByAnchor, type RuleTable } from "./table.ts";
import { Bindings, copyBindings } from "./variables.ts";

/** A rule with the molecules that it matches. */
export type Redex = {
  readonly rule: Rule;
  readonly bindings: Bindings;
  /** The matched molecules, in the order of the left side; an optional one that is absent is left out. */
  readonly matched: readonly Molecule[];
};

/** Whether a search ends at this redex. It must not search itself. */
type Accepts = (redex: Redex) => boolean;

// What a search that fails has bound and matched so far is overwritten by the next one; a redex takes both with it.
let scratch = new Bindings();
const trail: Molecule[] = [];

/** The first redex of these rules anchored on a thread (X1) that `accepts` accepts. */
function search(
  rules: RulesByAnchor,
  configuration: Configuration,
  thread: ThreadId,
  accepts: Accepts,
): Redex | undefined {
  const cell = configuration.cell(thread);
  if (cell === undefined) return undefined;
  return (
    searchAt(cell.terminates, rules, configuration, accepts) ??
    searchAt(cell.lifecycles, rules, configuration, accepts) ??
    searchAt(cell.questions, rules, configuration, accepts)
  );
}

function searchAt(
  molecules: readonly Molecule[],
  rules: RulesByAnchor,
  configuration: Configuration,
  accepts: Accepts,
): Redex | undefined {
  for (const molecule of molecules) {
    const anchor = anchorOf(molecule);
    if (anchor === undefined) continue;
    for (const rule of rules[anchor]) {
      const found = matchAt(rule, configuration, molecule, accepts);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The first match of one rule at one anchor molecule. */
function matchAt(
  rule: Rule,
  configuration: Configuration,
  anchor: Molecule,
  accepts: Accepts,
): Redex | undefined {
  scratch.t = anchor.thread;
  trail[0] = anchor;
  if (rule.matchers[0]?.test(anchor, scratch) !== true) return undefined;
  return extend(rule, configuration, scratch, 1, accepts);
}

/** Finds the molecules of the left side from position `at` on; those before it are on the trail. */
function extend(
  rule: Rule,
  configuration: Configuration,
  b: Bindings,
  at: number,
  accepts: Accepts,
): Redex | undefined {
  const matcher = rule.matchers[at];
  if (matcher === undefined) return matched(rule, configuration, b, at, accepts);
  let fits = false;
  for (const candidate of matcher.candidates(configuration, b)) {
    // Bindings that a redex has taken stay as they are.
    const next = b === scratch ? b : copyBindings(b);
    if (onTrail(candidate, at) || !matcher.test(candidate, next)) continue;
    fits = true;
    trail[at] = candidate;
    const found = extend(rule, configuration, next, at + 1, accepts);
    if (found !== undefined) return found;
  }
  return !fits && matcher.term.optional ? matched(rule, configuration, b, at, accepts) : undefined;
}

/** The redex of a left side of which `length` molecules are on the trail, if its guards hold and it is accepted. */
function matched(
  rule: Rule,
  configuration: Configuration,
  b: Bindings,
  length: number,
  accepts: Accepts,
): Redex | undefined {
  if (!guardsHold(rule, configuration, b)) return undefined;
  if (b === scratch) scratch = new Bindings();
  const redex: Redex = { rule, bindings: b, matched: trail.slice(0, length) };
  return accepts(redex) ? redex : undefined;
}

function onTrail(candidate: Molecule, length: number): boolean {
  for (let at = 0; at < length; at++) if (trail[at] === candidate) return true;
  return false;
}

const ANY: Accepts = () => true;

/** The redexes anchored on one thread (X1). */
export function redexesOf(table: RuleTable, configuration: Configuration, thread: ThreadId): Redex[] {
  const found: Redex[] = [];
  search(table.byAnchor, configuration, thread, (redex) => {
    found.push(redex);
    return false;
  });
  return found;
}

/** The first structural redex anchored on a thread, if any. */
export function firstStructural(
  table: RuleTable,
  configuration: Configuration,
  thread: ThreadId,
): Redex | undefined {
  return search(table.structuralByAnchor, configuration, thread, ANY);
}

/**
 * The first redex of one rule anchored on a thread, if any; with `at`, the first whose naming variables have these
 * values; none where `at` names others than the rule's.
 */
export function redexOf(
  rule: Rule,
  configuration: Configuration,
  thread: ThreadId,
  at?: Readonly<Record<string, string>>,
): Redex | undefined {
  if (at !== undefined && Object.keys(at).length !== rule.names.length) return undefined;
  const accepts: Accepts =
    at === undefined ? ANY : ({ bindings }) => rule.names.every((name) => bindings[name] === at[name]);
  const cell = configuration.cell(thread);
  if (cell === undefined) return undefined;
  for (const anchors of [cell.terminates, cell.lifecycles, cell.questions]) {
    for (const anchor of anchors) {
      const found = matchAt(rule, configuration, anchor, accepts);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** All redexes of a configuration (X2). Linear in the number of threads: for stepping, exploring and checking. */
export function redexes(table: RuleTable, configuration: Configuration): Redex[] {
  return [...configuration.cells()].flatMap((cell) => redexesOf(table, configuration, cell.thread));
}
