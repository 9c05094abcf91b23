/**
 * What agents, proxies and the human may choose while a configuration is explored.
 */
import type { Cell } from "../../soup/cell.ts";
import type { AgentName } from "../../soup/message.ts";
import type { Choice } from "../fire.ts";
import type { Redex } from "../redex.ts";

/** How many decisions (send-step, nosend-step or ask-step) each agent has taken on one thread; sorted by agent. */
export type Decisions = readonly (readonly [agent: AgentName, taken: number])[];

/** All that a choice may depend on: the thread on which the rule is anchored. */
export type Place = { readonly cell: Cell; readonly decisions: Decisions };

/** The choices of agents, proxies and the human, all of which are explored. */
export type Behaviour = {
  /**
   * What a choice depends on besides the rule and its bindings: the number of decisions, or the whole cell. Where
   * the cell matters, what happens on one thread shows in the choices of others, and little can be reduced.
   */
  readonly sees: "decisions" | "cell";
  /**
   * The choices under which a redex that is not structural may fire; none: it does not fire. Ids, turn numbers and
   * the order of a cell's molecules are not part of a configuration and must not matter.
   */
  choices(redex: Redex, place: Place): readonly Choice[];
};

/** The decisions that `agent` has taken. */
export function decisionsOf(decisions: Decisions, agent: AgentName): number {
  return decisions.find(([name]) => name === agent)?.[1] ?? 0;
}

/** These decisions and one more of `agent`. */
export function decided(decisions: Decisions, agent: AgentName): Decisions {
  const others = decisions.filter(([name]) => name !== agent);
  const all = [...others, [agent, decisionsOf(decisions, agent) + 1] as const];
  return all.sort(([one], [other]) => (one < other ? -1 : 1));
}
