/**
 * What Claude Code gets of a role: settings, MCP servers and flags (docs/tool-check.md, "Claude Code"). Pure.
 *
 * A1. The hook fails closed twice: its command turns every bad end into "blocked", and `onFailure` does so in versions that know it.
 * A2. Nothing in a worktree counts: project settings are not read (`--setting-sources user`), `disableAllHooks` is false in the
 *     settings that go before all others, and MCP servers come from one file only (`--strict-mcp-config`).
 */
import { CHANNEL_SERVER, type ToolGrant } from "../../tool-check/grant.ts";
import { TOOLS } from "../../tool-check/tools.ts";
import { type Role, serverCommands } from "../../job/role/role.ts";
import {
  type McpConfiguration,
  mcpConfiguration,
  programServers,
} from "../../runtime/agents/mcp-configuration.ts";
import { invariant } from "../../soup/invariant.ts";
import type { AgentHome } from "./home.ts";

/** Seconds that the client gives the hook; the tool check refuses after ten by itself. */
const HOOK_SECONDS = 30;

/** `settings.json`: the hook before every tool, and the tools that need no question. */
export function claudeSettings(grant: ToolGrant, hook: string) {
  const command = { type: "command", command: hook, timeout: HOOK_SECONDS, onFailure: "block" };
  return {
    disableAllHooks: false,
    hooks: { PreToolUse: [{ matcher: "*", hooks: [command] }] },
    permissions: { allow: permissions(grant) },
  };
}

/**
 * The MCP servers of a role, and that of cfa: `cfa` is the absolute path of an executable. The variables of the turn are not written out:
 * this client hands its own environment on to its servers. No role has a server of cfa's name: it is refused when the job is loaded.
 */
export function claudeMcp(servers: Role["mcp"], cfa: string): McpConfiguration {
  const all = mcpConfiguration({ cfa, env: {} }, programServers(serverCommands(servers)));
  invariant("mcpServers" in all, "no role has a server of cfa's name");
  return all;
}

/** Flags that make Claude Code read this configuration and no other. */
export function claudeFlags(home: AgentHome, { tools, system }: Role): readonly string[] {
  const builtIn = tools
    ?.filter((pattern) => /^[A-Z]/.test(pattern))
    .map((pattern) => pattern.replace(/\(.*$/, ""));
  const listed = tools?.some((pattern) => pattern.endsWith("*") && !pattern.startsWith("mcp__")) === false;
  const closed = builtIn !== undefined && listed ? ["--tools", [...new Set(builtIn)].join(",")] : [];
  const prompt = system === null ? [] : ["--append-system-prompt", system, "--system-prompt-snapshot", "off"];
  const files = [
    "--settings",
    home.claudeSettings,
    "--setting-sources",
    "user",
    "--mcp-config",
    home.claudeMcp,
  ];
  return [...files, "--strict-mcp-config", "--permission-mode", "dontAsk", ...closed, ...prompt];
}

/** Patterns of a role as Claude Code writes them. */
function permissions({ tools, servers }: ToolGrant): readonly string[] {
  const known = [...TOOLS.keys()].filter((name) => /^[A-Z]/.test(name));
  const patterns = tools ?? [...known, ...servers.map((server) => `mcp__${server}__*`)];
  const written = patterns.flatMap((pattern) => {
    const server = /^(mcp__.+)__\*$/.exec(pattern)?.[1];
    if (server !== undefined) return [server];
    if (pattern.endsWith("*")) return known.filter((name) => name.startsWith(pattern.slice(0, -1)));
    return [pattern.replace(/\((.+)\)$/, "($1:*)")];
  });
  return [...new Set([...written, `mcp__${CHANNEL_SERVER}`])];
}
