/**
 * A cell: everything that a configuration knows of one thread, indexed by kind of molecule.
 *
 * C1. Each molecule stands in exactly one cell, that of its thread; a Parent edge in that of its child.
 * C2. `down` and `dyingDown` index the Parent edges of the children: edges by seat, and how many children are dying.
 * C3. Nothing here depends on how many threads or messages the soup holds.
 */
import type {
  AskHuman,
  AskQuestion,
  Interrupt,
  Lifecycle,
  Mailbox,
  Parent,
  Proxy,
  Terminate,
} from "./molecule.ts";
import type { ThreadId } from "./message.ts";
import { SparseVector } from "./sparse-vector.ts";

/** A Parent edge and its seat among the children of the parent. */
export type Seated = { readonly edge: Parent; readonly seat: number };

/** The Parent edges below a thread, in the order in which they came (spark order). */
export type Children = {
  readonly seats: SparseVector<Parent>;
  readonly count: number;
  /** No seat before this one is taken. */
  readonly first: number;
  readonly next: number;
};

/** Whether a thread that may be sparked has a workspace: an outside fact, recorded before the spark. */
export type WorkspaceFact =
  { readonly ready: true; readonly commit: string } | { readonly ready: false; readonly because: string };

/** See the header. */
export type Cell = {
  readonly thread: ThreadId;
  readonly lifecycles: readonly Lifecycle[];
  readonly mailboxes: readonly Mailbox[];
  readonly questions: readonly (AskQuestion | Proxy | AskHuman)[];
  readonly terminates: readonly Terminate[];
  readonly interrupts: readonly Interrupt[];
  readonly up: readonly Seated[];
  readonly down: Children;
  readonly dyingDown: number;
  /** Number of the newest turn; turn numbers go up and are never reused. */
  readonly turns: number;
  /** The thread has ended; its id is never used again. */
  readonly closed: boolean;
  readonly workspace: WorkspaceFact | undefined;
};

const NONE: readonly never[] = [];
const NO_CHILDREN: Children = { seats: SparseVector.empty(), count: 0, first: 0, next: 0 };

/** The cell of a thread of which nothing is known. */
export function emptyCell(thread: ThreadId): Cell {
  return {
    thread,
    lifecycles: NONE,
    mailboxes: NONE,
    questions: NONE,
    terminates: NONE,
    interrupts: NONE,
    up: NONE,
    down: NO_CHILDREN,
    dyingDown: 0,
    turns: 0,
    closed: false,
    workspace: undefined,
  };
}

/** These children and one more. */
export function seat(children: Children, edge: Parent): Children {
  const { seats, count, first, next } = children;
  return { seats: seats.set(next, edge), count: count + 1, first, next: next + 1 };
}

/** These children without the one in `taken`. */
export function unseat(children: Children, taken: number): Children {
  if (children.count === 1) return NO_CHILDREN;
  const seats = children.seats.set(taken, undefined);
  let first = children.first;
  if (taken === first) while (seats.get(first) === undefined) first++;
  return { seats, count: children.count - 1, first, next: children.next };
}

/** The edges of these children in spark order. */
export function* edgesOf(children: Children): IterableIterator<Parent> {
  for (let at = children.first; at < children.next; at++) {
    const edge = children.seats.get(at);
    if (edge !== undefined) yield edge;
  }
}
