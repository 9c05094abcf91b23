/**
 * The invariants of CfA §12 that a configuration can be checked for, each by name.
 *
 * J1. Every configuration that `complete` reaches from an opened job satisfies all of them.
 * J2. The check is linear in a soup that satisfies them: for exploration, tests and verification, never in the reduction loop.
 */
import { type Cell, edgesOf } from "../soup/cell.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import { printAtom } from "../soup/print.ts";

/** The names of the invariants, as docs/rules.md lists them. */
export const INVARIANTS = [
  "two-lifecycle", "two-mailbox", "two-parents", "parent-cycle", "closed-alive", "question-twice",
] as const; // prettier-ignore

/** Name of an invariant. */
export type InvariantName = (typeof INVARIANTS)[number];

/** A broken invariant: which, on what thread, and a sentence. */
export type BrokenInvariant = {
  readonly invariant: InvariantName;
  readonly thread: string;
  readonly what: string;
};

/** The invariants that the configuration breaks; empty when it satisfies all. */
export function brokenInvariants(configuration: Configuration): BrokenInvariant[] {
  const questions = new Set<string>();
  const cyclic = threadsInCycles(configuration);
  return [...configuration.cells()].flatMap((cell) => {
    const found: BrokenInvariant[] = [];
    const broken = (invariant: InvariantName, what: string) =>
      found.push({ invariant, thread: cell.thread, what: `${printAtom(cell.thread)}: ${what}` });
    checkInstances(cell, broken);
    if (cell.up.length > 1) broken("two-parents", `it has ${cell.up.length} parents`);
    if (cyclic.has(cell.thread)) broken("parent-cycle", "it is its own ancestor");
    if (cell.closed && !isEmpty(cell)) broken("closed-alive", "it is closed, yet molecules of it remain");
    for (const one of cell.questions) {
      if (questions.has(one.question)) broken("question-twice", `question ${one.question} is open twice`);
      questions.add(one.question);
    }
    return found;
  });
}

function isEmpty(cell: Cell): boolean {
  const { lifecycles, mailboxes, questions, terminates, interrupts, up, down } = cell;
  return (
    lifecycles.length + mailboxes.length + questions.length + terminates.length + interrupts.length === 0 &&
    up.length === 0 &&
    down.count === 0
  );
}

function checkInstances(cell: Cell, broken: (invariant: InvariantName, what: string) => void): void {
  const twice = (names: readonly string[]) => names.find((name, at) => names.indexOf(name) !== at);
  const busy = twice(cell.lifecycles.map(({ agent }) => agent));
  if (busy !== undefined) broken("two-lifecycle", `${busy} is more than one of Idle, Run and Send`);
  const inbox = twice(cell.mailboxes.map(({ agent }) => agent));
  if (inbox !== undefined) broken("two-mailbox", `${inbox} has more than one mailbox`);
}

/** The threads that are their own ancestors. Linear where there are none. */
function threadsInCycles(configuration: Configuration): ReadonlySet<ThreadId> {
  // Taking away threads without a parent, again and again, leaves the cycles and what hangs below them.
  const parents = new Map<ThreadId, number>();
  const work: Cell[] = [];
  for (const cell of configuration.cells()) {
    if (cell.up.length > 0) parents.set(cell.thread, cell.up.length);
    else work.push(cell);
  }
  for (let cell = work.pop(); cell !== undefined; cell = work.pop()) {
    for (const { child } of edgesOf(cell.down)) {
      const left = (parents.get(child) ?? 0) - 1;
      parents.set(child, left);
      if (left > 0) continue;
      parents.delete(child);
      work.push(configuration.cellOrEmpty(child));
    }
  }
  return new Set([...parents.keys()].filter((thread) => reachesItself(configuration, thread)));
}

function reachesItself(configuration: Configuration, thread: ThreadId): boolean {
  const seen = new Set<ThreadId>();
  const work = [...configuration.children(thread)];
  for (let below = work.pop(); below !== undefined; below = work.pop()) {
    if (below === thread) return true;
    if (seen.has(below)) continue;
    seen.add(below);
    work.push(...configuration.children(below));
  }
  return false;
}
