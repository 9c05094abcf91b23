/** The tools of the proxy of the human, as an independent client meets them (docs/mcp.md, docs/escalation.md). */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, describe, expect, test } from "vitest";
import type { ProxyFacts } from "../../../src/runtime/agents/port.ts";
import { readRefusals } from "../../../src/runtime/outbox-refusals.ts";
import { call, converse, MAIN, makeTurn, type TurnPlace } from "./turn.ts";

const FRESH: ProxyFacts = { question: "q1.1.1", policy: "when_unsure", phase: "fresh", asksHuman: true };

/** A turn of the proxy. */
const proxyTurn = (proxy: Partial<ProxyFacts> = {}): Promise<TurnPlace> =>
  makeTurn({
    thread: "escalation:q1.1.1",
    agent: "proxy",
    lead: false,
    roster: [],
    children: [],
    cap: 0,
    outcomes: [],
    proxy: { ...FRESH, ...proxy },
  });

const start = ({ env }: TurnPlace) => ({ command: process.execPath, args: [MAIN, "mcp"], env: { ...env } });
const WHO = { name: "test", version: "1" };

const open: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function v1(turn: TurnPlace): Promise<ClientV1> {
  const client = new ClientV1(WHO);
  await client.connect(new StdioV1(start(turn)));
  return client;
}

async function v2(turn: TurnPlace): Promise<Client> {
  const client = new Client(WHO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StdioClientTransport(start(turn)));
  return client;
}

test.each([
  ["the v1 client (2025)", v1],
  ["the v2 client (2026)", v2],
])("%s sees respond and job_status, and answers", async (_, connect) => {
  const turn = await proxyTurn();
  const client = await connect(turn);
  open.push(client);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["respond", "job_status"]);
  expect(tools[0]?.inputSchema).toMatchObject({
    additionalProperties: false,
    properties: { kind: { enum: ["answer", "ask_human", "withdraw"] } },
    required: ["kind", "text"],
  });
  expect(client.getInstructions()).toContain("You stand for the human in one question");
  const given = { name: "respond", arguments: { kind: "answer", text: "red" } };
  expect(await client.callTool(given)).toMatchObject({
    isError: false,
    structuredContent: { success: true, data: { question: "q1.1.1" } },
  });
  expect(await turn.entries()).toEqual([{ verb: "respond", text: "red", withdraw: false }]);
});

describe("what it says", () => {
  test.each<[string, object, Partial<ProxyFacts>]>([
    ["answer", { verb: "respond", text: "x", withdraw: false }, {}],
    ["withdraw", { verb: "respond", text: "x", withdraw: true }, {}],
    ["ask_human", { verb: "ask", question: "q1.1.1", text: "x" }, {}],
    ["answer", { verb: "respond", text: "x", withdraw: false }, { policy: "always", phase: "post-human" }],
    ["withdraw", { verb: "respond", text: "x", withdraw: true }, { policy: "never", asksHuman: false }],
  ])("%s is written as %j, with %j", async (kind, entry, facts) => {
    const turn = await proxyTurn(facts);
    await converse(turn.env, [call(1, "respond", { kind, text: "x" })]);
    expect(await turn.entries()).toEqual([entry]);
  });

  test.each<[string, string, Partial<ProxyFacts>, RegExp]>([
    ["an answer before the human", "answer", { policy: "always" }, /no answer leaves .*kind ask_human/u],
    ["a withdrawal before the human", "withdraw", { policy: "always" }, /no answer leaves/u],
    [
      "a question where nobody is asked",
      "ask_human",
      { policy: "never", asksHuman: false },
      /nobody is asked here: .*kind answer/u,
    ],
    ["another kind", "guess", {}, /"kind"/u],
  ])("%s is refused, and stands in the log", async (_, kind, facts, why) => {
    const turn = await proxyTurn(facts);
    const { answers } = await converse(turn.env, [call(1, "respond", { kind, text: "x" })]);
    expect(answers.get(1)).toMatchObject({
      isError: true,
      structuredContent: { error: { message: expect.stringMatching(why) } },
    });
    expect(await turn.entries()).toEqual([]);
    expect(await readRefusals(turn.outbox)).toEqual([expect.stringMatching(why)]);
  });

  test("a second word of one turn is refused", async () => {
    const turn = await proxyTurn();
    const { answers } = await converse(turn.env, [
      call(1, "respond", { kind: "ask_human", text: "which?" }),
      call(2, "respond", { kind: "answer", text: "red" }),
    ]);
    expect(answers.get(2)).toMatchObject({
      structuredContent: { error: { message: expect.stringContaining("asked the human already") } },
    });
    expect(await turn.entries()).toHaveLength(1);
  });
});

test("nobody else has respond, and the proxy has no other", async () => {
  const [lead, proxy] = [await makeTurn(), await proxyTurn()];
  const other = await converse(lead.env, [call(1, "respond", { kind: "answer", text: "red" })]);
  expect(other.answers.get(1)).toMatchObject({
    structuredContent: { error: { message: expect.stringContaining('there is no tool "respond"') } },
  });
  const { answers } = await converse(proxy.env, [call(1, "send", { to: "parent", message: "red" })]);
  expect(answers.get(1)).toMatchObject({
    structuredContent: {
      error: { message: 'there is no tool "send": the tools are respond, job_status' },
    },
  });
});
