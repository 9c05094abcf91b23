/**
 * Steps: what can happen next on one thread, worked out once for each surrounding of it and then looked up.
 *
 * E7. A firing anchored on thread t sees and changes the sites of the threads that `ring` names, and no other: t, the
 *     thread that the head of its broadcast addresses, the neighbours of a dying t, and where a Terminate may come or
 *     go, the parents of those (they count their dying children). So a step is a function of these sites. Rules bind
 *     no other threads, and guards ask about no others.
 * E8. Steps are found by `redexesOf` and made by `fire`: exploration has no rules of its own.
 */
import { edgesOf, type Cell } from "../../soup/cell.ts";
import { Configuration, type Facts } from "../../soup/configuration.ts";
import { invariant } from "../../soup/invariant.ts";
import type { ThreadId } from "../../soup/message.ts";
import { type Choice, fire } from "../fire.ts";
import { type Redex, redexesOf } from "../redex.ts";
import type { RuleTable } from "../table.ts";
import { type Behaviour, decided } from "./behaviour.ts";
import { safeSteps } from "./reduction.ts";
import type { Site, Sites } from "./site.ts";

/** One firing or, for a rule that is not structural, one choice of it. */
export type Step = {
  readonly redex: Redex;
  readonly choice: Choice | undefined;
  /** Pairs of a slot and the id of the site that takes it. */
  readonly changes: readonly number[];
  /** What the step adds to the hash of the vector. */
  readonly hash: number;
};

/** The steps of one thread in one surrounding. */
export type Moves = {
  readonly steps: readonly Step[];
  /** Steps that may stand for all steps of the configuration (reduction.ts); empty when there are none. */
  readonly safe: readonly Step[];
};

/** A tree of lookups: each node asks for the site of one more thread. */
type Node = { readonly slot: number; readonly next: Map<number, Node | Moves> };

/** See the header. */
export class Steps {
  readonly #table: RuleTable;
  readonly #facts: Facts;
  readonly #behaviour: Behaviour;
  readonly #sites: Sites;
  readonly #known: (Node | Moves | undefined)[] = [];
  #count = 0;

  constructor(table: RuleTable, facts: Facts, behaviour: Behaviour, sites: Sites) {
    this.#table = table;
    this.#facts = facts;
    this.#behaviour = behaviour;
    this.#sites = sites;
  }

  /** How many surroundings have been worked out. */
  get count(): number {
    return this.#count;
  }

  /** The steps anchored on the thread of this slot, which holds something. */
  at(vector: Int32Array, slot: number): Moves {
    const id = vector[slot] ?? 0;
    let found = this.#known[id];
    while (found !== undefined && "slot" in found) found = found.next.get(vector[found.slot] ?? 0);
    return found ?? this.#learn(vector, id);
  }

  #learn(vector: Int32Array, id: number): Moves {
    const site = this.#sites.get(id);
    const slots = this.#ring(vector, site);
    const moves = this.#moves(vector, site, slots);
    this.#count++;
    const [first, ...rest] = slots;
    if (first === undefined) {
      this.#known[id] = moves;
      return moves;
    }
    const root = this.#known[id] ?? { slot: first, next: new Map() };
    this.#known[id] = root;
    let node = root;
    let asked = first;
    for (const slot of rest) {
      if (!("slot" in node)) break;
      const next: Node | Moves = node.next.get(vector[asked] ?? 0) ?? { slot, next: new Map() };
      node.next.set(vector[asked] ?? 0, next);
      node = next;
      asked = slot;
    }
    if ("slot" in node) node.next.set(vector[asked] ?? 0, moves);
    return moves;
  }

  /** The slots of the other threads that matter (E7), in an order that depends only on the sites before each. */
  #ring(vector: Int32Array, site: Site): number[] {
    const { cell } = site;
    const near = new Set(
      [...addressed(cell), ...neighbours(cell)].map((thread) => this.#sites.slotOf(thread)),
    );
    const far = new Set<number>();
    if (mayEnd(cell)) {
      for (const slot of near.add(site.slot)) {
        for (const { edge } of this.#sites.get(vector[slot] ?? 0).cell.up)
          far.add(this.#sites.slotOf(edge.thread));
      }
    }
    const all = new Set([...near, ...far]);
    all.delete(site.slot);
    return [...all];
  }

  #moves(vector: Int32Array, site: Site, slots: readonly number[]): Moves {
    let before = Configuration.empty(this.#facts).withCell(site.cell);
    for (const slot of slots) before = before.withCell(this.#sites.cellAt(slot, vector[slot] ?? 0));
    const steps: Step[] = [];
    for (const redex of redexesOf(this.#table, before, site.cell.thread)) {
      const choices = redex.rule.structural ? [undefined] : this.#behaviour.choices(redex, site);
      for (const choice of choices) {
        const step = this.#step(vector, site, before, redex, choice);
        if (!steps.some((one) => String(one.changes) === String(step.changes))) steps.push(step);
      }
    }
    return { steps, safe: safeSteps(this.#table, this.#behaviour.sees, site.cell, steps) };
  }

  #step(
    vector: Int32Array,
    site: Site,
    before: Configuration,
    redex: Redex,
    choice: Choice | undefined,
  ): Step {
    const after = fire(before, redex, choice);
    const decides = !redex.rule.structural && redex.matched[0]?.kind === "Run";
    const changes: number[] = [];
    let hash = 0;
    for (const cell of after.cells()) {
      const was = before.cell(cell.thread);
      if (cell === was) continue;
      invariant(
        was !== undefined,
        `${redex.rule.id} on ${site.cell.thread} changes ${cell.thread}, which is not near (E7)`,
      );
      const slot = this.#sites.slotOf(cell.thread);
      const old = this.#sites.get(vector[slot] ?? 0);
      const decisions =
        decides && slot === site.slot ? decided(old.decisions, redex.bindings.A) : old.decisions;
      const made = this.#sites.of(cell, decisions);
      changes.push(slot, made.id);
      hash = (hash + made.hash - old.hash) | 0;
    }
    return { redex, choice, changes, hash };
  }
}

/** The threads that the heads of the broadcasts on a cell address. */
function addressed(cell: Cell): ThreadId[] {
  return cell.lifecycles.flatMap((one) => {
    const head = one.kind === "Send" ? one.payloads.head : undefined;
    return head === undefined || head.kind === "ask" ? [] : [head.thread];
  });
}

/** Parents and children of a dying thread. */
function neighbours(cell: Cell): ThreadId[] {
  if (cell.terminates.length === 0) return [];
  return [...cell.up.map(({ edge }) => edge.thread), ...[...edgesOf(cell.down)].map(({ child }) => child)];
}

/** Whether a step of this cell may put a Terminate on a thread or take it away. */
function mayEnd(cell: Cell): boolean {
  if (cell.terminates.length > 0) return true;
  return cell.lifecycles.some((one) => one.kind === "Send" && one.payloads.head?.kind === "terminate");
}
