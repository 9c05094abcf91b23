/** The tool server as independent clients meet it: the v1 SDK, and the v2 client in both eras of the protocol (docs/mcp.md). */
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { endTurnFacts } from "../../../src/runtime/outbox-facts.ts";
import { MAIN, makeTurn, type TurnPlace } from "./turn.ts";

/** What these tests need of a client. */
type AnyClient = {
  listTools(): Promise<{
    readonly tools: readonly { readonly name: string; readonly inputSchema: unknown }[];
  }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  ping?(): Promise<unknown>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
};

const open: AnyClient[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

const WHO = { name: "test", version: "1" };
const start = ({ env }: TurnPlace) => ({ command: process.execPath, args: [MAIN, "mcp"], env: { ...env } });

async function v1(turn: TurnPlace): Promise<AnyClient> {
  const client = new ClientV1(WHO);
  await client.connect(new StdioV1(start(turn)));
  return client;
}

const v2 =
  (mode: "legacy" | { pin: string }) =>
  async (turn: TurnPlace): Promise<AnyClient> => {
    const client = new ClientV2(WHO, { versionNegotiation: { mode } });
    await client.connect(new StdioV2(start(turn)));
    return client;
  };

const CLIENTS: readonly (readonly [string, (turn: TurnPlace) => Promise<AnyClient>])[] = [
  ["the v1 client (2025)", v1],
  ["the v2 client, 2025", v2("legacy")],
  ["the v2 client, 2026", v2({ pin: "2026-07-28" })],
];

const NAMES = ["send", "ask_question", "close_conversation", "list_team", "job_status", "outcome"];

describe.each(CLIENTS)("%s", (era, connect) => {
  async function connected(turn: TurnPlace): Promise<AnyClient> {
    const client = await connect(turn);
    open.push(client);
    return client;
  }

  test("lists the tools with strict schemas, and is told how to use them", async () => {
    const client = await connected(await makeTurn());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ additionalProperties: false });
    expect(client.getInstructions()).toContain("never wait inside a turn");
  });

  test("calls every tool; what is called stands in the outbox", async () => {
    const turn = await makeTurn();
    const client = await connected(turn);
    const data = async (name: string, args: Record<string, unknown> = {}) => {
      const result = await client.callTool({ name, arguments: args });
      expect(result).toMatchObject({ isError: false, structuredContent: { success: true } });
      return result;
    };
    expect(await data("send", { to: "writer", message: "go", files: ["notes.txt"] })).toMatchObject({
      structuredContent: { data: { thread: "dispatch:2.1.1" } },
    });
    expect(await data("ask_question", { question: "which?" })).toMatchObject({
      structuredContent: { data: { question: "q2.1.2" } },
    });
    await data("close_conversation", { thread: "dispatch:2.0.1" });
    expect(await data("list_team")).toMatchObject({
      structuredContent: {
        data: {
          agents: ["writer"],
          open: [{ agent: "writer", thread: "dispatch:2.1.1" }],
          closed: ["dispatch:2.0.1"],
        },
      },
    });
    expect(await data("job_status")).toMatchObject({
      structuredContent: {
        data: { state: "PLAN", outcomes: ["APPROVED_PLAN", "WITHDRAW"], escalation: "never" },
      },
    });
    await data("outcome", { outcome: "APPROVED_PLAN", reason: "it is clear" });
    expect((await turn.entries()).map(({ verb }) => verb)).toEqual(["send", "ask", "close"]);
    expect(JSON.parse(readFileSync(join(turn.work, ".cfa/outcome.json"), "utf8"))).toEqual({
      outcome: "APPROVED_PLAN",
      reason: "it is clear",
    });
  });

  test("an unknown argument is named, and the next call works", async () => {
    const turn = await makeTurn();
    const client = await connected(turn);
    expect(await client.callTool({ name: "send", arguments: { to: "writer", text: "go" } })).toMatchObject({
      isError: true,
      structuredContent: {
        success: false,
        error: {
          kind: "invalid_input",
          message:
            'send: "message" is missing: it must be text; there is no argument "text": it takes to, message, thread, files, optional',
        },
      },
    });
    const again = await client.callTool({ name: "send", arguments: { to: "writer", message: "go" } });
    expect(again).toMatchObject({ isError: false });
    expect(await turn.entries()).toHaveLength(1);
  });

  test("a ping is answered, where the era has it", async () => {
    const client = await connected(await makeTurn());
    const answer = await client.ping?.().catch((error: Error) => error.message);
    expect(answer).toEqual(era.includes("2026") ? expect.stringMatching(/ping/) : {});
  });

  test.each([
    ["that the outbox does not take", 300_000, /the message is longer than 262144 bytes: write it to a file/],
    ["that no line takes", 5_000_000, /longer than 4194304 bytes: put long texts into files/],
  ])("an argument %s is refused, and the next call works", async (_what, size, why) => {
    const turn = await makeTurn();
    const client = await connected(turn);
    const call = client.callTool({ name: "send", arguments: { to: "writer", message: "x".repeat(size) } });
    expect(JSON.stringify(await call.catch((error: Error) => error.message))).toMatch(why);
    const again = await client.callTool({ name: "send", arguments: { to: "writer", message: "go" } });
    expect(again).toMatchObject({ isError: false });
    expect(await turn.entries()).toHaveLength(1);
  });

  test("a call after its turn is refused, and the session lives", async () => {
    const turn = await makeTurn();
    const client = await connected(turn);
    await endTurnFacts(turn.outbox);
    expect(
      await client.callTool({ name: "send", arguments: { to: "writer", message: "late" } }),
    ).toMatchObject({
      isError: true,
      structuredContent: { error: { kind: "no_turn", message: expect.stringContaining("has ended") } },
    });
    expect(await client.listTools()).toMatchObject({ tools: { length: NAMES.length } });
    expect(await turn.entries()).toEqual([]);
  });

  test("an unknown tool is an error that names those there are", async () => {
    const client = await connected(await makeTurn());
    expect(await client.callTool({ name: "sent" })).toMatchObject({
      isError: true,
      structuredContent: { error: { message: `there is no tool "sent": the tools are ${NAMES.join(", ")}` } },
    });
  });
});
