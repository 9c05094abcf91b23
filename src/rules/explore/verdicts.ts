/**
 * The invariants that a configuration breaks, asked millions of times.
 *
 * E9. What one thread breaks by itself is asked once for each site. Only cycles of edges and questions that are open
 *     twice concern several threads: a quick look rules them out, and what it cannot rule out is asked of
 *     `brokenInvariants`, which alone says what an invariant is.
 */
import { Configuration, moleculesOf } from "../../soup/configuration.ts";
import { brokenInvariants, type InvariantName } from "../invariants.ts";
import { isUnfinished, NOTHING, type Site, type Sites } from "./site.ts";

type Verdict = {
  /** What the site breaks by itself. */
  readonly broken: readonly InvariantName[];
  /** The slot of its only parent; -1: none; -2: several. */
  readonly parent: number;
  readonly questions: readonly string[];
  /** It holds a molecule that must not remain. */
  readonly unfinished: boolean;
};

/** See the header. */
export class Verdicts {
  readonly #sites: Sites;
  readonly #known: Verdict[] = [];

  constructor(sites: Sites) {
    this.#sites = sites;
  }

  /** The invariants that the configuration breaks. */
  broken(vector: Int32Array): readonly InvariantName[] {
    let found: InvariantName[] | undefined;
    let questions = 0;
    let suspicious = false;
    for (let slot = 0; slot < vector.length; slot++) {
      const id = vector[slot] ?? NOTHING;
      if (id === NOTHING) continue;
      const verdict = this.#of(id);
      if (verdict.broken.length > 0) found = [...(found ?? []), ...verdict.broken];
      questions += verdict.questions.length;
      if (verdict.parent === -2) suspicious = true;
      else if (verdict.parent >= 0) suspicious ||= this.#climbs(vector, slot);
    }
    if (suspicious || (questions > 1 && this.#isTwice(vector))) {
      return [...new Set(brokenInvariants(this.#configuration(vector)).map(({ invariant }) => invariant))];
    }
    return found === undefined ? NONE : [...new Set(found)];
  }

  /** Whether an inert configuration is stuck: something but Idle, empty Mailbox and Parent remains. */
  unfinished(vector: Int32Array): boolean {
    return vector.some((id) => id !== NOTHING && this.#of(id).unfinished);
  }

  /** Whether the way up from this slot does not end, or leads to a thread with several parents. */
  #climbs(vector: Int32Array, from: number): boolean {
    let slot = from;
    for (let left = vector.length; left >= 0; left--) {
      const id = vector[slot] ?? NOTHING;
      if (id === NOTHING) return false;
      slot = this.#of(id).parent;
      if (slot < 0) return slot === -2;
    }
    return true;
  }

  #isTwice(vector: Int32Array): boolean {
    const seen = new Set<string>();
    for (const id of vector) {
      if (id === NOTHING) continue;
      for (const question of this.#of(id).questions) {
        if (seen.has(question)) return true;
        seen.add(question);
      }
    }
    return false;
  }

  #configuration(vector: Int32Array): Configuration {
    let result = Configuration.empty();
    for (const id of vector) if (id !== NOTHING) result = result.withCell(this.#sites.get(id).cell);
    return result;
  }

  #of(id: number): Verdict {
    return (this.#known[id] ??= this.#verdict(this.#sites.get(id)));
  }

  #verdict({ cell }: Site): Verdict {
    const [first, second] = cell.up;
    const up = first === undefined ? -1 : this.#sites.slotOf(first.edge.thread);
    return {
      broken: brokenInvariants(Configuration.empty().withCell(cell)).map(({ invariant }) => invariant),
      parent: second === undefined ? up : -2,
      questions: cell.questions.map(({ question }) => question),
      unfinished: [...moleculesOf(cell)].some(isUnfinished),
    };
  }
}

const NONE: readonly never[] = [];
