/**
 * What an agent needs of its siblings before its first turn, and the graph of these needs (docs/files-dependencies.md).
 *
 * N1. The graph is over agents: an edge leads from an agent to each that it needs, by `depends_on` or by `wait_for`.
 * N2. A graph without a cycle has an order in which every agent starts after all that it needs; {@link cycleIn} finds why there is none.
 */
import type { AgentName } from "../../soup/message.ts";

/** Files of a sibling that an agent starts with. */
export type Dependency = {
  readonly agent: AgentName;
  /** Files or folders of the sibling, `outbox/…`. */
  readonly outputs: readonly string[];
  /** Folder of its own home for them, `inbox/…/`. */
  readonly copy_to: string;
};

/** What an agent waits for before its first turn. */
export type Needs = {
  readonly depends_on: readonly Dependency[];
  readonly wait_for: readonly AgentName[];
};

/** Whom these needs name, each once. */
export function neededBy({ depends_on, wait_for }: Needs): readonly AgentName[] {
  return [...new Set([...depends_on.map(({ agent }) => agent), ...wait_for])];
}

/** A cycle of the graph as the path that walks it, first agent again at its end; undefined when there is none (N2). */
export function cycleIn(
  graph: ReadonlyMap<AgentName, readonly AgentName[]>,
): readonly AgentName[] | undefined {
  const done = new Set<AgentName>();
  const path: AgentName[] = [];
  const visit = (agent: AgentName): readonly AgentName[] | undefined => {
    const at = path.indexOf(agent);
    if (at >= 0) return [...path.slice(at), agent];
    if (done.has(agent)) return undefined;
    path.push(agent);
    for (const needed of graph.get(agent) ?? []) {
      const cycle = visit(needed);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(agent);
    return undefined;
  };
  for (const agent of graph.keys()) {
    const cycle = visit(agent);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
