/**
 * The configuration ⟨soup, closed⟩: an immutable multiset of molecules, the threads that have ended, and the facts
 * that guards read.
 *
 * S1. A configuration never changes; every snapshot stays valid for ever.
 * S2. The cost of a change does not depend on how many threads or messages there are. The two cells that changed last
 *     stand beside a trie that holds the others: most firings change one of them again, which copies nothing else; any
 *     other change copies one path of the trie.
 * S3. Threads are numbered in the order in which they first appeared; that order is the only one used, never a hash's.
 *     All configurations that descend from one share the numbering, which only grows.
 */
import { type Cell, edgesOf, emptyCell } from "./cell.ts";
import type { AgentName, ThreadId } from "./message.ts";
import type { Molecule, Parent } from "./molecule.ts";
import { Numbering } from "./numbering.ts";
import { SparseVector } from "./sparse-vector.ts";

/** What guards read besides the soup; recorded by the entries `open` and `configure`. */
export type Facts = {
  /** Agents that each agent may spark. */
  readonly rosters: Readonly<Record<AgentName, readonly AgentName[]>>;
  /** Most open children of one thread. */
  readonly cap: number;
};

/** See the header. */
export class Configuration {
  readonly facts: Facts;
  readonly #numbers: Numbering;
  readonly #trie: SparseVector<Cell>;
  readonly #last: Cell | undefined;
  readonly #second: Cell | undefined;

  private constructor(
    facts: Facts,
    numbers: Numbering,
    trie: SparseVector<Cell>,
    last: Cell | undefined,
    second: Cell | undefined,
  ) {
    this.facts = facts;
    this.#numbers = numbers;
    this.#trie = trie;
    this.#last = last;
    this.#second = second;
  }

  /** The configuration without molecules. */
  static empty(facts: Facts = { rosters: {}, cap: 3 }): Configuration {
    return new Configuration(facts, new Numbering(), SparseVector.empty(), undefined, undefined);
  }

  /** What is known of a thread; undefined when nothing is. */
  cell(thread: ThreadId): Cell | undefined {
    if (this.#last?.thread === thread) return this.#last;
    if (this.#second?.thread === thread) return this.#second;
    const number = this.#numbers.get(thread);
    return number === undefined ? undefined : this.#trie.get(number);
  }

  /** All cells in the order of their threads' numbers (S3). Linear: for printing and checking, not for reducing. */
  cells(): Iterable<Cell> {
    return this.#put(this.#put(this.#trie, this.#second), this.#last);
  }

  /** The number of a thread (S3); those without one come last. */
  number(thread: ThreadId): number {
    return this.#numbers.get(thread) ?? Number.MAX_SAFE_INTEGER;
  }

  /** All molecules, by thread in the order of the numbers. Linear. */
  *molecules(): IterableIterator<Molecule> {
    for (const cell of this.cells()) yield* moleculesOf(cell);
  }

  /** The ids of the threads that have ended. Linear. */
  *closed(): IterableIterator<ThreadId> {
    for (const cell of this.cells()) if (cell.closed) yield cell.thread;
  }

  /** Terminate(t) is in the soup. */
  dying(thread: ThreadId): boolean {
    return (this.cell(thread)?.terminates.length ?? 0) > 0;
  }

  /** The thread has ended. */
  isClosed(thread: ThreadId): boolean {
    return this.cell(thread)?.closed ?? false;
  }

  /** Children of a thread that are neither closed nor dying: those that count against the cap. */
  openChildren(thread: ThreadId): number {
    const cell = this.cell(thread);
    return cell === undefined ? 0 : cell.down.count - cell.dyingDown;
  }

  /** The children of a thread in spark order. */
  *children(thread: ThreadId): IterableIterator<ThreadId> {
    const cell = this.cell(thread);
    if (cell !== undefined) for (const edge of edgesOf(cell.down)) yield edge.child;
  }

  /** The thread from which this one was sparked. */
  parent(thread: ThreadId): ThreadId | undefined {
    return this.cell(thread)?.up[0]?.edge.thread;
  }

  /** The edge Parent(child,thread), if there is one. */
  edge(child: ThreadId, thread: ThreadId): Parent | undefined {
    const up = this.cell(child)?.up;
    if (up === undefined) return undefined;
    for (const { edge } of up) if (edge.thread === thread) return edge;
    return undefined;
  }

  /** This configuration with other facts. */
  withFacts(facts: Facts): Configuration {
    return new Configuration(facts, this.#numbers, this.#trie, this.#last, this.#second);
  }

  /** This configuration with `cell` in place of the one of its thread. */
  withCell(cell: Cell): Configuration {
    return this.withCells([cell]);
  }

  /** This configuration with each of `cells` in place of the one of its thread. For `edit.ts`. */
  withCells(cells: readonly Cell[]): Configuration {
    let trie = this.#trie;
    let last = this.#last;
    let second = this.#second;
    for (const cell of cells) {
      if (last?.thread === cell.thread) {
        last = cell;
        continue;
      }
      if (second?.thread !== cell.thread) {
        this.#numbers.of(cell.thread);
        trie = this.#put(trie, second);
      }
      second = last;
      last = cell;
    }
    return new Configuration(this.facts, this.#numbers, trie, last, second);
  }

  /** The cell of a thread, an empty one when nothing is known. For `edit.ts`. */
  cellOrEmpty(thread: ThreadId): Cell {
    return this.cell(thread) ?? emptyCell(thread);
  }

  #put(trie: SparseVector<Cell>, cell: Cell | undefined): SparseVector<Cell> {
    return cell === undefined ? trie : trie.set(this.#numbers.of(cell.thread), cell);
  }
}

/** The molecules of one cell: what lives on the thread, then its upward edges. */
export function* moleculesOf(cell: Cell): IterableIterator<Molecule> {
  yield* cell.lifecycles;
  yield* cell.mailboxes;
  yield* cell.questions;
  yield* cell.interrupts;
  yield* cell.terminates;
  for (const { edge } of cell.up) yield edge;
}
