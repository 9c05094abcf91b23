/**
 * The configuration of an agent, outside of any worktree: `.cfa/jobs/<id>/agents/<name>/` (docs/roles.md, "Where it stands").
 *
 * H1. It depends on the agent, not on the thread (CfA §10): every instance of it has the same.
 */
import { join } from "node:path";
import type { JobAgent } from "../../job/definition.ts";
import { scriptsOf, type Role } from "../../job/role/role.ts";
import type { ToolGrant } from "../../tool-check/grant.ts";

/** Absolute paths of what stands there. */
export type AgentHome = {
  /** SYSTEM.md, skills/, scripts/: what the role brings, for any client. CFA_ROLE_DIR. */
  readonly role: string;
  /** Grant of the tool check. */
  readonly grant: string;
  /** Configuration directory of Claude Code; it keeps its sessions there. */
  readonly claudeConfig: string;
  /** The settings in it: the same as those that it gets by flag. */
  readonly claudeUserSettings: string;
  /** Settings and MCP servers that Claude Code gets by flag. */
  readonly claudeSettings: string;
  readonly claudeMcp: string;
  /** CODEX_HOME of Codex; it keeps its sessions there. Its configuration and hooks stand in it. */
  readonly codexHome: string;
  readonly codexConfig: string;
  readonly codexHooks: string;
};

/** Where the configuration of an agent stands below `directory`. */
export function homeOf(directory: string, agent: string): AgentHome {
  const own = join(directory, agent);
  return {
    role: join(own, "role"),
    grant: join(own, "grant.json"),
    claudeConfig: join(own, "claude-config"),
    claudeUserSettings: join(own, "claude-config", "settings.json"),
    claudeSettings: join(own, "claude-settings.json"),
    claudeMcp: join(own, "claude-mcp.json"),
    codexHome: join(own, "codex-home"),
    codexConfig: join(own, "codex-home", "config.toml"),
    codexHooks: join(own, "codex-home", "hooks.json"),
  };
}

/** The folders in which clients look for skills; absent where the role has none. */
export function skillsOf({ claudeConfig, codexHome }: AgentHome): readonly string[] {
  return [claudeConfig, codexHome].map((client) => join(client, "skills"));
}

/** What the tool check holds an agent to. */
export function grantOf(name: string, agent: JobAgent, role: Role, home: AgentHome): ToolGrant {
  return {
    version: 1,
    agent: name,
    tools: role.tools === null ? null : [...role.tools],
    servers: Object.keys(role.mcp),
    scripts: [...scriptsOf(role)],
    read: [home.role, ...skillsOf(home)],
    write: [],
    network: agent.adapter === "script" ? "none" : agent.network,
  };
}
