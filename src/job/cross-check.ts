/**
 * What spans the keys of a job file, or leads outside it: names that must be known, words that exclude each other,
 * programs and files that must exist.
 *
 * X1. It reads a lenient view of the file, in which whatever has the wrong type is absent, so that these mistakes
 *     are found together with those of the schema.
 * X2. What it looks up, it hands on: nothing is read twice.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { jobFileSchema } from "./file-schema.ts";
import { unknownAgent } from "./known-agents.ts";
import { LIVE_STATES, type LiveState, approvalsBefore } from "./machine.ts";
import type { Problem } from "./mistakes.ts";
import { quote } from "./problems.ts";
import { type ProgramPlaces, resolveProgram } from "./program.ts";
import { checkFallbacks } from "./check-fallbacks.ts";
import { checkNeeds } from "./check-needs.ts";
import { checkKinds } from "./role/check-kinds.ts";
import { checkTools, type FoundTool } from "./role-tools.ts";
import type { Role } from "./role/role.ts";
import { AGENT_NAME } from "./schema-parts.ts";
import { readText } from "./text-file.ts";

/** What was looked up outside the file. */
export type Findings = {
  /** Words to execute, by agent. */
  readonly programs: ReadonlyMap<string, readonly [string, ...string[]]>;
  /** Schemas and programs of the tools of agents, by agent, in the order of the file. */
  readonly tools: ReadonlyMap<string, readonly FoundTool[]>;
  /** Words to execute of `notify`, where it names a program. */
  readonly notify: readonly [string, ...string[]] | undefined;
  /** Text of the artifacts that the operator gives. */
  readonly given: { readonly intent: string | null; readonly plan: string | null };
};

/** Names that log, messages and calls use for others than agents of the job. */
const RESERVED = ["orchestrator", "human", "parent"];
/** The agent that is the proxy unless the file names another. */
const PROXY = "proxy";
/** Largest artifact that may be given, bytes. */
const GIVEN_BYTES_MAX = 1024 * 1024;
const ARTIFACT_OF = { APPROVED_INTENT: "intent", APPROVED_PLAN: "plan" } as const;

const words = z.array(z.string().catch("")).catch([]);
const word = z.string().optional().catch(undefined);
const toolView = z
  .object({ name: z.string().catch(""), schema: z.string().catch(""), run: words })
  .catch({ name: "", schema: "", run: [] });
const exempt = z.array(z.object({ path: z.string() })).catch([]);
const sandbox = z.object({ exempt }).catch({ exempt: [] });
const NO_AGENT = { run: [], roster: [], tools: [], sandbox: { exempt: [] } };
const stateView = z.object({ agent: word }).catch({});
const viewSchema = z.object({
  start: z.enum(LIVE_STATES).catch("INTENT"),
  proxy: word,
  artifacts: z.object({ intent: word, plan: word, summary: word }).catch({}),
  given: z.object({ intent: word, plan: word }).catch({}),
  agents: z
    .record(
      z.string(),
      z
        .object({ run: words, roster: words, fallback: word, sandbox, tools: z.array(toolView).catch([]) })
        .catch(NO_AGENT),
    )
    .catch({}),
  prices: z.object({ agents: z.record(z.string(), z.unknown()).catch({}) }).catch({ agents: {} }),
  notify: z.object({ run: words }).catch({ run: [] }),
  states: z
    .object({ INTENT: stateView, PLAN: stateView, EXECUTE: stateView })
    .catch({ INTENT: {}, PLAN: {}, EXECUTE: {} }),
});
type View = z.infer<typeof viewSchema>;

/** Who stands for the human: whom the file names, else the agent called `proxy`. */
export function proxyOf({
  proxy,
  agents,
}: {
  readonly proxy?: string | undefined;
  readonly agents: Readonly<Record<string, unknown>>;
}): string | undefined {
  return proxy ?? Object.keys(agents).find((name) => name === PROXY);
}

/** Who leads a state that names nobody: the only agent besides the proxy, else `lead`. */
export function defaultLead(agents: readonly string[], proxy: string | undefined): string | undefined {
  const others = agents.filter((name) => name !== proxy);
  return others.length === 1 ? others[0] : others.find((name) => name === "lead");
}

/** Checks the parsed file, of whatever shape it is, with the roles of its agents. */
export function check(
  value: unknown,
  places: ProgramPlaces,
  roles: ReadonlyMap<string, Role>,
): { problems: readonly Problem[]; findings: Findings } {
  const parsed = viewSchema.safeParse(value);
  const view = parsed.success ? parsed.data : viewSchema.parse({});
  const programs = checkPrograms(view, places);
  const tools = checkAllTools(view, places);
  const notify = checkNotify(view, places);
  const given = checkGiven(view, places.directory);
  const problems = [
    ...checkAgentNames(view),
    ...checkRosters(view),
    ...checkFallbacks(view.agents, proxyOf(view)),
    ...checkPrices(view),
    ...checkLeads(view),
    ...checkKinds(rostersOf(view), leadsOf(view), roles),
    ...checkNeeds(value, leadsOf(view)),
    ...checkProxy(view),
    ...checkArtifacts(view),
    ...programs.problems,
    ...tools.problems,
    ...checkExemptions(view, places.directory),
    ...notify.problems,
    ...given.problems,
  ];
  return {
    problems,
    findings: { programs: programs.found, tools: tools.found, notify: notify.found, given: given.found },
  };
}

/** Names of models are known to nobody but the agents. */
function checkPrices({ prices, agents }: View): readonly Problem[] {
  return Object.keys(prices.agents).flatMap((name) =>
    unknownAgent(["prices", "agents", name], "prices.agents", name, agents).map((problem) => ({
      ...problem,
      atKey: true,
    })),
  );
}

function rostersOf({ agents }: View): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(agents).map(([name, { roster }]) => [name, roster]));
}

function leadsOf({ agents, states, proxy }: View): readonly (readonly [LiveState, string])[] {
  const lead = defaultLead(Object.keys(agents), proxyOf({ proxy, agents })) ?? "";
  return LIVE_STATES.map((state) => [state, states[state].agent ?? lead]);
}

function checkAgentNames({ agents }: View): readonly Problem[] {
  return Object.keys(agents).flatMap((name) => {
    const at = { path: ["agents", name], atKey: true };
    if (RESERVED.includes(name))
      return [{ ...at, sentence: `no agent can be called ${name}: cfa uses the name itself` }];
    if (AGENT_NAME.test(name)) return [];
    const hint = "a letter first, then letters, digits, - and _, at most 40";
    return [{ ...at, sentence: `${quote(name)} is no name for an agent`, hint }];
  });
}

function checkRosters({ agents }: View): readonly Problem[] {
  return Object.entries(agents).flatMap(([agent, { roster }]) =>
    roster.flatMap((name, index) => {
      const at = ["agents", agent, "roster", index];
      if (roster.indexOf(name) < index)
        return [{ path: at, sentence: `${name} stands twice in the roster of ${agent}` }];
      return unknownAgent(at, `the roster of ${agent}`, name, agents);
    }),
  );
}

/** The proxy speaks for the human and knows them: it has no other part in the job. */
function checkProxy({ agents, states, proxy: named }: View): readonly Problem[] {
  const proxy = proxyOf({ proxy: named, agents });
  if (proxy === undefined) return [];
  const unknown = unknownAgent(["proxy"], "proxy", proxy, agents);
  if (unknown.length > 0) return unknown;
  const why = `${proxy} stands for the human`;
  const leads = LIVE_STATES.filter((state) => states[state].agent === proxy).map((state) => ({
    path: ["states", state, "agent"],
    sentence: `states.${state} is led by ${proxy}, and ${why}: name another agent`,
  }));
  const members = Object.entries(agents).flatMap(([agent, { roster }]) => {
    if (agent === proxy && roster.length > 0)
      return [
        { path: ["agents", agent, "roster"], sentence: `${why} and has no team: leave its roster out` },
      ];
    const index = roster.indexOf(proxy);
    const at = ["agents", agent, "roster", index];
    return index < 0
      ? []
      : [{ path: at, sentence: `${why}: ${agent} reaches it by asking, not by its roster` }];
  });
  return [...leads, ...members];
}

function checkLeads({ agents, states, proxy }: View): readonly Problem[] {
  const named = LIVE_STATES.flatMap((state) =>
    unknownAgent(["states", state, "agent"], `states.${state}`, states[state].agent ?? "", agents),
  );
  const names = Object.keys(agents);
  const leaderless = LIVE_STATES.filter((state) => states[state].agent === undefined);
  const lead = defaultLead(names, proxyOf({ proxy, agents }));
  if (leaderless.length === 0 || names.length === 0 || lead !== undefined) return named;
  const several =
    names.length === 1 ? "the only agent is the proxy" : "there are several agents and none is called lead";
  const sentence = `nobody leads ${leaderless.join(", ")}: ${several}`;
  return [
    ...named,
    { path: ["agents"], atKey: true, sentence, hint: "name one as agent of the state, or call one lead" },
  ];
}

function checkArtifacts({ artifacts }: View): readonly Problem[] {
  // Some file systems take INTENT.md and intent.md for one file.
  const all = { ...jobFileSchema.shape.artifacts.parse({}), ...definedOnly(artifacts) };
  const names = Object.entries(all).map(([key, name]) => [key, name.toLowerCase()] as const);
  return names.flatMap(([key, name], index) => {
    const first = names.slice(0, index).find(([, other]) => other === name)?.[0];
    if (first === undefined) return [];
    return [
      { path: ["artifacts", key], sentence: `artifacts.${key} is the same file as artifacts.${first}` },
    ];
  });
}

function definedOnly(names: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([key, name]) => (name === undefined ? [] : [[key, name]])),
  );
}

function checkPrograms({ agents }: View, places: ProgramPlaces) {
  const found = new Map<string, readonly [string, ...string[]]>();
  const problems = Object.entries(agents).flatMap(([agent, { run }]): readonly Problem[] => {
    if (run.length === 0) return [];
    const program = resolveProgram(run, places);
    if ("run" in program) {
      found.set(agent, program.run);
      return [];
    }
    const { index, sentence, hint } = program;
    return [{ path: ["agents", agent, "run", index], sentence: `agents.${agent}.run: ${sentence}`, hint }];
  });
  return { found, problems };
}

function checkAllTools({ agents }: View, places: ProgramPlaces) {
  const checked = Object.entries(agents).map(([agent, { tools }]) => ({
    agent,
    ...checkTools(agent, tools, places),
  }));
  const found = new Map(checked.map(({ agent, found }) => [agent, found]));
  return { found, problems: checked.flatMap(({ problems }) => problems) };
}

function checkExemptions({ agents }: View, directory: string): readonly Problem[] {
  return Object.entries(agents).flatMap(([agent, { sandbox }]) =>
    sandbox.exempt.flatMap(({ path: named }, index) => {
      if (named === "" || existsSync(path.resolve(directory, named))) return [];
      const at = ["agents", agent, "sandbox", "exempt", index, "path"];
      return [{ path: at, sentence: `agents.${agent}.sandbox.exempt: there is no file or folder ${named}` }];
    }),
  );
}

function checkNotify({ notify: { run } }: View, places: ProgramPlaces) {
  if (run.length === 0) return { found: undefined, problems: [] };
  const program = resolveProgram(run, places);
  if ("run" in program) return { found: program.run, problems: [] };
  const { index, sentence, hint } = program;
  const problem: Problem = { path: ["notify", "run", index], sentence: `notify.run: ${sentence}`, hint };
  return { found: undefined, problems: [problem] };
}

function checkGiven({ start, given }: View, directory: string) {
  const problems: Problem[] = [...missingGiven(start, given)];
  const read = (key: "intent" | "plan"): string | null => {
    const file = given[key];
    if (file === undefined || file === "") return null;
    const content = readText(path.resolve(directory, file), GIVEN_BYTES_MAX);
    if ("text" in content) return content.text;
    problems.push({ path: ["given", key], sentence: `given.${key}: ${file} ${content.problem}` });
    return null;
  };
  return { found: { intent: read("intent"), plan: read("plan") }, problems };
}

function missingGiven(start: LiveState, given: View["given"]): readonly Problem[] {
  const needed = Object.entries(ARTIFACT_OF).filter(([action]) =>
    approvalsBefore(start).some((each) => each === action),
  );
  return needed.flatMap(([, key]) => {
    if (given[key] !== undefined) return [];
    const hint = `write given: { ${key}: path of the file }`;
    return [{ path: ["start"], sentence: `start: ${start} needs the ${key} that the job starts from`, hint }];
  });
}
