/**
 * Sites: what a configuration holds on one thread, each different one stored once.
 *
 * E1. A site has two numbers. Equal `id`: the same in every respect that a firing can see, the seats of children
 *     included. Equal `state`: the same in notation, closed or not, and in decisions; that is what configurations are
 *     compared by. A vector with one site a thread is a configuration.
 * E2. Turn numbers are dropped, so that how often a thread has run makes no difference.
 * E3. Edges are stored once for each child, parent and seat, so sites that were found on different ways still fit:
 *     the edge below one is the very edge above the other.
 * E4. A workspace that nothing is known of is ready.
 */
import { type Cell, type Children, emptyCell } from "../../soup/cell.ts";
import { moleculesOf } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { Lifecycle, Molecule, Parent } from "../../soup/molecule.ts";
import { printMolecule } from "../../soup/print.ts";
import { SparseVector } from "../../soup/sparse-vector.ts";
import type { Decisions } from "./behaviour.ts";

/** See the header. */
export type Site = {
  readonly id: number;
  readonly state: number;
  /** A hash of `state`; those of a vector are added up. */
  readonly hash: number;
  /** The place of the thread in a vector. */
  readonly slot: number;
  readonly cell: Cell;
  readonly decisions: Decisions;
  /** The molecules in notation, sorted. */
  readonly molecules: readonly string[];
};

/** The number, id and state alike, of a site on which there is nothing. */
export const NOTHING = 0;

const READY = { ready: true, commit: "" } as const;

/** All sites met so far. */
export class Sites {
  readonly #slots = new Map<ThreadId, number>();
  readonly #threads: ThreadId[] = [];
  readonly #edges = new Map<string, Parent>();
  readonly #ids = new Map<string, Site>();
  readonly #states = new Map<string, number>([["", NOTHING]]);
  readonly #all: Site[] = [];

  constructor() {
    const cell = emptyCell("");
    this.#all.push({ id: NOTHING, state: NOTHING, hash: 0, slot: -1, cell, decisions: [], molecules: [] });
  }

  /** How many sites there are. */
  get count(): number {
    return this.#all.length;
  }

  /** How many threads have been met: the length of a vector. */
  get width(): number {
    return this.#threads.length;
  }

  /** The site with this id. */
  get(id: number): Site {
    const site = this.#all[id];
    if (site === undefined) throw new RangeError(`no site ${id}`);
    return site;
  }

  /** The place of a thread in a vector. */
  slotOf(thread: ThreadId): number {
    const known = this.#slots.get(thread);
    if (known !== undefined) return known;
    const slot = this.#threads.length;
    this.#slots.set(thread, slot);
    this.#threads.push(thread);
    return slot;
  }

  /** The cell of the site, or the empty one of the thread in this slot. */
  cellAt(slot: number, id: number): Cell {
    if (id !== NOTHING) return this.get(id).cell;
    return { ...emptyCell(this.#threads[slot] ?? ""), workspace: READY };
  }

  /** The site of a cell. */
  of(found: Cell, decisions: Decisions): Site {
    const molecules = [...moleculesOf(found)].map(printMolecule).sort();
    const closed = found.closed ? ["closed"] : [];
    const taken = decisions.map((one) => JSON.stringify(one));
    const text = [...molecules, ...closed, ...taken].join("\n");
    const slot = this.slotOf(found.thread);
    const stateKey = text === "" ? "" : `${slot}\n${text}`;
    const key = `${slot}\n${text}\n${seatsOf(found)}\n${JSON.stringify(found.workspace ?? READY)}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const state = this.#states.get(stateKey) ?? this.#states.size;
    this.#states.set(stateKey, state);
    // A plain empty site has the id that the absence of one has.
    const plain = state === NOTHING && (found.workspace?.ready ?? true) && found.down.next === 0;
    const site: Site = {
      id: plain ? NOTHING : this.#all.length,
      state,
      hash: scramble(state),
      slot,
      cell: this.#normal(found),
      decisions,
      molecules,
    };
    if (!plain) this.#all.push(site);
    this.#ids.set(key, site);
    return site;
  }

  #normal(cell: Cell): Cell {
    return {
      ...cell,
      turns: 0,
      lifecycles: cell.lifecycles.map(withoutTurn),
      workspace: cell.workspace ?? READY,
      up: cell.up.map(({ edge, seat }) => ({ edge: this.#edge(edge, seat), seat })),
      down: this.#children(cell.down),
    };
  }

  #children(children: Children): Children {
    let seats = SparseVector.empty<Parent>();
    for (let at = children.first; at < children.next; at++) {
      const edge = children.seats.get(at);
      if (edge !== undefined) seats = seats.set(at, this.#edge(edge, at));
    }
    return { ...children, seats };
  }

  #edge(edge: Parent, seat: number): Parent {
    const key = JSON.stringify([edge.child, edge.thread, seat]);
    const known = this.#edges.get(key) ?? edge;
    this.#edges.set(key, known);
    return known;
  }
}

function withoutTurn(one: Lifecycle): Lifecycle {
  return one.kind === "Run" ? { ...one, turn: 0 } : one;
}

/** What a firing can see of a cell besides its molecules: where edges sit, and how many children are dying. */
function seatsOf(cell: Cell): string {
  const down: (readonly [number, ThreadId])[] = [];
  for (let at = cell.down.first; at < cell.down.next; at++) {
    const edge = cell.down.seats.get(at);
    if (edge !== undefined) down.push([at, edge.child]);
  }
  return JSON.stringify([
    down,
    cell.down.next,
    cell.dyingDown,
    cell.up.map(({ edge, seat }) => [edge.thread, seat]),
  ]);
}

/** A well-mixed 32-bit hash of a small number; that of nothing is 0. */
function scramble(number: number): number {
  if (number === NOTHING) return 0;
  let hash = Math.imul(number, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

/** Whether an inert soup with this molecule is stuck: it is not Idle, an empty Mailbox or Parent. */
export function isUnfinished(molecule: Molecule): boolean {
  if (molecule.kind === "Mailbox") return molecule.messages.length > 0;
  return molecule.kind !== "Idle" && molecule.kind !== "Parent";
}
