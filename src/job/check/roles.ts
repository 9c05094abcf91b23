/**
 * Roles that cannot be told apart: agents that may send the same, and whose rosters lead to the same kinds of agents. To a free
 * agent nothing else matters, so one of each kind stands for the others.
 */
import type { AgentName } from "../../soup/message.ts";
import type { JobDefinition } from "../definition.ts";

/** The kind of each agent: the first agent of the job that cannot be told apart from it. */
export type Kinds = ReadonlyMap<AgentName, AgentName>;

/** Groups the agents of a job: the coarsest partition in which agents of one group may send the same kinds, and dispatch into the same groups. */
export function kindsOf({ agents }: Pick<JobDefinition, "agents">): Kinds {
  const names = Object.keys(agents);
  let kinds = new Map<AgentName, AgentName>(names.map((name) => [name, names[0] ?? name]));
  for (;;) {
    const first = new Map<string, AgentName>();
    const next = new Map<AgentName, AgentName>();
    for (const name of names) {
      const below = new Set(agents[name]?.roster.map((other) => kinds.get(other) ?? other));
      const sends = agents[name]?.role?.sends ?? null;
      const key = JSON.stringify([kinds.get(name), sends, [...below].sort()]);
      const known = first.get(key) ?? name;
      first.set(key, known);
      next.set(name, known);
    }
    const groups = new Set(next.values()).size;
    if (groups === new Set(kinds.values()).size) return next;
    kinds = next;
  }
}

/** One agent of each kind, in the order of the roster. */
export function onePerKind(kinds: Kinds, roster: readonly AgentName[]): AgentName[] {
  const seen = new Set<AgentName>();
  return roster.filter((name) => {
    const kind = kinds.get(name) ?? name;
    return !seen.has(kind) && seen.add(kind);
  });
}
