/**
 * The roles of a job file: reads what each agent's `role` names, and fills in the agent's own keys.
 *
 * Q1. What stands with the agent goes before what its role says, and that before what the role goes on from.
 * Q2. All mistakes of all role files are found together with those of job.yaml, each with its own file and line.
 * Q3. Nothing is read when the job runs: scripts, skills and prompts are part of the resolved role.
 */
import path from "node:path";
import type { Mistake, Problem } from "../mistakes.ts";
import { quote } from "../problems.ts";
import { type ProgramPlaces, resolveProgram } from "../program.ts";
import type { YamlSource } from "../yaml-source.ts";
import { fileLayer, inlineLayer, type Layer, type LayerRead, type Located } from "./read-layer.ts";
import { RECEIVABLE, type RoleFile, SENDABLE } from "./role-file-schema.ts";
import { readRoleFiles } from "./role-files.ts";
import type { Role } from "./role.ts";

/** The roles of a job file. */
export type Roles = {
  /** The parsed file, with what roles say filled in, and without `role`. */
  readonly merged: unknown;
  /** By agent. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Places for these problems of the merged file, after those of the roles themselves. */
  readonly locate: (problems: readonly Problem[], source: YamlSource) => readonly Mistake[];
};

/** Keys of a role that an agent has, too; some only where it runs a program. What an agent cannot have is a mistake of the role. */
const SHARED = [
  "roster",
  "skill",
  "fallback",
  "depends_on",
  "wait_for",
  "outputs",
  "collect",
  "inline_limit",
  "recovery",
  "network",
  "env",
] as const;
const OF_PROGRAMS: readonly string[] = ["network", "env"];

type Places = ProgramPlaces & { readonly file: string };
/** The layers of a role, the strongest first, and what was wrong with reading them. */
type Read = { readonly layers: readonly Layer[]; readonly source: string | null; readonly found: Located };

/** Reads the roles of a parsed job file, of whatever shape it is. */
export function readRoles(value: unknown, places: Places): Roles {
  const agents = new Map(Object.entries(mappingOf(mappingOf(value)?.["agents"]) ?? {}));
  const reads = new Map<string, Read>();
  for (const [name, agent] of agents) {
    const mapping = mappingOf(agent);
    if (mapping !== undefined && "role" in mapping) reads.set(name, readRole(name, mapping["role"], places));
  }
  const resolved = [...reads].map(([name, read]) => [name, resolveRole(read, places)] as const);
  const found = [
    ...[...reads.values()].map(({ found }) => found),
    ...resolved.flatMap(([, { found }]) => found),
  ];
  const merged = Object.fromEntries(
    [...agents].map(([name, agent]) => [name, mergeAgent(agent, reads.get(name)?.layers)]),
  );
  return {
    merged: reads.size === 0 ? value : { ...mappingOf(value), agents: merged },
    roles: new Map(resolved.map(([name, { role }]) => [name, role])),
    locate: (problems, source) => {
      const all = [...found, ...problems.map((problem) => placeOf(problem, reads, agents))];
      const own = source.locate(all.flatMap(({ problems }) => problems));
      return [...own, ...all.flatMap(({ mistakes }) => mistakes)];
    },
  };
}

function readRole(agent: string, written: unknown, { directory, file }: Places): Read {
  const at = ["agents", agent, "role"];
  const named = (name: string, place: readonly PropertyKey[]): LayerRead =>
    fileLayer(
      path.resolve(directory, name),
      path.isAbsolute(name) ? name : path.join(path.dirname(file), name),
      place,
    );
  const none: Located = { problems: [], mistakes: [] };
  if (typeof written === "string" && written !== "") return gather([named(written, at)], written);
  if (mappingOf(written) === undefined) {
    const sentence = `agents.${agent}.role must be the path of a role or a mapping of its keys, not ${quote(written)}`;
    return { layers: [], source: null, found: { ...none, problems: [{ path: at, sentence }] } };
  }
  const inline = inlineLayer(written, at, directory);
  const from = "layer" in inline ? inline.layer.keys.from : undefined;
  return gather(from === undefined ? [inline] : [inline, named(from, [...at, "from"])], from ?? null);
}

function gather(reads: readonly LayerRead[], source: string | null): Read {
  const broken = reads.flatMap((read) => ("layer" in read ? [] : [read]));
  return {
    layers: reads.flatMap((read) => ("layer" in read ? [read.layer] : [])),
    source,
    found: {
      problems: broken.flatMap((one) => one.problems),
      mistakes: broken.flatMap((one) => one.mistakes),
    },
  };
}

/** The strongest layer that has the key (Q1). */
function layerOf(layers: readonly Layer[], key: keyof RoleFile): Layer | undefined {
  return layers.find(({ keys }) => keys[key] !== undefined);
}

function resolveRole(
  { layers, source }: Read,
  places: Places,
): { readonly role: Role; readonly found: readonly Located[] } {
  const value = <K extends keyof RoleFile>(key: K): RoleFile[K] => layerOf(layers, key)?.keys[key];
  const found: Located[] = [];
  const files = (["scripts", "skills"] as const).flatMap((key) => {
    const layer = layerOf(layers, key);
    if (layer === undefined) return [];
    const lists = { scripts: [], skills: [], [key]: layer.keys[key] ?? [] };
    const read = readRoleFiles(layer.folder, lists);
    found.push(
      layer.locate(
        read.problems.map(({ index, sentence }) => ({ path: [key, index], sentence: `${key}: ${sentence}` })),
      ),
    );
    return read.files;
  });
  const limits = value("limits");
  const role = {
    source,
    system: value("system") ?? null,
    tools: value("tools") ?? null,
    files,
    sends: value("sends") ?? SENDABLE,
    receives: value("receives") ?? RECEIVABLE,
    limits: { timeout: limits?.timeout ?? null, stall: limits?.stall ?? null },
    mcp: resolveServers(layerOf(layers, "mcp"), places, found),
  };
  return { role: { ...role, sends: [...role.sends], receives: [...role.receives] }, found };
}

function resolveServers(layer: Layer | undefined, places: Places, found: Located[]): Role["mcp"] {
  const servers = Object.entries(layer?.keys.mcp ?? {}).map(
    ([name, { command, env = [] }]): [string, Role["mcp"][string]] => {
      const program = resolveProgram(command, { ...places, directory: layer?.folder ?? places.directory });
      if ("run" in program) return [name, { command: [...program.run], env }];
      const { index, sentence, hint } = program;
      if (layer !== undefined)
        found.push(
          layer.locate([
            { path: ["mcp", name, "command", index], sentence: `mcp.${name}.command: ${sentence}`, hint },
          ]),
        );
      return [name, { command: [""], env }];
    },
  );
  return Object.fromEntries(servers);
}

/** The agent as it stands, with the keys of its role that it does not have itself. */
function mergeAgent(agent: unknown, layers: readonly Layer[] | undefined): unknown {
  const own = mappingOf(agent);
  if (own === undefined || layers === undefined) return agent;
  const { role: _role, ...rest } = own;
  const shared = sharedKeys(own).flatMap((key) => {
    const value = layerOf(layers, key)?.keys[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...Object.fromEntries(shared), ...rest };
}

function sharedKeys(agent: Readonly<Record<string, unknown>>): readonly (typeof SHARED)[number][] {
  return SHARED.filter((key) => agent["adapter"] !== "script" || !OF_PROGRAMS.includes(key));
}

/** Where a problem of the merged file belongs: a value that a role gave stands in the role. */
function placeOf(
  problem: Problem,
  reads: ReadonlyMap<string, Read>,
  agents: ReadonlyMap<string, unknown>,
): Located {
  const [top, agent, key, ...rest] = problem.path;
  const shared = top === "agents" ? SHARED.find((one) => one === key) : undefined;
  const own = mappingOf(agents.get(String(agent)));
  if (shared !== undefined && own?.[shared] === undefined) {
    const layer = layerOf(reads.get(String(agent))?.layers ?? [], shared);
    if (layer !== undefined) return layer.locate([{ ...problem, path: [shared, ...rest] }]);
  }
  return { problems: [problem], mistakes: [] };
}

function mappingOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value));
}
