/**
 * The invariants of CfA §12 that a configuration can be checked for, each by name.
 *
 * J1. Every configuration that `complete` reaches from an opened job satisfies all of them.
 * J2. The check is linear in the soup: for exploration, tests and verification, never in the reduction loop.
 */
import { type Cell, edgesOf } from "../soup/cell.ts";
import type { Configuration } from "../soup/configuration.ts";
import { printAtom } from "../soup/print.ts";

/** Name of an invariant, as docs/rules.md lists them. */
export type InvariantName =
  "two-lifecycle" | "two-mailbox" | "two-parents" | "parent-cycle" | "closed-alive" | "question-twice";

/** A broken invariant: which, on what thread, and a sentence. */
export type BrokenInvariant = {
  readonly invariant: InvariantName;
  readonly thread: string;
  readonly what: string;
};

/** The invariants that the configuration breaks; empty when it satisfies all. */
export function brokenInvariants(configuration: Configuration): BrokenInvariant[] {
  const questions = new Set<string>();
  return [...configuration.cells()].flatMap((cell) => {
    const found: BrokenInvariant[] = [];
    const broken = (invariant: InvariantName, what: string) =>
      found.push({ invariant, thread: cell.thread, what: `${printAtom(cell.thread)}: ${what}` });
    checkInstances(cell, broken);
    if (cell.up.length > 1) broken("two-parents", `it has ${cell.up.length} parents`);
    if (isInCycle(configuration, cell)) broken("parent-cycle", "it is its own ancestor");
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

function isInCycle(configuration: Configuration, cell: Cell): boolean {
  if (cell.up.length === 0 || cell.down.count === 0) return false;
  const seen = new Set<string>();
  const work = [...edgesOf(cell.down)].map(({ child }) => child);
  for (let thread = work.pop(); thread !== undefined; thread = work.pop()) {
    if (thread === cell.thread) return true;
    if (seen.has(thread)) continue;
    seen.add(thread);
    work.push(...configuration.children(thread));
  }
  return false;
}
