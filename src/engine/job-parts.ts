/** What a run of a job is assembled from: its bus, its workspaces, its agents, its notifier, the files that it begins with. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { JobDefinition } from "../job/definition.ts";
import { jobDirectory, jobFile } from "../persistence/jobs.ts";
import { memoryBus } from "../persistence/memory.ts";
import type { Bus } from "../persistence/ports.ts";
import { openSqliteBus } from "../persistence/sqlite/bus.ts";
import type { AgentAdapter } from "../runtime/agents/port.ts";
import type { Clock } from "../runtime/clock.ts";
import { gitWorkspaces } from "../runtime/workspaces/git-workspaces.ts";
import type { Workspaces } from "../runtime/workspaces/port.ts";
import { ensureStateDirectory } from "../runtime/workspaces/repository.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";
import { adaptersOf, cfaMounts, cliFile, installVerbs } from "./adapters.ts";
import { makeAgentHomes } from "./agent-home/make.ts";
import type { Boundaries } from "./boundaries.ts";
import { checkpointOf } from "./checkpoint.ts";
import { notifierOf } from "./notifier.ts";
import type { EngineOptions, RunOptions } from "./options.ts";

/** The notifier of a run, as the scheduler takes it; what it prints goes to the job's streams. */
export function notifying(target: RunOptions["notify"] | null, directory: string, cwd: string) {
  if (target === undefined || target === null) return {};
  return { notifier: notifierOf({ target, stream: join(directory, "streams", "notify.log"), cwd }) };
}

/** The adapters of a job, with what its programs find in the job's folder: `cfa`, and what their roles bring. */
export async function makeAgents(
  { directory, clock }: { readonly directory: string; readonly clock: Clock },
  definition: JobDefinition,
  own: Readonly<Record<AgentName, AgentAdapter>>,
  boundaries: Boundaries,
): Promise<Record<AgentName, AgentAdapter>> {
  const file = cliFile();
  const bin = join(directory, "bin");
  await installVerbs(bin, file);
  const cfa = { run: [process.execPath, file], executable: join(bin, "cfa") };
  const homes = await makeAgentHomes(join(directory, "agents"), definition, cfa);
  const mounts = await cfaMounts(bin, file);
  const means = { jobDirectory: directory, cfaBin: bin, boundaries: boundaries.of, mounts, homes, clock };
  return adaptersOf(definition, own, means);
}

/** Stores a checkpoint of these folds; returns its length in characters. */
export async function saveCheckpoint(
  { log }: Bus,
  folds: Parameters<typeof checkpointOf>[0],
): Promise<number> {
  const checkpoint = checkpointOf(folds);
  await log.saveCheckpoint(checkpoint);
  return checkpoint.state.length;
}

/** The bus of a job: its log in the repository, in this process, or the embedder's own. */
export async function makeBus(
  bus: NonNullable<EngineOptions["bus"]>,
  id: string,
  top: string,
  synchronous: "FULL" | "NORMAL",
): Promise<Bus> {
  if (bus === "memory") return memoryBus(id);
  if (bus !== "sqlite") return bus(id);
  await ensureStateDirectory(top);
  await mkdir(jobDirectory(top, id), { recursive: true });
  return openSqliteBus(jobFile(top, id), { job: id, synchronous });
}

/** Worktrees of the repository whose top is `top`; `home` is the thread of the job, `target` the branch that it may be merged into. */
export async function worktrees(
  { job, home }: { readonly job: string; readonly home: ThreadId },
  top: string,
  definition: JobDefinition,
  target: string | null,
): Promise<Workspaces> {
  return gitWorkspaces({
    repository: top,
    job,
    home,
    artifacts: Object.values(definition.artifacts),
    ...(definition.workspaces === null ? {} : { root: join(definition.workspaces, job) }),
    ...(target === null ? {} : { target }),
  });
}

/** The files with which the tree of the job begins: artifacts that the operator supplies. */
export function seedsOf(definition: JobDefinition): { readonly path: string; readonly bytes: string }[] {
  const { given, artifacts } = definition;
  const seeds = [
    { path: artifacts.intent, bytes: given.intent },
    { path: artifacts.plan, bytes: given.plan },
  ];
  return seeds.flatMap(({ path, bytes }) => (bytes === null ? [] : [{ path, bytes }]));
}
