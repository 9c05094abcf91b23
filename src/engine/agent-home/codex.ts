/**
 * What Codex gets of a role: `config.toml` and `hooks.json` of a CODEX_HOME of its own (docs/tool-check.md, "Codex"). Pure.
 *
 * X1. The hook is that of every client; its command turns every bad end into "blocked", for Codex lets a call pass when a hook fails.
 * X2. Nothing in a worktree counts: a configuration there is read of trusted projects only, and none is named here; AGENTS.md is not read.
 * X3. Its own sandbox lets programs write in the workspace only, /tmp and TMPDIR excluded; it hides nothing from reading, which is the
 *     boundary's part.
 * X4. Servers start with a clean environment: what they see of that of Codex is listed by name. That of cfa has to start, and its tools
 *     ask nobody.
 */
import type { Role } from "../../job/role/role.ts";
import { TURN_VARIABLES } from "../../runtime/agents/command.ts";
import { CHANNEL_SERVER, type ToolGrant } from "../../tool-check/grant.ts";

/** A value of TOML: text, truth, number, list of texts. */
type Value = string | boolean | number | readonly string[];

/** A table with its name: bare keys, joined by dots. */
type Table = { readonly name: string; readonly keys: Readonly<Record<string, Value>> };

/** `config.toml`: sandbox, system prompt, MCP servers; `cfa` is the absolute path of an executable `cfa`. */
export function codexConfig({ system, mcp }: Role, { network }: ToolGrant, cfa: string): string {
  const servers = Object.entries(mcp).map(([name, { command, env }]): Table => {
    const [program, ...args] = command;
    return { name: `mcp_servers.${name}`, keys: { command: program, args, env_vars: env } };
  });
  const tables: readonly Table[] = [
    {
      name: "sandbox_workspace_write",
      keys: {
        network_access: network === "full",
        exclude_slash_tmp: true,
        exclude_tmpdir_env_var: true,
        writable_roots: [],
      },
    },
    ...servers,
    {
      name: `mcp_servers.${CHANNEL_SERVER}`,
      keys: {
        command: cfa,
        args: ["mcp"],
        env_vars: TURN_VARIABLES,
        required: true,
        default_tools_approval_mode: "approve",
      },
    },
  ];
  const top = {
    approval_policy: "never",
    sandbox_mode: "workspace-write",
    project_doc_max_bytes: 0,
    ...(system === null ? {} : { developer_instructions: system }),
  };
  const lines = [...keysOf(top), ...tables.flatMap(({ name, keys }) => ["", `[${name}]`, ...keysOf(keys)])];
  return `${lines.join("\n")}\n`;
}

/** `hooks.json`: the tool check before every tool (X1). */
export function codexHooks(hook: string) {
  const command = { type: "command", command: hook, timeout: HOOK_SECONDS };
  return { hooks: { PreToolUse: [{ matcher: "*", hooks: [command] }] } };
}

/** Seconds that the client gives the hook; the tool check refuses after ten by itself. */
const HOOK_SECONDS = 30;

const keysOf = (keys: Readonly<Record<string, Value>>): readonly string[] =>
  Object.entries(keys).map(([key, value]) => `${key} = ${written(value)}`);

function written(value: Value): string {
  if (typeof value === "string") return quoted(value);
  return typeof value === "object" ? `[${value.map(quoted).join(", ")}]` : String(value);
}

/** A basic string of TOML, which is one of JSON but for DEL. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
