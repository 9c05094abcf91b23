/** From a job file without mistakes to the job as it runs: defaults that depend on other keys, paths, null for absent. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { invariant } from "../soup/invariant.ts";
import { type Findings, defaultLead, proxyOf } from "./cross-check.ts";
import type { JobAgent, JobDefinition } from "./definition.ts";
import type { JobFile } from "./file-schema.ts";
import type { Role } from "./role/role.ts";

/** What was looked up outside the file, the roles of agents included. */
type Resolved = Findings & { readonly roles: ReadonlyMap<string, Role> };

/** Resolves a checked file. `repository` is absolute, `directory` the folder of the file. */
export function resolveJob(
  file: JobFile,
  findings: Resolved,
  { directory, repository }: { readonly directory: string; readonly repository: string },
): JobDefinition {
  const proxy = proxyOf(file);
  const lead = defaultLead(Object.keys(file.agents), proxy);
  const state = ({ agent = lead, state_timeout, ...rest }: JobFile["states"]["INTENT"]) => {
    invariant(agent !== undefined, "a state without a lead passed the check");
    return { agent, ...rest, state_timeout: state_timeout ?? null };
  };
  const { usd = null, tokens = null, turns = null, wall = null } = file.budget;
  const { proxy: _named, ...rest } = file;
  return {
    ...rest,
    ...(proxy === undefined ? {} : { proxy }),
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
    prices: { agents: pricesOf(file.prices.agents), models: pricesOf(file.prices.models) },
    deadline: file.deadline ?? null,
    notify: notifyOf(file, findings),
    workspaces: file.workspaces === undefined ? null : path.resolve(directory, file.workspaces),
  };
}

function notifyOf({ notify }: JobFile, findings: Findings): JobDefinition["notify"] {
  if (notify?.url !== undefined) return { url: notify.url };
  return findings.notify === undefined ? null : { run: [...findings.notify] };
}

/** A price without one for cached tokens takes them for others that are read. */
function pricesOf(written: JobFile["prices"]["agents"]): JobDefinition["prices"]["agents"] {
  return Object.fromEntries(
    Object.entries(written).map(([name, { input, output, cached = input }]) => [
      name,
      { input, output, cached },
    ]),
  );
}

function resolveAgent(
  name: string,
  agent: JobFile["agents"][string],
  findings: Resolved,
  directory: string,
): JobAgent {
  const found = findings.roles.get(name);
  const role = found === undefined ? {} : { role: found };
  if (agent.adapter === "script") {
    const { skill = null, fallback = null, role: _written, ...rest } = agent;
    return { ...rest, skill, fallback, ...role };
  }
  const { skill = null, fallback = null, role: _written, sandbox, ...rest } = agent;
  const shared = { skill, fallback, ...role };
  const run = findings.programs.get(name);
  invariant(run !== undefined, `the program of ${name} was not looked up`);
  const { level, exempt } = typeof sandbox === "string" ? { level: sandbox, exempt: [] } : sandbox;
  const inFull = exempt.map((one) => ({ ...one, path: path.resolve(directory, one.path) }));
  const program: ResolvedProgram = { run: [...run], sandbox: level, exempt: inFull };
  if (rest.adapter === "files") return { ...rest, ...program, ...shared };
  const tools = resolveTools(name, rest.tools, findings);
  return { ...rest, ...program, adapter: "command", tools, ...shared };
}

type ResolvedProgram = Pick<Extract<JobAgent, { adapter: "files" }>, "exempt" | "sandbox"> & {
  run: [string, ...string[]];
};

/** The tools of a command agent, with what was looked up for each. */
function resolveTools(
  agent: string,
  tools: Exclude<JobFile["agents"][string], { adapter: "script" | "files" }>["tools"],
  findings: Findings,
): Extract<JobAgent, { adapter: "command" }>["tools"] {
  return tools.map(({ name, description, timeout }, index) => {
    const found = findings.tools.get(agent)?.[index];
    invariant(found !== undefined, `tool ${name} of ${agent} was not looked up`);
    return { name, description, timeout, ...found };
  });
}

/** The real path of a folder, so that one repository has one name; as it stands while it does not exist. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // Whoever opens the repository says that it is missing.
  }
}
