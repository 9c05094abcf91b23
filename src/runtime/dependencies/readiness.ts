/**
 * Whether an agent may start its first turn, by how the siblings stand that it needs. Pure (docs/files-dependencies.md).
 *
 * R1. While the parent still sends its broadcast nothing is decided but to hold: what the broadcast opens or closes later counts.
 * R2. After that each needed agent must have been opened beside it; where one never was, waiting would never end.
 * R3. Every sibling of a needed agent must have completed, or have ended with its parent knowing; the newest that has completed
 *     gives its outputs, and where none has the need is skipped.
 * R4. Over a graph without a cycle no hold waits for another one in a circle: whoever is held waits for work that runs, or for its parent.
 */
import type { AgentName, ThreadId } from "../../soup/message.ts";
import { type Dependency, type Needs, neededBy } from "./needs.ts";
import type { ChildStanding } from "./standing.ts";

/** A child of the same parent. */
export type Sibling = {
  readonly thread: ThreadId;
  readonly standing: ChildStanding;
  /** Its newest turn. */
  readonly turn: number;
};

/** What came of a needed agent. */
export type Settled = {
  readonly agent: AgentName;
  readonly standing: "completed" | "skipped";
  readonly thread: ThreadId;
  /** The turn in which it has completed, or its last. */
  readonly turn: number;
};

/** What a turn starts with of the agents that it needs. */
export type Dependencies = {
  readonly depends_on: readonly Dependency[];
  readonly wait_for: readonly AgentName[];
  /** One for each needed agent. */
  readonly settled: readonly Settled[];
};

/** Why it waits for an agent; `unsent`: the parent's broadcast is under way. */
export type Wait = {
  readonly agent: AgentName;
  readonly why: "unsent" | "open" | "failed";
  /** Absent while there is none. */
  readonly thread?: ThreadId;
};

/** See the header. */
export type Readiness =
  | { readonly kind: "start"; readonly dependencies?: Dependencies }
  | { readonly kind: "hold"; readonly waits: readonly Wait[] }
  /** One sentence: who is missing, and what to do. */
  | { readonly kind: "impossible"; readonly why: string };

/** Decides; `siblingsOf` lists the children of the parent with that agent, in the order in which they were opened. */
export function readinessOf(
  needs: Needs,
  siblingsOf: (agent: AgentName) => readonly Sibling[],
  parentSends: boolean,
): Readiness {
  const agents = neededBy(needs);
  if (parentSends) return { kind: "hold", waits: agents.map((agent) => firstWait(agent, siblingsOf(agent))) };
  const missing = agents.filter((agent) => siblingsOf(agent).length === 0);
  if (missing.length > 0) return { kind: "impossible", why: missingText(missing) };
  const waits = agents.flatMap((agent) => waitsFor(agent, siblingsOf(agent)));
  if (waits.length > 0) return { kind: "hold", waits };
  const settled = agents.flatMap((agent) => settledBy(agent, siblingsOf(agent)));
  return { kind: "start", dependencies: { ...needs, settled } };
}

/** Whom it waits for and, where that is no matter of time, what for: `collector, validator (dispatch:1.1.2 has failed and …)`. */
export function waitText(waits: readonly Wait[]): string {
  const named = new Map(waits.map((wait) => [wait.agent, wait]));
  return [...named.values()]
    .map(({ agent, why, thread }) =>
      why === "failed" ? `${agent} (${thread} has failed, and has not been closed)` : agent,
    )
    .join(", ");
}

function firstWait(agent: AgentName, siblings: readonly Sibling[]): Wait {
  return waitsFor(agent, siblings)[0] ?? { agent, why: "unsent" };
}

function waitsFor(agent: AgentName, siblings: readonly Sibling[]): Wait[] {
  return siblings.flatMap(({ thread, standing }) =>
    standing === "open" || standing === "failed" ? [{ agent, thread, why: standing }] : [],
  );
}

function settledBy(agent: AgentName, siblings: readonly Sibling[]): Settled[] {
  const completed = siblings.findLast(({ standing }) => standing === "completed");
  const newest = completed ?? siblings.at(-1);
  if (newest === undefined) return [];
  const { thread, turn } = newest;
  return [{ agent, thread, turn, standing: completed === undefined ? "skipped" : "completed" }];
}

function missingText(missing: readonly AgentName[]): string {
  const names = missing.join(", ");
  const them = missing.length === 1 ? "it" : "them";
  return `it needs ${names}, and whoever opened it has not opened ${them} beside it: open ${them} in the same turn`;
}
