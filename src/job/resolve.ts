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
      Object.entries(file.agents).map(([name, agent]) => [name, resolveAgent(name, agent, findings)]),
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
    workspaces: file.workspaces === undefined ? null : path.resolve(directory, file.workspaces),
  };
}

function resolveAgent(role: string, agent: JobFile["agents"][string], findings: Findings): JobAgent {
  const { skill = null, fallback = null } = agent;
  if (agent.adapter === "script") return { ...agent, skill, fallback };
  const run = findings.programs.get(role);
  invariant(run !== undefined, `the program of ${role} was not looked up`);
  const tools = agent.tools.map(({ name, description, timeout }, index) => {
    const tool = findings.tools.get(role)?.[index];
    invariant(tool !== undefined, `tool ${name} of ${role} was not looked up`);
    return { name, description, timeout, ...tool };
  });
  return { ...agent, adapter: "command", run: [...run], tools, skill, fallback };
}

/** The real path of a folder, so that one repository has one name; as it stands while it does not exist. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // Whoever opens the repository says that it is missing.
  }
}
