/**
 * What rosters, limits and budget alone say of a job: exact, without walking it.
 *
 * R1. A dispatched agent is one that some lead can reach through rosters. Its turns have no limit of their own, so one with
 *     a roster may open conversations without end; only a budget or a time stops it.
 * R2. Times bound a job, but give no number; usage does not, for an agent need not report any.
 */
import type { AgentName } from "../../soup/message.ts";
import type { JobDefinition } from "../definition.ts";
import { LIVE_STATES, type LiveState } from "../machine.ts";

/** States that the job can come to: from its first one on, and the earlier ones when it may backtrack. */
export function statesOf({ start, limits }: Pick<JobDefinition, "start" | "limits">): readonly LiveState[] {
  const from = LIVE_STATES.indexOf(start);
  const ahead = LIVE_STATES.slice(from);
  return limits.backtracks > 0 ? [...ahead, ...LIVE_STATES.slice(0, from)] : ahead;
}

/** A way in which conversations can be opened for ever: the agents that are dispatched, each by the one before it. */
export type Endless = {
  readonly state: LiveState;
  /** Dispatched agents, the one that the lead dispatches first. */
  readonly path: readonly AgentName[];
  /** The last agent of the path is one of those before it; otherwise it has a roster and dispatches again and again. */
  readonly cycle: boolean;
};

/** The shortest such way, a cycle before anything else; undefined when there is none (R1). */
export function endlessDispatch(definition: JobDefinition): Endless | undefined {
  const states = statesOf(definition);
  const cycles = states.flatMap((state) => {
    const path = shortestCycle(definition, state);
    return path === undefined ? [] : [{ state, path, cycle: true }];
  });
  const chains = states.flatMap((state) => {
    const ways = [...waysDown(definition, state).values()];
    return ways
      .filter((path) => rosterOf(definition, path.at(-1)).length > 0)
      .map((path) => ({ state, path, cycle: false }));
  });
  const shortest = (all: readonly Endless[]) => all.toSorted((a, b) => a.path.length - b.path.length)[0];
  return shortest(cycles) ?? shortest(chains);
}

/**
 * The budget that bounds how much is dispatched, by its key; undefined when none does (R2). A time bounds how long it goes on, not how
 * much there is of it.
 */
export function endOf({ budget }: Pick<JobDefinition, "budget">): "budget.turns" | undefined {
  return budget.turns === null ? undefined : "budget.turns";
}

/** Most levels of dispatched agents below a lead; null when a cycle makes it endless. */
export function depthOf(definition: JobDefinition): number | null {
  if (endlessDispatch(definition)?.cycle === true) return null;
  const below = (agent: AgentName): number =>
    Math.max(0, ...rosterOf(definition, agent).map((other) => 1 + below(other)));
  return Math.max(...statesOf(definition).map((state) => below(definition.states[state].agent)));
}

/** Whom an agent may dispatch. */
export function rosterOf({ agents }: JobDefinition, agent: AgentName | undefined): readonly AgentName[] {
  return agents[agent ?? ""]?.roster ?? [];
}

/** A shortest way from the lead of a state down to each agent that can be dispatched. */
function waysDown(definition: JobDefinition, state: LiveState): Map<AgentName, readonly AgentName[]> {
  return waysFrom(definition, definition.states[state].agent);
}

function waysFrom(definition: JobDefinition, agent: AgentName): Map<AgentName, readonly AgentName[]> {
  const ways = new Map<AgentName, readonly AgentName[]>();
  const work: (readonly AgentName[])[] = [[]];
  for (const path of work) {
    for (const next of rosterOf(definition, path.at(-1) ?? agent)) {
      if (ways.has(next)) continue;
      const way = [...path, next];
      ways.set(next, way);
      work.push(way);
    }
  }
  return ways;
}

function shortestCycle(definition: JobDefinition, state: LiveState): readonly AgentName[] | undefined {
  const found = [...waysDown(definition, state)].flatMap(([agent, path]) => {
    const back = waysFrom(definition, agent).get(agent);
    return back === undefined ? [] : [[...path, ...back]];
  });
  return found.toSorted((a, b) => a.length - b.length)[0];
}
