/** Whether a thread of a job may have its first turn: its agent's needs, and how the siblings stand (docs/files-dependencies.md). */
import type { View } from "../runtime/director.ts";
import { type Needs, neededBy } from "../runtime/dependencies/needs.ts";
import { type Readiness, readinessOf, type Wait } from "../runtime/dependencies/readiness.ts";
import { standingOf } from "../runtime/dependencies/standing.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";

/** The agents of a job, as far as they wait for others. */
type Agents = Readonly<Record<AgentName, { readonly adapter: string } & Partial<Needs>>>;

const READY: Readiness = { kind: "start" };

/** Decides from the log alone. Needs are of a first turn: once a turn has ended well there is nothing to wait for. */
export function readinessIn(
  { agents }: { readonly agents: Agents },
  thread: ThreadId,
  { ledger, configuration }: Pick<View, "ledger" | "configuration">,
): Readiness {
  const { agent, parent, turns, failures } = ledger.thread(thread);
  const { depends_on = [], wait_for = [] } = agents[agent] ?? {};
  const needs = { depends_on, wait_for };
  if (neededBy(needs).length === 0 || parent === undefined || turns > failures) return READY;
  const parentSends = configuration.cell(parent)?.lifecycles.some(({ kind }) => kind === "Send") ?? false;
  const siblingsOf = (needed: AgentName) =>
    ledger
      .childrenWith(parent, needed)
      .map((record) => ({ thread: record.thread, turn: record.turn, standing: standingOf(record) }));
  return readinessOf(needs, siblingsOf, parentSends);
}

/** The siblings that a turn which has not begun waits for; none for most. */
export function waitsIn(
  definition: { readonly agents: Agents },
  thread: ThreadId,
  view: Pick<View, "ledger" | "configuration">,
): readonly Wait[] {
  const readiness = readinessIn(definition, thread, view);
  return readiness.kind === "hold" ? readiness.waits : [];
}
