/**
 * Which boundary each agent of a job gets on this machine (docs/boundary.md).
 *
 * D1. `required` without a boundary is a {@link CannotStart} with the command that installs one; nothing is written then.
 * D2. Whoever runs without a boundary is named in a warning, whoever has an exemption in a remark; both go into the log.
 */
import type { JobAgent, JobDefinition } from "../job/definition.ts";
import { advisory } from "../runtime/boundary/advisory.ts";
import { INSTALL_BUBBLEWRAP, type Offer, tryBubblewrap } from "../runtime/boundary/bubblewrap.ts";
import type { Boundary } from "../runtime/boundary/port.ts";
import type { AgentName } from "../soup/message.ts";
import type { Draft } from "../persistence/entry.ts";
import { CannotStart } from "./prepare.ts";

/** The boundaries of a job's programs, by agent, and what its log should say of them. */
export type Boundaries = {
  readonly of: Readonly<Record<AgentName, Boundary>>;
  /** For the log of a new job (D2). */
  readonly notes: readonly Draft[];
  /** For the log of a job that is resumed: what depends on this machine. */
  readonly again: readonly Draft[];
};

type Program = Extract<JobAgent, { adapter: "command" | "files" }>;

/** What the machine offers; tried once a process for each PATH. */
const offers = new Map<string, Promise<Offer>>();

function offerOf(searchPath: string): Promise<Offer> {
  const known = offers.get(searchPath) ?? tryBubblewrap(searchPath);
  offers.set(searchPath, known);
  return known;
}

/**
 * Why the programs of a job that must run inside a boundary cannot on this machine, one sentence that says what to do; undefined when they
 * can, or need none (D1).
 */
export async function whyNoBoundary({ agents }: Pick<JobDefinition, "agents">): Promise<string | undefined> {
  const required = Object.entries(agents).filter(
    ([, agent]) => agent.adapter !== "script" && agent.sandbox === "required",
  );
  if (required.length === 0) return undefined;
  const offer = await offerOf(process.env["PATH"] ?? "");
  return "missing" in offer ? whyNot(required.map(([name]) => name).join(", "), offer.missing) : undefined;
}

/** The boundaries of a job, without the agents that are played by somebody else (`own`). Throws {@link CannotStart} (D1). */
export async function boundariesOf(
  definition: JobDefinition,
  own: Readonly<Record<AgentName, unknown>>,
): Promise<Boundaries> {
  const programs = Object.entries(definition.agents).flatMap(([name, agent]): [AgentName, Program][] =>
    agent.adapter !== "script" && own[name] === undefined ? [[name, agent]] : [],
  );
  const wanting = programs.filter(([, { sandbox }]) => sandbox !== "advisory");
  const offer = wanting.length === 0 ? undefined : await offerOf(process.env["PATH"] ?? "");
  const missing = offer !== undefined && "missing" in offer ? offer.missing : undefined;
  const required = namesOf(wanting.filter(([, { sandbox }]) => sandbox === "required"));
  if (missing !== undefined && required !== "") throw new CannotStart(whyNot(required, missing));
  const offered = offer !== undefined && "boundary" in offer ? offer.boundary : advisory;
  const of = programs.map(
    ([name, { sandbox }]) => [name, sandbox === "advisory" ? advisory : offered] as const,
  );
  const chosen = namesOf(programs.filter(([, { sandbox }]) => sandbox === "advisory"));
  const without = missing === undefined ? "" : namesOf(wanting);
  const again =
    without === ""
      ? []
      : [warning(`no boundary around ${without}: ${missing ?? ""} (${INSTALL_BUBBLEWRAP})`)];
  return {
    of: Object.fromEntries(of),
    notes: [
      ...(chosen === "" ? [] : [warning(`no boundary around ${chosen}: sandbox is advisory`)]),
      ...again,
      ...programs.flatMap(([name, { exempt }]) => exempt.map((one) => remark(exemptionText(name, one)))),
    ],
    again,
  };
}

function whyNot(agents: string, missing: string): string {
  return (
    `${agents} must run inside a boundary, and this machine offers none: ${missing}. Install it (${INSTALL_BUBBLEWRAP}), ` +
    `ask cfa doctor what is missing, or write "sandbox: advisory" to run without one.`
  );
}

function exemptionText(agent: AgentName, { tool, path, reason, write }: Program["exempt"][number]): string {
  return `the boundary of ${agent} lets ${tool} ${write ? "write" : "read"} ${path}: ${reason}`;
}

const namesOf = (programs: readonly (readonly [AgentName, Program])[]): string =>
  programs.map(([name]) => name).join(", ");

const warning = (text: string): Draft => ({
  kind: "note",
  body: { level: "warn", thread: null, text: `${text}; programs can reach whatever you can` },
});
const remark = (text: string): Draft => ({ kind: "note", body: { level: "info", thread: null, text } });
