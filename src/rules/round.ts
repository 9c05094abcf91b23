/**
 * Rounds: a maximal set of pairwise disjoint structural redexes, fired as one.
 *
 * W1. Two redexes are disjoint when they match no common molecule and neither changes a fact that the other's guards
 *     rely on. So the firings of a round commute.
 * W2. While a withdrawal rule matches, a round holds withdrawal rules only: nothing starts under a dying ancestor.
 * W3. Candidates are taken by thread in the order of the threads' numbers, on one thread in the order of its
 *     redexes; the first that is disjoint from those taken goes in. No other order is used.
 * W4. Only threads on the agenda are looked at; a firing puts the threads that it touches on it.
 * W5. Of redexes with one record, only the first is a candidate: replaying the record would find no other.
 */
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Molecule } from "../soup/molecule.ts";
import { fire, firingOf, touched } from "./fire.ts";
import { type FactRead, threadOf } from "./guards.ts";
import { firstStructural, type Redex, redexesOf } from "./redex.ts";
import type { RuleTable } from "./table.ts";

/** What the redexes of a round have claimed (W1). */
export class Claims {
  readonly #molecules = new Set<Molecule>();
  readonly #reads = new Set<string>();
  readonly #writes = new Set<string>();

  /** Claims for the redex; false, and nothing claimed, when it overlaps with an earlier one. */
  take(redex: Redex): boolean {
    const key = (read: FactRead) => `${read.fact} ${threadOf(read, redex.bindings)}`;
    const reads = redex.rule.reads.map(key);
    const writes = redex.rule.writes.map(key);
    if (redex.matched.some((molecule) => this.#molecules.has(molecule))) return false;
    if (reads.some((read) => this.#writes.has(read))) return false;
    if (writes.some((write) => this.#writes.has(write) || this.#reads.has(write))) return false;
    for (const molecule of redex.matched) this.#molecules.add(molecule);
    for (const read of reads) this.#reads.add(read);
    for (const write of writes) this.#writes.add(write);
    return true;
  }
}

/** One round: what fired, in order, and what is left to look at. */
export type Round = {
  readonly configuration: Configuration;
  readonly fired: readonly Redex[];
  /** Threads that may have a structural redex now. */
  readonly agenda: ReadonlySet<ThreadId>;
};

/** All threads: the agenda of a configuration of which nothing is known. Linear. */
export function fullAgenda(configuration: Configuration): Set<ThreadId> {
  return new Set([...configuration.cells()].map((cell) => cell.thread));
}

/** The next round; `fired` is empty exactly when no thread of the agenda has a structural redex. */
export function nextRound(
  table: RuleTable,
  configuration: Configuration,
  agenda: ReadonlySet<ThreadId>,
): Round {
  const threads = [...agenda].sort((one, other) => configuration.number(one) - configuration.number(other));
  const candidates = threads.flatMap((thread) => candidatesOn(table, configuration, thread));
  const withdrawals = candidates.filter(({ rule }) => rule.text.withdrawal === true);
  const claims = new Claims();
  const fired = (withdrawals.length > 0 ? withdrawals : candidates).filter((redex) => claims.take(redex));
  const next = new Set(candidates.map(({ bindings }) => bindings.t));
  let result = configuration;
  for (const redex of fired) {
    result = fire(result, redex);
    for (const thread of touched(redex)) next.add(thread);
  }
  return { configuration: result, fired, agenda: next };
}

/** The structural redexes of a thread, one for each record (W5). */
function candidatesOn(table: RuleTable, configuration: Configuration, thread: ThreadId): Redex[] {
  const structural = redexesOf(table, configuration, thread).filter(({ rule }) => rule.structural);
  if (structural.length < 2) return structural;
  const records = new Set<string>();
  return structural.filter((redex) => {
    const { size } = records;
    return records.add(JSON.stringify(firingOf(redex))).size > size;
  });
}

/**
 * Fires structural redexes one at a time until none is left or `limit` have fired. The cost of each does not depend
 * on the size of the soup. The agenda must hold every thread with a structural redex.
 */
export function reduce(
  table: RuleTable,
  configuration: Configuration,
  agenda: Iterable<ThreadId> = fullAgenda(configuration),
  limit: number = Number.POSITIVE_INFINITY,
  onFire?: (redex: Redex, after: Configuration) => void,
): { readonly configuration: Configuration; readonly count: number } {
  const work = [...agenda].reverse();
  let result = configuration;
  let count = 0;
  while (count < limit) {
    const thread = work.at(-1);
    if (thread === undefined) break;
    const redex = firstStructural(table, result, thread);
    if (redex === undefined) {
      work.pop();
      continue;
    }
    result = fire(result, redex);
    onFire?.(redex, result);
    count++;
    for (const other of touched(redex)) if (other !== thread) work.push(other);
  }
  return { configuration: result, count };
}

/** No structural rule matches. Linear in the agenda. */
export function isInert(
  table: RuleTable,
  configuration: Configuration,
  agenda: Iterable<ThreadId> = fullAgenda(configuration),
): boolean {
  for (const thread of agenda) if (firstStructural(table, configuration, thread) !== undefined) return false;
  return true;
}
