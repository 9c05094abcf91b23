/**
 * A role as an agent has it: everything that it names has been read (docs/roles.md). What an agent has without a role, too (roster, skill,
 * network, environment), stands with the agent.
 *
 * R1. It is a JSON value and part of the job's definition: a resumed job has the role that it was started with.
 */
import { z } from "zod";
import { RECEIVABLE, SENDABLE } from "./role-file-schema.ts";

const text = z.string();

/** Schema of a {@link Role}. */
export const roleSchema = z.strictObject({
  /** Where it was read, as job.yaml names it; null for one that stands in job.yaml alone. */
  source: text.nullable(),
  system: text.nullable(),
  /** Patterns of the tool check (docs/tool-check.md); null for every known tool. */
  tools: z.array(text).readonly().nullable(),
  /** Texts under `skills/NAME/` and `scripts/`, by path. */
  files: z.array(z.strictObject({ path: text, text })).readonly(),
  sends: z.array(z.enum(SENDABLE)).readonly(),
  receives: z.array(z.enum(RECEIVABLE)).readonly(),
  /** Milliseconds; null where the job's own bound holds. */
  limits: z.strictObject({ timeout: z.int().positive().nullable(), stall: z.int().positive().nullable() }),
  mcp: z.record(
    text,
    z.strictObject({ command: z.tuple([text], text).readonly(), env: z.array(text).readonly() }),
  ),
});

/** See the header. */
export type Role = z.infer<typeof roleSchema>;

/** Names of the skills that a role brings. */
export function skillsOf({ files }: Role): readonly string[] {
  return namesIn(files, "skills");
}

/** Names of the scripts that a role brings. */
export function scriptsOf({ files }: Role): readonly string[] {
  return namesIn(files, "scripts");
}

function namesIn(files: Role["files"], folder: string): readonly string[] {
  const names = files.map(({ path }) => path.split("/")).filter(([top]) => top === folder);
  return [...new Set(names.flatMap(([, name]) => name ?? []))];
}

/** The command lines of the MCP servers that a role brings, by name. */
export function serverCommands(servers: Role["mcp"]): Record<string, Role["mcp"][string]["command"]> {
  return Object.fromEntries(Object.entries(servers).map(([name, { command }]) => [name, command]));
}
