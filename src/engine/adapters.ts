/** From the agents of a job definition to adapters, and the `cfa` that their programs find on PATH. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesAgent, type FilesOptions } from "../channels/files-protocol/adapter.ts";
import type { JobAgent, JobDefinition } from "../job/definition.ts";
import { serverCommands } from "../job/role/role.ts";
import { type Boundary, type Mount, open, seen } from "../runtime/boundary/port.ts";
import { fileMounts } from "../runtime/boundary/program-files.ts";
import { isOfSystem } from "../runtime/boundary/system-paths.ts";
import { commandAgent, type CommandOptions } from "../runtime/agents/command.ts";
import type { AgentAdapter } from "../runtime/agents/port.ts";
import { scriptAgent } from "../runtime/agents/script.ts";
import type { Clock } from "../runtime/clock.ts";
import { invariant } from "../soup/invariant.ts";
import type { AgentName } from "../soup/message.ts";
import { type AgentHome, skillsOf } from "./agent-home/home.ts";

/** The compiled command line of this package; run from its sources, the one that the build has made beside them. */
export function cliFile(): string {
  const beside = fileURLToPath(new URL("../cli/main.js", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
}

/** Makes `directory` hold an executable `cfa` that runs `file` with this very Node. */
export async function installVerbs(directory: string, file: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const quote = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;
  const path = join(directory, "cfa");
  await writeFile(path, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(file)} "$@"\n`);
  await chmod(path, 0o755);
}

/** What a confined program sees of cfa, so that the verbs work inside: the command line, its libraries, its skills, this very Node. */
export async function cfaMounts(cfaBin: string, file: string): Promise<readonly Mount[]> {
  const home = dirname(dirname(dirname(file)));
  // Installed as a dependency, the libraries lie beside it; in its own checkout, below it.
  const libraries = [join(home, "node_modules"), dirname(home)].filter(
    (path) => basename(path) === "node_modules" && existsSync(path),
  );
  const own = [
    dirname(dirname(file)),
    join(home, "package.json"),
    join(home, "skills"),
    ...libraries,
    cfaBin,
  ];
  return [...own.filter((path) => !isOfSystem(path)).map(seen), ...(await nodeMounts())];
}

async function nodeMounts(): Promise<readonly Mount[]> {
  return isOfSystem(process.execPath) ? [] : fileMounts(process.execPath);
}

/** What a confined program sees of its role: all of it read-only, but the folders in which its client keeps sessions. */
function homeMounts(home: AgentHome): readonly Mount[] {
  const { role, grant, claudeSettings, claudeMcp, codexConfig, codexHooks } = home;
  const written = [home.claudeUserSettings, ...skillsOf(home)].filter((path) => existsSync(path));
  const fixed = [role, grant, claudeSettings, claudeMcp, codexConfig, codexHooks, ...written];
  return [...fixed.map(seen), open(home.claudeConfig), open(home.codexHome)];
}

/** What the adapters of a job need beside its definition. */
export type AdapterMeans = {
  /** Folder of the job, `.cfa/jobs/<id>`. */
  readonly jobDirectory: string;
  /** Directory that holds an executable `cfa`. */
  readonly cfaBin: string;
  readonly boundaries: Readonly<Record<AgentName, Boundary>>;
  /** What every confined program sees of cfa. */
  readonly mounts: readonly Mount[];
  /** What the roles of agents bring. */
  readonly homes: ReadonlyMap<AgentName, AgentHome>;
  readonly clock: Clock;
};

/** The adapter of each agent; `own` ones go before those of the definition. */
export function adaptersOf(
  definition: JobDefinition,
  own: Readonly<Record<AgentName, AgentAdapter>>,
  means: AdapterMeans,
): Record<AgentName, AgentAdapter> {
  const entries = Object.entries(definition.agents).map(([name, agent]): [AgentName, AgentAdapter] => {
    const given = own[name];
    if (given !== undefined) return [name, given];
    if (agent.adapter === "script") return [name, scriptAgent(agent.steps)];
    const shared = programOptions(name, agent, means);
    if (agent.adapter === "files") return [name, filesAgent(filesOptions(definition, agent, shared, means))];
    const programs = agent.tools.map((tool) => tool.run);
    return [name, commandAgent({ ...shared, programs, prompt: agent.prompt })];
  });
  return Object.fromEntries(entries);
}

type Program = Exclude<JobAgent, { adapter: "script" }>;
type FilesAgent = Extract<JobAgent, { adapter: "files" }>;

/** How the program of an agent is run, whatever it speaks. */
function programOptions(
  name: AgentName,
  { run, env, network, exempt, role: brought }: Program,
  { cfaBin, boundaries, mounts, homes }: AdapterMeans,
): CommandOptions {
  const exempted = exempt.map(({ path, write }) => (write ? open(path) : seen(path)));
  const boundary = boundaries[name];
  invariant(boundary !== undefined, `no boundary was chosen for ${name}`);
  const home = homes.get(name);
  const all = [...mounts, ...exempted, ...(home === undefined ? [] : homeMounts(home))];
  const role = home === undefined ? {} : { roleDirectory: home.role };
  const servers = brought === undefined ? {} : { servers: serverCommands(brought.mcp) };
  return { run, env, cfaBin, boundary, network, mounts: all, ...servers, ...role };
}

function filesOptions(
  { human }: JobDefinition,
  { outputs, collect, inline_limit, recovery }: FilesAgent,
  shared: CommandOptions,
  { jobDirectory, clock }: AdapterMeans,
): FilesOptions {
  const isAsked = (option: string) => option === "escalate" && human !== "none";
  const escalates = {
    recoverable: isAsked(recovery.recoverable),
    unrecoverable: isAsked(recovery.unrecoverable),
  };
  return { ...shared, outputs, collect, inlineLimit: inline_limit, escalates, jobDirectory, clock };
}
