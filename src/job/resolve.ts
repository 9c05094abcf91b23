/** From a job file without mistakes to the job as it runs: defaults that depend on other keys, paths, null for absent. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { invariant } from "../soup/invariant.ts";
import { type Findings, defaultLead } from "./cross-check.ts";
import type { JobAgent, JobDefinition } from "./definition.ts";
import type { JobFile } from "./file-schema.ts";

/** Resolves a checked file. `repository` is absolute, `directory` the folder of the file. */
export function resolveJob(
  file: JobFile,
  findings: Findings,
  { directory, repository }: { readonly directory: string; readonly repository: string },
): JobDefinition {
  const lead = defaultLead(Object.keys(file.agents));
  const state = ({ agent = lead, state_timeout, ...rest }: JobFile["states"]["INTENT"]) => {
    invariant(agent !== undefined, "a state without a lead passed the check");
    return { agent, ...rest, state_timeout: state_timeout ?? null };
  };
  const { usd = null, tokens = null, turns = null, wall = null } = file.budget;
  return {
    ...file,
    repository,
    given: findings.given,
    agents: Object.fromEntries(
      Object.entries(file.agents).map(([name, agent]) => [
        name,
        resolveAgent(name, agent, findings, directory),
      ]),
    ),
    states: {
      INTENT: state(file.states.INTENT),
      PLAN: state(file.states.PLAN),
      EXECUTE: state(file.states.EXECUTE),
    },
    limits: { ...file.limits, stall: file.limits.stall ?? null },
    budget: { usd, tokens, turns, wall },
    hooks: {
      before_run: file.hooks.before_run ?? null,
      after_run: file.hooks.after_run ?? null,
      timeout: file.hooks.timeout,
    },
    deadline: file.deadline ?? null,
    notify: notifyOf(file, findings),
    workspaces: file.workspaces === undefined ? null : path.resolve(directory, file.workspaces),
  };
}

function notifyOf({ notify }: JobFile, findings: Findings): JobDefinition["notify"] {
  if (notify?.url !== undefined) return { url: notify.url };
  return findings.notify === undefined ? null : { run: [...findings.notify] };
}

function resolveAgent(
  name: string,
  agent: JobFile["agents"][string],
  findings: Findings,
  directory: string,
): JobAgent {
  const { skill = null, fallback = null } = agent;
  if (agent.adapter === "script") return { ...agent, skill, fallback };
  const run = findings.programs.get(name);
  invariant(run !== undefined, `the program of ${name} was not looked up`);
  const { level, exempt } =
    typeof agent.sandbox === "string" ? { level: agent.sandbox, exempt: [] } : agent.sandbox;
  const tools = agent.tools.map(({ name: tool, description, timeout }, index) => {
    const found = findings.tools.get(name)?.[index];
    invariant(found !== undefined, `tool ${tool} of ${name} was not looked up`);
    return { name: tool, description, timeout, ...found };
  });
  const inFull = exempt.map((one) => ({ ...one, path: path.resolve(directory, one.path) }));
  return {
    ...agent,
    adapter: "command",
    run: [...run],
    tools,
    skill,
    fallback,
    sandbox: level,
    exempt: inFull,
  };
}

/** The real path of a folder, so that one repository has one name; as it stands while it does not exist. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // Whoever opens the repository says that it is missing.
  }
}
