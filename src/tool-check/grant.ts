/**
 * What the tool check enforces for one agent: roots, tools, network. Written by cfa as `grant.json` beside the agent's configuration
 * (docs/tool-check.md); the workspace of the turn is not part of it, because it depends on the thread (CfA §10).
 *
 * P1. A tool is allowed when a pattern names it. Without patterns every tool of the table is, and those of the channel; an unknown one is not.
 * P2. A pattern is a name (`Read`), a beginning (`mcp__docs__*`), or a shell with one command (`Bash(git)`).
 */
import { z } from "zod";
import { TOOLS } from "./tools.ts";

/** What a pattern for tools looks like (P2). */
export const TOOL_PATTERN = /^(?:\*|[A-Za-z][A-Za-z0-9_.-]*(?:\*|\([^\s()/]+\))?)$/;

/** MCP server by which an agent talks back to cfa; no role may take its name. */
export const CHANNEL_SERVER = "cfa";

/** Schema of `grant.json`. */
export const toolGrantSchema = z.strictObject({
  version: z.literal(1),
  agent: z.string().min(1),
  /** Patterns (P2); null where the role does not list its tools. */
  tools: z.array(z.string().regex(TOOL_PATTERN)).nullable(),
  /** MCP servers that the role brings; their tools are allowed where it does not list tools. */
  servers: z.array(z.string()),
  /** Names of programs of the role: they may be called although `Bash(NAME)` patterns name others. */
  scripts: z.array(z.string()),
  /** Absolute paths outside the workspace that may be read. */
  read: z.array(z.string().startsWith("/")),
  /** Absolute paths outside the workspace that may be read and written. */
  write: z.array(z.string().startsWith("/")),
  network: z.enum(["none", "loopback", "full"]),
});

/** See {@link toolGrantSchema}. */
export type ToolGrant = z.infer<typeof toolGrantSchema>;

/** Whether the grant allows a tool by its name (P1). */
export function allowsTool(grant: ToolGrant, tool: string): boolean {
  const servers = [CHANNEL_SERVER, ...(grant.tools === null ? grant.servers : [])];
  if (servers.some((server) => tool.startsWith(`mcp__${server}__`))) return true;
  if (grant.tools === null) return TOOLS.has(tool);
  return grant.tools.some((pattern) => matches(pattern, tool));
}

function matches(pattern: string, tool: string): boolean {
  if (pattern.endsWith("*")) return tool.startsWith(pattern.slice(0, -1));
  return pattern.replace(/\(.*$/, "") === tool;
}

/** Programs that a shell tool may call; null for any. A pattern without parentheses allows any. */
export function allowedCommands(grant: ToolGrant, tool: string): ReadonlySet<string> | null {
  const patterns = (grant.tools ?? [tool]).filter((pattern) => matches(pattern, tool));
  const names = patterns.flatMap((pattern) => /\(([^)]+)\)$/.exec(pattern)?.[1] ?? []);
  return names.length < patterns.length ? null : new Set([...names, ...grant.scripts]);
}
