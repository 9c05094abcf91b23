/** What an engine is made of and how it runs a job, as embedders say it. */
import type { JobDefinition, NotifyTarget } from "../job/definition.ts";
import type { Draft } from "../persistence/entry.ts";
import type { Bus } from "../persistence/ports.ts";
import type { AgentAdapter, TurnEvent } from "../runtime/agents/port.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Workspaces } from "../runtime/workspaces/port.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";

/** What an engine is made of. Everything has a default. */
export type EngineOptions = {
  /** `sqlite` (the default) keeps the log under `.cfa/jobs/<id>/`; `memory` keeps it in this process; or a bus of your own. */
  readonly bus?: "sqlite" | "memory" | ((job: string) => Bus);
  /** What a power cut may cost (docs/log.md). Default FULL. */
  readonly synchronous?: "FULL" | "NORMAL";
  readonly clock?: Clock;
  /** Workspaces of your own instead of git worktrees. */
  readonly workspaces?: (job: string, definition: JobDefinition) => Promise<Workspaces>;
};

/** How a job is run. */
export type RunOptions = {
  /** Adapters of your own, by agent; they go before those that the definition names. */
  readonly agents?: Readonly<Record<AgentName, AgentAdapter>>;
  /** Keep waiting when only a human can help (the default); otherwise the run ends as `waiting`. */
  readonly waitForHuman?: boolean;
  /** Carry out what waits in the inbox, start no turn, and end as `stopped`, unless the job has ended or is parked then. */
  readonly actsOnly?: boolean;
  /** Start another run even when the same job is there already. */
  readonly fresh?: boolean;
  /** Entries to add first when a job is resumed, for example a larger budget. */
  readonly first?: readonly Draft[];
  readonly onTurnEvent?: (thread: ThreadId, event: TurnEvent) => void;
  /** How the human is told of questions where the job's own `notify` says nothing. */
  readonly notify?: NotifyTarget;
};
