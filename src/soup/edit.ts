/**
 * One change of a configuration: molecules taken out and put in, each touched cell copied once.
 *
 * D1. `remove` takes the very molecule that was matched (by identity), so equal molecules stay distinct.
 * D2. The indices of children and dying children follow every change here and nowhere else.
 */
import { type Cell, type WorkspaceFact, seat, unseat } from "./cell.ts";
import type { Configuration } from "./configuration.ts";
import { invariant } from "./invariant.ts";
import type { ThreadId } from "./message.ts";
import type { Molecule, Parent, Terminate } from "./molecule.ts";

type Draft = { -readonly [K in keyof Cell]: Cell[K] };

/** A change in the making; see the header. */
export class Edit {
  #base: Configuration;
  #drafts: Draft[] = [];

  constructor(base: Configuration) {
    this.#base = base;
  }

  /** Puts a molecule in. */
  add(molecule: Molecule): this {
    switch (molecule.kind) {
      case "Run": {
        const cell = this.#draft(molecule.thread);
        cell.lifecycles = plus(cell.lifecycles, molecule);
        if (molecule.turn > cell.turns) cell.turns = molecule.turn;
        return this;
      }
      case "Idle":
      case "Send": {
        const cell = this.#draft(molecule.thread);
        cell.lifecycles = plus(cell.lifecycles, molecule);
        return this;
      }
      case "Mailbox": {
        const cell = this.#draft(molecule.thread);
        cell.mailboxes = plus(cell.mailboxes, molecule);
        return this;
      }
      case "AskQuestion":
      case "Proxy":
      case "AskHuman": {
        const cell = this.#draft(molecule.thread);
        cell.questions = plus(cell.questions, molecule);
        return this;
      }
      case "Interrupt": {
        const cell = this.#draft(molecule.thread);
        cell.interrupts = plus(cell.interrupts, molecule);
        return this;
      }
      case "Terminate":
        return this.#terminates(molecule.thread, (all) => plus(all, molecule));
      case "Parent":
        return this.#addEdge(molecule);
    }
  }

  /** Takes a molecule out (D1). */
  remove(molecule: Molecule): this {
    switch (molecule.kind) {
      case "Run":
      case "Idle":
      case "Send": {
        const cell = this.#draft(molecule.thread);
        cell.lifecycles = minus(cell.lifecycles, molecule);
        return this;
      }
      case "Mailbox": {
        const cell = this.#draft(molecule.thread);
        cell.mailboxes = minus(cell.mailboxes, molecule);
        return this;
      }
      case "AskQuestion":
      case "Proxy":
      case "AskHuman": {
        const cell = this.#draft(molecule.thread);
        cell.questions = minus(cell.questions, molecule);
        return this;
      }
      case "Interrupt": {
        const cell = this.#draft(molecule.thread);
        cell.interrupts = minus(cell.interrupts, molecule);
        return this;
      }
      case "Terminate":
        return this.#terminates(molecule.thread, (all) => minus(all, molecule));
      case "Parent":
        return this.#removeEdge(molecule);
    }
  }

  /** The thread joins the closed ones. */
  close(thread: ThreadId): this {
    this.#draft(thread).closed = true;
    return this;
  }

  /** Records whether the thread, which may be sparked, has a workspace. */
  workspace(thread: ThreadId, fact: WorkspaceFact): this {
    this.#draft(thread).workspace = fact;
    return this;
  }

  /** The changed configuration. Later changes of this edit start from it and leave it as it is. */
  done(): Configuration {
    this.#base = this.#base.withCells(this.#drafts);
    this.#drafts = [];
    return this.#base;
  }

  #draft(thread: ThreadId): Draft {
    for (const draft of this.#drafts) if (draft.thread === thread) return draft;
    const draft = draftOf(this.#base.cellOrEmpty(thread));
    this.#drafts.push(draft);
    return draft;
  }

  #terminates(thread: ThreadId, change: (all: readonly Terminate[]) => readonly Terminate[]): this {
    const cell = this.#draft(thread);
    const before = cell.terminates.length > 0;
    cell.terminates = change(cell.terminates);
    const after = cell.terminates.length > 0;
    if (before !== after) {
      for (const { edge } of cell.up) this.#draft(edge.thread).dyingDown += after ? 1 : -1;
    }
    return this;
  }

  #addEdge(edge: Parent): this {
    const parent = this.#draft(edge.thread);
    const taken = parent.down.next;
    parent.down = seat(parent.down, edge);
    const child = this.#draft(edge.child);
    child.up = [...child.up, { edge, seat: taken }];
    if (child.terminates.length > 0) parent.dyingDown += 1;
    return this;
  }

  #removeEdge(edge: Parent): this {
    const child = this.#draft(edge.child);
    const seated = child.up.find((one) => one.edge === edge);
    invariant(seated !== undefined, `Parent(${edge.child},${edge.thread}) is not in the soup`);
    child.up = child.up.filter((one) => one !== seated);
    const parent = this.#draft(edge.thread);
    parent.down = unseat(parent.down, seated.seat);
    if (child.terminates.length > 0) parent.dyingDown -= 1;
    return this;
  }
}

/** A copy field by field, which is several times faster than a spread. */
function draftOf(cell: Cell): Draft {
  return {
    thread: cell.thread,
    lifecycles: cell.lifecycles,
    mailboxes: cell.mailboxes,
    questions: cell.questions,
    terminates: cell.terminates,
    interrupts: cell.interrupts,
    up: cell.up,
    down: cell.down,
    dyingDown: cell.dyingDown,
    turns: cell.turns,
    closed: cell.closed,
    workspace: cell.workspace,
  };
}

function plus<T extends object>(all: readonly T[], one: T): readonly T[] {
  if (all.length === 0) return [one];
  return [...all, all.includes(one) ? { ...one } : one];
}

const NONE: readonly never[] = [];

function minus<T extends Molecule>(all: readonly T[], one: T): readonly T[] {
  if (all.length === 1 && all[0] === one) return NONE;
  const at = all.indexOf(one);
  invariant(at >= 0, `a ${one.kind} that is not in the soup cannot be taken out of it`);
  return [...all.slice(0, at), ...all.slice(at + 1)];
}

/** The configuration of these molecules and closed threads. */
export function configurationOf(
  base: Configuration,
  molecules: Iterable<Molecule>,
  closed: Iterable<ThreadId> = [],
): Configuration {
  let result = base;
  for (const molecule of molecules) result = new Edit(result).add(molecule).done();
  for (const thread of closed) result = new Edit(result).close(thread).done();
  return result;
}
