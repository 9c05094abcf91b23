/** The MCP configuration of a turn, merged with that of a role (docs/mcp.md, "How a client finds it"). */
import { expect, test } from "vitest";
import { mcpCollision, mcpConfiguration } from "../../../src/runtime/agents/mcp-configuration.ts";

const server = { cfa: "/opt/bin/cfa", env: { CFA_TURN: "1", PATH: "/bin" } };
const own = { mcpServers: { board: { type: "http", url: "https://example.org" } } };
const cfa = { type: "stdio", command: "/opt/bin/cfa", args: ["mcp"], env: { CFA_TURN: "1", PATH: "/bin" } };

test("it starts cfa with the variables of the turn", () => {
  expect(mcpConfiguration(server)).toEqual({ mcpServers: { cfa } });
});

test("the servers of the role stand beside it, and what else their configuration says", () => {
  expect(mcpConfiguration(server, { ...own, inputs: [] } as typeof own)).toEqual({
    mcpServers: { ...own.mcpServers, cfa },
    inputs: [],
  });
  expect(mcpCollision(own)).toBeUndefined();
});

test("a server called cfa is a collision", () => {
  const taken = { mcpServers: { ...own.mcpServers, cfa: { command: "other" } } };
  const collision = "it has a server called cfa, which is the name of cfa's own: give it another";
  expect(mcpConfiguration(server, taken)).toEqual({ collision });
  expect(mcpCollision(taken)).toBe(collision);
});
