/** From the agents of a job definition to adapters, and the `cfa` that their programs find on PATH. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JobDefinition } from "../job/definition.ts";
import { commandAgent } from "../runtime/agents/command.ts";
import type { AgentAdapter } from "../runtime/agents/port.ts";
import { scriptAgent } from "../runtime/agents/script.ts";
import type { AgentName } from "../soup/message.ts";

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

/** The adapter of each agent; `own` ones go before those of the definition. */
export function adaptersOf(
  definition: JobDefinition,
  own: Readonly<Record<AgentName, AgentAdapter>>,
  cfaBin: string,
): Record<AgentName, AgentAdapter> {
  const entries = Object.entries(definition.agents).map(([name, agent]): [AgentName, AgentAdapter] => {
    const given = own[name];
    if (given !== undefined) return [name, given];
    if (agent.adapter === "script") return [name, scriptAgent(agent.steps)];
    return [name, commandAgent({ run: agent.run, env: agent.env, prompt: agent.prompt, cfaBin })];
  });
  return Object.fromEntries(entries);
}
