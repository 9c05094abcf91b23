/**
 * The MCP configuration of a turn: how a client of the protocol starts the tool server of cfa (docs/mcp.md).
 *
 * F1. The server is called `cfa`, a name that no other server of the configuration may have.
 * F2. The environment of the turn is written out: clients start servers with a clean one.
 */
import { CHANNEL_SERVER } from "../../tool-check/grant.ts";

/** A server that a client starts; what else a client reads there is passed on. */
export type McpServer = Readonly<Record<string, unknown>>;

/** A configuration, as `--mcp-config` of clients and `.mcp.json` hold it. */
export type McpConfiguration = { readonly mcpServers: Readonly<Record<string, McpServer>> };

/** How cfa's server is started. */
export type ToolServer = {
  /** Absolute path of an executable `cfa`. */
  readonly cfa: string;
  /** The variables of the turn, `CFA_*` and PATH (F2). */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * The configuration with cfa's server, beside the servers of `own`.
 * @returns a sentence instead, where `own` has a server of the name `cfa` (F1).
 */
export function mcpConfiguration(
  { cfa, env }: ToolServer,
  own: McpConfiguration = { mcpServers: {} },
): McpConfiguration | { readonly collision: string } {
  const collision = mcpCollision(own);
  if (collision !== undefined) return { collision };
  const server = { type: "stdio", command: cfa, args: ["mcp"], env: { ...env } };
  return { ...own, mcpServers: { ...own.mcpServers, [CHANNEL_SERVER]: server } };
}

/** A configuration of servers that are programs, each a command line. The variables that they need are handed on by whoever starts them. */
export function programServers(
  commands: Readonly<Record<string, readonly [string, ...string[]]>>,
): McpConfiguration {
  const servers = Object.entries(commands).map(([name, [command, ...args]]): [string, McpServer] => [
    name,
    { command, args },
  ]);
  return { mcpServers: Object.fromEntries(servers) };
}

/** Why a configuration cannot be merged with cfa's; undefined when it can. */
export function mcpCollision({ mcpServers }: McpConfiguration): string | undefined {
  if (!Object.hasOwn(mcpServers, CHANNEL_SERVER)) return undefined;
  return `it has a server called ${CHANNEL_SERVER}, which is the name of cfa's own: give it another`;
}
