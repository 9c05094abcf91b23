/**
 * What the tool check enforces for one agent: roots, tools, network. Written by cfa as `policy.json` beside the agent's configuration
 * (docs/tool-check.md); the workspace of the turn is not part of it, because it depends on the thread (CfA §10).
 *
 * P1. A tool is allowed when a rule names it. Without rules every tool of the table is, and those of the channel; an unknown one is not.
 * P2. A rule is a name (`Read`), a beginning (`mcp__docs__*`), or a shell with one command (`Bash(git)`).
 */
import { z } from "zod";
import { TOOLS } from "./tools.ts";

/** What a rule for tools looks like (P2). */
export const TOOL_RULE = /^(?:\*|[A-Za-z][A-Za-z0-9_.-]*(?:\*|\([^\s()/]+\))?)$/;

/** MCP server by which an agent talks back to cfa; no role may take its name. */
export const CHANNEL_SERVER = "cfa";

/** Schema of `policy.json`. */
export const toolPolicySchema = z.strictObject({
  version: z.literal(1),
  agent: z.string().min(1),
  /** Rules (P2); null where the role does not list its tools. */
  tools: z.array(z.string().regex(TOOL_RULE)).nullable(),
  /** MCP servers that the role brings; their tools are allowed where it does not list tools. */
  servers: z.array(z.string()),
  /** Names of programs of the role: they may be called although `Bash(NAME)` rules name others. */
  scripts: z.array(z.string()),
  /** Absolute paths outside the workspace that may be read. */
  read: z.array(z.string().startsWith("/")),
  /** Absolute paths outside the workspace that may be read and written. */
  write: z.array(z.string().startsWith("/")),
  network: z.enum(["none", "loopback", "full"]),
});

/** See {@link toolPolicySchema}. */
export type ToolPolicy = z.infer<typeof toolPolicySchema>;

/** Whether the policy allows a tool by its name (P1). */
export function allowsTool(policy: ToolPolicy, tool: string): boolean {
  const servers = [CHANNEL_SERVER, ...(policy.tools === null ? policy.servers : [])];
  if (servers.some((server) => tool.startsWith(`mcp__${server}__`))) return true;
  if (policy.tools === null) return TOOLS.has(tool);
  return policy.tools.some((rule) => matches(rule, tool));
}

function matches(rule: string, tool: string): boolean {
  if (rule.endsWith("*")) return tool.startsWith(rule.slice(0, -1));
  return rule.replace(/\(.*$/, "") === tool;
}

/** Programs that a shell tool may call; null for any. A rule without parentheses allows any. */
export function allowedCommands(policy: ToolPolicy, tool: string): ReadonlySet<string> | null {
  const rules = (policy.tools ?? [tool]).filter((rule) => matches(rule, tool));
  const names = rules.flatMap((rule) => /\(([^)]+)\)$/.exec(rule)?.[1] ?? []);
  return names.length < rules.length ? null : new Set([...names, ...policy.scripts]);
}
