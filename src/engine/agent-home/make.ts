/**
 * Writes the configurations of the agents that have a role, from the definition alone (C2 of engine.ts), when a process takes the job up.
 *
 * W1. Written again each time: a file that somebody has changed meanwhile is as it was. What the client itself keeps there stays.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { JobDefinition } from "../../job/definition.ts";
import type { Role } from "../../job/role/role.ts";
import type { AgentName } from "../../soup/message.ts";
import { hookCommand } from "../../tool-check/hook-command.ts";
import { claudeMcp, claudeSettings } from "./claude.ts";
import { codexConfig, codexHooks } from "./codex.ts";
import { type AgentHome, homeOf, grantOf } from "./home.ts";

/** How cfa is run: a command line, and an executable file that stands for it, absolute. */
export type CfaCommand = { readonly run: readonly string[]; readonly executable: string };

/** Makes them below `directory`. */
export async function makeAgentHomes(
  directory: string,
  { agents }: Pick<JobDefinition, "agents">,
  cfa: CfaCommand,
): Promise<ReadonlyMap<AgentName, AgentHome>> {
  const homes = new Map<AgentName, AgentHome>();
  for (const [name, agent] of Object.entries(agents)) {
    if (agent.role === undefined) continue;
    const home = homeOf(directory, name);
    const grant = grantOf(name, agent, agent.role, home);
    await writeRole(home, agent.role);
    await writeJson(home.grant, grant);
    const hook = hookCommand(cfa.run, home.grant);
    const settings = claudeSettings(grant, hook);
    await writeJson(home.claudeSettings, settings);
    await writeJson(home.claudeUserSettings, settings);
    await writeJson(home.claudeMcp, claudeMcp(agent.role.mcp, cfa.executable));
    await writeText(home.codexConfig, codexConfig(agent.role, grant, cfa.executable));
    await writeJson(home.codexHooks, codexHooks(hook));
    homes.set(name, home);
  }
  return homes;
}

async function writeRole(home: AgentHome, { system, files }: Role): Promise<void> {
  await rm(home.role, { recursive: true, force: true });
  const clients = [home.claudeConfig, home.codexHome];
  for (const client of clients) await rm(join(client, "skills"), { recursive: true, force: true });
  for (const folder of ["skills", "scripts"]) await mkdir(join(home.role, folder), { recursive: true });
  if (system !== null) await writeText(join(home.role, "SYSTEM.md"), system);
  for (const { path, text } of files) {
    await writeText(join(home.role, path), text, path.startsWith("scripts/") ? 0o755 : 0o644);
    if (!path.startsWith("skills/")) continue;
    for (const client of clients) await writeText(join(client, path), text);
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeText(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Never through a link: what stands there is removed first. */
async function writeText(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await writeFile(path, text, { mode, flag: "wx" });
}
