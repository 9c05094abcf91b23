/**
 * Exploration: every interleaving of single firings and of the choices of agents, proxies and the human.
 *
 * E10. A configuration is soup, closed set and the number of decisions that each instance has taken. Firings are
 *      single, in every order; the outside world makes no moves; a workspace is always ready.
 * E11. The walk is breadth-first, so the way to the first configuration that breaks an invariant is a shortest one
 *      (with `reduce`, a shortest one among those that are walked).
 * E12. A bound never cuts in silence: `complete` is false exactly when a configuration was left out, and `cut` says
 *      which bound did it and up to which number of firings the result is a proof.
 */
import type { Configuration } from "../../soup/configuration.ts";
import type { InvariantName } from "../invariants.ts";
import type { RuleTable } from "../table.ts";
import type { Behaviour } from "./behaviour.ts";
import { type Site, Sites } from "./site.ts";
import { States } from "./states.ts";
import { type Moves, type Step, Steps } from "./steps.ts";
import { type Trace, traceOf } from "./trace.ts";
import { Verdicts } from "./verdicts.ts";

/** What may cut an exploration. */
export type Bound = "states" | "depth" | "memory";

/** Options of {@link explore}. */
export type ExploreOptions = {
  /** Leave out interleavings that make no difference (reduction.ts). Default false. */
  readonly reduce?: boolean;
  /** Most configurations. Default {@link MAX_STATES}. */
  readonly maxStates?: number;
  /** Most firings in a row. Default: no bound. */
  readonly maxDepth?: number;
  /** Most memory, in bytes, approximately. Default {@link MAX_MEMORY}. */
  readonly maxMemory?: number;
};

/** Default bound on the number of configurations. */
export const MAX_STATES = 10_000_000;
/** Default bound on memory, in bytes. */
export const MAX_MEMORY = 1_500_000_000;

/** A configuration in which nothing can fire. */
export type Final = {
  /** The molecules in notation, sorted. */
  readonly soup: readonly string[];
  /** The closed threads, sorted. */
  readonly closed: readonly string[];
  /** Something but Idle, empty Mailbox and Parent remains. */
  readonly stuck: boolean;
};

/** A broken invariant and a shortest way to it. */
export type Violation = { readonly invariant: InvariantName; readonly trace: Trace };

/** Where a bound cut: all configurations that the walk reaches in at most `depth` firings were visited. */
export type Cut = { readonly bound: Bound; readonly limit: number; readonly depth: number };

/** What an exploration has found. */
export type Exploration = {
  /** Distinct configurations visited. */
  readonly states: number;
  /** Firings and choices tried. */
  readonly firings: number;
  /** Firings on a shortest way to the farthest configuration. */
  readonly depth: number;
  /** Sorted by notation, each soup and closed set once. */
  readonly finals: readonly Final[];
  /** How many of the finals are stuck. */
  readonly stuck: number;
  /** A shortest way to a stuck soup. */
  readonly stuckTrace: Trace | undefined;
  /** One for each invariant that breaks, sorted by name. */
  readonly violations: readonly Violation[];
  /** No bound cut. */
  readonly complete: boolean;
  readonly cut: Cut | undefined;
};

/** Rough memory of a site and of a looked-up surrounding with its steps, in bytes. */
const SITE_BYTES = 1_500;
const MOVES_BYTES = 2_500;

/** Explores all that can come of a configuration. Pure. */
export function explore(
  table: RuleTable,
  initial: Configuration,
  behaviour: Behaviour,
  options: ExploreOptions = {},
): Exploration {
  return new Walk(table, initial, behaviour, options).run();
}

class Walk {
  readonly #options: ExploreOptions;
  readonly #sites = new Sites();
  readonly #steps: Steps;
  readonly #verdicts = new Verdicts(this.#sites);
  readonly #states: States;
  readonly #finals = new Map<string, { readonly final: Final; readonly state: number }>();
  readonly #broken = new Map<InvariantName, number>();
  #vector: Int32Array;
  #firings = 0;
  #cut: { readonly bound: Bound; readonly limit: number } | undefined;

  constructor(table: RuleTable, initial: Configuration, behaviour: Behaviour, options: ExploreOptions) {
    this.#options = options;
    this.#steps = new Steps(table, initial.facts, behaviour, this.#sites);
    const sites = [...initial.cells()].map((cell) => this.#sites.of(cell, []));
    this.#states = new States(this.#sites);
    this.#vector = new Int32Array(this.#states.width);
    for (const { slot, id } of sites) this.#vector[slot] = id;
    this.#visit(this.#hashOf(sites), -1);
  }

  run(): Exploration {
    const states = this.#states;
    let depth = 0;
    let levelEnd = states.count;
    for (let state = 0; state < states.count; state++) {
      if (state === levelEnd) {
        depth++;
        levelEnd = states.count;
      }
      this.#expand(state, depth);
      if (this.#cut !== undefined && this.#cut.bound !== "depth") break;
    }
    const farthest = states.count > levelEnd ? depth + 1 : depth;
    return this.#result(depth, farthest);
  }

  #hashOf(sites: readonly Site[]): number {
    return sites.reduce((sum, { hash }) => (sum + hash) | 0, 0);
  }

  /** Adds the configuration in the vector and judges it. */
  #visit(hash: number, from: number): void {
    const state = this.#states.add(this.#vector, hash, from);
    for (const name of this.#verdicts.broken(this.#vector)) {
      if (!this.#broken.has(name)) this.#broken.set(name, state);
    }
  }

  #expand(state: number, depth: number): void {
    this.#states.read(state, this.#vector);
    const hash = this.#states.hash(state);
    const moves: Moves[] = [];
    let inert = true;
    for (let slot = 0; slot < this.#vector.length; slot++) {
      if (this.#vector[slot] === 0) continue;
      const here = this.#steps.at(this.#vector, slot);
      if (here.steps.length === 0) continue;
      inert = false;
      if (this.#options.reduce === true && here.safe.length > 0) {
        this.#widen();
        this.#take(here.safe, state, hash, depth);
        return;
      }
      moves.push(here);
    }
    this.#widen();
    if (inert) this.#addFinal(state);
    for (const { steps } of moves) this.#take(steps, state, hash, depth);
  }

  #take(steps: readonly Step[], from: number, hash: number, depth: number): void {
    const vector = this.#vector;
    for (const step of steps) {
      this.#firings++;
      const { changes } = step;
      const before: number[] = [];
      for (let at = 0; at < changes.length; at += 2) {
        const slot = changes[at] ?? 0;
        before.push(vector[slot] ?? 0);
        vector[slot] = changes[at + 1] ?? 0;
      }
      const next = (hash + step.hash) | 0;
      if (this.#states.find(vector, next) < 0 && !this.#isCut(depth)) this.#visit(next, from);
      for (let at = 0; at < before.length; at++) vector[changes[2 * at] ?? 0] = before[at] ?? 0;
    }
  }

  /** Whether a bound forbids one more configuration. */
  #isCut(depth: number): boolean {
    if (this.#cut?.bound === "states" || this.#cut?.bound === "memory") return true;
    const { maxStates = MAX_STATES, maxDepth = Infinity, maxMemory = MAX_MEMORY } = this.#options;
    if (this.#states.count >= maxStates) this.#cut = { bound: "states", limit: maxStates };
    else if (this.#bytes() >= maxMemory) this.#cut = { bound: "memory", limit: maxMemory };
    else if (depth >= maxDepth) this.#cut = { bound: "depth", limit: maxDepth };
    else return false;
    return true;
  }

  #bytes(): number {
    return this.#states.bytes + SITE_BYTES * this.#sites.count + MOVES_BYTES * this.#steps.count;
  }

  /** Makes room for threads that have just been met for the first time. */
  #widen(): void {
    if (this.#sites.width <= this.#vector.length) return;
    this.#states.widen(this.#sites.width);
    const wide = new Int32Array(this.#states.width);
    wide.set(this.#vector);
    this.#vector = wide;
  }

  #addFinal(state: number): void {
    const present = [...this.#vector].filter((id) => id !== 0).map((id) => this.#sites.get(id));
    const soup = present.flatMap(({ molecules }) => molecules).sort();
    const closed = present.flatMap(({ cell }) => (cell.closed ? [cell.thread] : [])).sort();
    const key = JSON.stringify([soup, closed]);
    if (this.#finals.has(key)) return;
    const final = { soup, closed, stuck: this.#verdicts.unfinished(this.#vector) };
    this.#finals.set(key, { final, state });
  }

  #result(expanded: number, depth: number): Exploration {
    const trace = (state: number) => traceOf(this.#sites, this.#steps, this.#states, state);
    const finals = [...this.#finals]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { final }]) => final);
    const stuck = [...this.#finals.values()].filter(({ final }) => final.stuck);
    const [first] = stuck;
    const violations = [...this.#broken].map(([name, state]) => ({ invariant: name, trace: trace(state) }));
    return {
      states: this.#states.count,
      firings: this.#firings,
      depth,
      finals,
      stuck: stuck.length,
      stuckTrace: first === undefined ? undefined : trace(first.state),
      violations: violations.sort((one, other) => (one.invariant < other.invariant ? -1 : 1)),
      complete: this.#cut === undefined,
      cut: this.#cut === undefined ? undefined : { ...this.#cut, depth: expanded },
    };
  }
}
