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
import { guardsHold, type Rule, type RuleTable } from "./table.ts";
import { Bindings, copyBindings } from "./variables.ts";

/** A rule with the molecules that it matches. */
export type Redex = {
  readonly rule: Rule;
  readonly bindings: Bindings;
  /** The matched molecules, in the order of the left side; an optional one that is absent is left out. */
  readonly matched: readonly Molecule[];
};

/** Calls `visit` with each redex anchored on `thread` until it returns true; returns whether it did. */
export function visitRedexes(
  table: RuleTable,
  configuration: Configuration,
  thread: ThreadId,
  visit: (redex: Redex) => boolean,
): boolean {
  const cell = configuration.cell(thread);
  if (cell === undefined) return false;
  const anchors: readonly (readonly Molecule[])[] = [cell.terminates, cell.lifecycles, cell.questions];
  // One set of bindings serves all attempts that fail: what they leave in it is bound anew before it is read.
  let b = new Bindings();
  let stopped = false;
  const keep = (redex: Redex): boolean => {
    b = new Bindings();
    stopped = visit(redex);
    return stopped;
  };
  for (const molecules of anchors) {
    for (const anchor of molecules) {
      for (const rule of table.byAnchor[anchor.kind]) {
        visitMatches(rule, configuration, anchor, b, keep);
        if (stopped) return true;
      }
    }
  }
  return false;
}

/** Calls `visit` with each match of one rule at one anchor molecule until it returns true. */
function visitMatches(
  rule: Rule,
  configuration: Configuration,
  anchor: Molecule,
  b: Bindings,
  visit: (redex: Redex) => boolean,
): void {
  b.t = anchor.thread;
  if (rule.matchers[0]?.test(anchor, b) === true) extend(rule, configuration, b, [anchor], 1, visit);
}

/** Finds the molecules of the left side from position `at` on. Returns whether the visit stopped. */
function extend(
  rule: Rule,
  configuration: Configuration,
  b: Bindings,
  matched: readonly Molecule[],
  at: number,
  visit: (redex: Redex) => boolean,
): boolean {
  const matcher = rule.matchers[at];
  if (matcher === undefined) {
    return guardsHold(rule, configuration, b) && visit({ rule, bindings: b, matched });
  }
  let found = false;
  for (const candidate of matcher.candidates(configuration, b)) {
    if (matched.includes(candidate)) continue;
    // The first match may keep these bindings; each further one gets a copy.
    const next = found ? copyBindings(b) : b;
    if (!matcher.test(candidate, next)) continue;
    found = true;
    if (extend(rule, configuration, next, [...matched, candidate], at + 1, visit)) return true;
  }
  return !found && matcher.term.optional && extend(rule, configuration, b, matched, at + 1, visit);
}

/** The redexes anchored on one thread (X1). */
export function redexesOf(table: RuleTable, configuration: Configuration, thread: ThreadId): Redex[] {
  const found: Redex[] = [];
  visitRedexes(table, configuration, thread, (redex) => {
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
  let found: Redex | undefined;
  visitRedexes(table, configuration, thread, (redex) => {
    if (!redex.rule.structural) return false;
    found = redex;
    return true;
  });
  return found;
}

/** The first redex of one rule anchored on a thread, if any. */
export function redexOf(
  table: RuleTable,
  configuration: Configuration,
  thread: ThreadId,
  id: string,
): Redex | undefined {
  let found: Redex | undefined;
  visitRedexes(table, configuration, thread, (redex) => {
    if (redex.rule.id !== id) return false;
    found = redex;
    return true;
  });
  return found;
}

/** All redexes of a configuration (X2). Linear in the number of threads: for stepping, exploring and checking. */
export function redexes(table: RuleTable, configuration: Configuration): Redex[] {
  return [...configuration.cells()].flatMap((cell) => redexesOf(table, configuration, cell.thread));
}
