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

/**
 * The choices under which a redex that is not structural may fire, all of which are explored; none: it does not fire.
 *
 * A behaviour is a function of the rule, the notation of its bindings and of the cell, and the decisions: ids, turn
 * numbers and the order of a cell's molecules are not part of a configuration and must not matter.
 */
export type Behaviour = (redex: Redex, place: Place) => readonly Choice[];

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
