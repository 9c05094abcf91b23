/** The roles of a job's agents, as `cfa validate` shows them: what was read, and what holds after the agent's own keys. */
import type { JobDefinition } from "../../job/definition.ts";
import { formatDuration } from "../../job/duration.ts";
import { scriptsOf, skillsOf } from "../../job/role/role.ts";

/** One role. */
export type RoleSummary = {
  readonly agent: string;
  /** Where it was read; null for one that stands in the job file alone. */
  readonly source: string | null;
  /** Length of the system prompt, bytes; null without one. */
  readonly systemBytes: number | null;
  /** Null for every known tool. */
  readonly tools: readonly string[] | null;
  readonly skills: readonly string[];
  readonly scripts: readonly string[];
  readonly roster: readonly string[];
  readonly sends: readonly string[];
  readonly receives: readonly string[];
  readonly mcp: readonly string[];
  /** Network and environment; null for an agent that is no program. */
  readonly network: string | null;
  readonly env: readonly string[] | null;
  /** Milliseconds; null where the job's own bound holds. */
  readonly limits: { readonly timeout: number | null; readonly stall: number | null };
};

/** The roles of a job, in the order of its agents. */
export function rolesOf({ agents }: JobDefinition): readonly RoleSummary[] {
  return Object.entries(agents).flatMap(([agent, { role, roster, ...rest }]): RoleSummary[] => {
    if (role === undefined) return [];
    const { source, system, tools, sends, receives, limits } = role;
    const program = rest.adapter !== "script";
    return [
      {
        agent,
        source,
        systemBytes: system === null ? null : Buffer.byteLength(system),
        tools,
        skills: skillsOf(role),
        scripts: scriptsOf(role),
        roster,
        sends,
        receives,
        mcp: Object.keys(role.mcp),
        network: program ? rest.network : null,
        env: program ? rest.env : null,
        limits,
      },
    ];
  });
}

/** One line a role. */
export function roleLine(role: RoleSummary): string {
  const list = (what: string, names: readonly string[] | null) =>
    names === null || names.length === 0 ? [] : [`${what} ${names.join(", ")}`];
  const time = (what: string, millis: number | null) =>
    millis === null ? [] : [`${what} ${formatDuration(millis)}`];
  const parts = [
    ...(role.systemBytes === null ? [] : [`system prompt of ${role.systemBytes} bytes`]),
    role.tools === null ? "every known tool" : `tools ${role.tools.join(", ") || "none"}`,
    ...list("skills", role.skills),
    ...list("scripts", role.scripts),
    ...list("MCP servers", role.mcp),
    ...list("roster", role.roster),
    `sends ${role.sends.join(", ") || "nothing"}`,
    `receives ${role.receives.join(", ") || "nothing"}`,
    ...(role.network === null ? [] : [`network ${role.network}`]),
    ...list("environment", role.env),
    ...time("timeout", role.limits.timeout),
    ...time("stall", role.limits.stall),
  ];
  return `role of ${role.agent}${role.source === null ? "" : ` (${role.source})`}: ${parts.join("; ")}`;
}
