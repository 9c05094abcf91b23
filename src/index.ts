/**
 * The embedding API: run a job in process, with agents that are functions or programs.
 *
 * ```ts
 * const engine = openEngine({ bus: "memory" });
 * const { definition } = loadJob("job.yaml");
 * const job = await engine.start(definition, { agents: { lead: defineAgent((turn) => turn.outcome("APPROVED_INTENT", "ok")) } });
 * for await (const entry of job) console.log(entry.seq, entry.kind);
 * await engine.close();
 * ```
 */
export { Engine, openEngine } from "./engine/engine.ts";
export type { EngineOptions, RunOptions } from "./engine/options.ts";
export { JobRun } from "./engine/job-run.ts";
export { CannotStart } from "./engine/prepare.ts";
export { type JobDefinition } from "./job/definition.ts";
export { type LoadedJob, loadJobFile as loadJob, type LoadOptions, parseJob } from "./job/load.ts";
export { JobFileError, type Mistake } from "./job/mistakes.ts";
export type { Draft, Entry, EntryBody, EntryKind } from "./persistence/entry.ts";
export { memoryBus } from "./persistence/memory.ts";
export type { Bus, Inbox, InboxItem, JobLog, Ownership, Wake } from "./persistence/ports.ts";
export { openSqliteBus } from "./persistence/sqlite/bus.ts";
export type { AgentAdapter, TurnEvent, TurnRequest, TurnResult } from "./runtime/agents/port.ts";
export { scriptAgent as defineAgent } from "./runtime/agents/script.ts";
export { Refusal, type Script, type ScriptTurn } from "./runtime/agents/script-turn.ts";
export type { Clock } from "./runtime/clock.ts";
export type { RunEnd } from "./runtime/scheduler-options.ts";
export type { UsageReport } from "./runtime/usage.ts";
export type { Workspaces } from "./runtime/workspaces/port.ts";
