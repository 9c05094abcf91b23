/** What comes down the pipe and is no good message: each is answered or passed over, and the session goes on. */
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { answersIn, call, converse, MAIN, makeTurn, type Message, OPENING } from "./turn.ts";

const ping: Message = { jsonrpc: "2.0", id: 9, method: "ping" };
const error = (code: number, message: RegExp) => ({ code, message: expect.stringMatching(message) });
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("every one of these lines leaves the session alive", () => {
  const rows: readonly (readonly [
    what: string,
    line: Message | string | Uint8Array,
    id: unknown,
    answer: unknown,
  ])[] = [
    ["no JSON", "send writer go", null, error(-32_700, /no JSON/)],
    ["half a message", '{"jsonrpc":"2.0","id":1,', null, error(-32_700, /no JSON/)],
    ["invalid UTF-8", Buffer.of(0xff, 0xfe, 0x7b), null, error(-32_700, /no JSON/)],
    ["a NUL", "\0", null, error(-32_700, /no JSON/)],
    ["JSON that is no object", "42", null, error(-32_600, /no JSON-RPC/)],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }, 1, error(-32_600, /no JSON-RPC/)],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: 7 }, 1, error(-32_600, /no JSON-RPC/)],
    [
      "parameters that are no object",
      { jsonrpc: "2.0", id: 1, method: "ping", params: 7 },
      1,
      error(-32_600, /no JSON-RPC/),
    ],
    [
      "an id that is no whole number",
      { jsonrpc: "2.0", id: 1.5, method: "ping" },
      1.5,
      error(-32_600, /no JSON-RPC/),
    ],
    ["neither method nor result", { jsonrpc: "2.0", id: 1 }, 1, error(-32_600, /no JSON-RPC/)],
    [
      "method and result",
      { jsonrpc: "2.0", id: 1, method: "ping", result: {} },
      1,
      error(-32_600, /no JSON-RPC/),
    ],
    [
      "a member that messages do not have",
      { jsonrpc: "2.0", id: 1, method: "ping", extra: 1 },
      1,
      error(-32_600, /no JSON-RPC/),
    ],
    [
      "_meta that is no object",
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: 5 } },
      1,
      error(-32_600, /no JSON-RPC/),
    ],
    ["an unknown method", { jsonrpc: "2.0", id: 1, method: "tools/drop" }, 1, error(-32_601, /not found/i)],
    ["an unknown notification", { jsonrpc: "2.0", method: "notifications/x" }, 9, {}],
    ["an answer to nothing", { jsonrpc: "2.0", id: 77, result: {} }, 9, {}],
    ["an empty line", "", 9, {}],
    ["an empty batch", "[]", null, error(-32_600, /batch is empty/)],
    ["a batch: each is answered", JSON.stringify([{ ...ping, id: 1 }, 5]), 1, {}],
    [
      "a call without a name",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} },
      1,
      error(-32_602, /./),
    ],
    [
      "arguments that are no object",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "send", arguments: [] } },
      1,
      error(-32_602, /./),
    ],
    [
      "a line of five megabytes",
      `{"a":"${"x".repeat(5_000_000)}"}`,
      null,
      error(-32_600, /longer than 4194304 bytes/),
    ],
    [
      "a call of five megabytes, its id behind: answered under its id",
      `{"method":"tools/call","params":{"name":"send","arguments":{"message":"${"x".repeat(5_000_000)}"}},"jsonrpc":"2.0","id":1}`,
      1,
      error(-32_600, /longer than 4194304 bytes/),
    ],
    [
      "a call of five megabytes, its id before",
      `{"jsonrpc":"2.0","id":"one","method":"tools/call","params":{"a":"${"x".repeat(5_000_000)}"}}`,
      "one",
      error(-32_600, /longer than 4194304 bytes/),
    ],
    [
      "five megabytes with an id that is an argument's",
      `{"jsonrpc":"2.0","method":"tools/call","params":{"a":"${"x".repeat(5_000_000)}","id":1}}`,
      null,
      error(-32_600, /longer than 4194304 bytes/),
    ],
    [
      "a batch of a thousand",
      JSON.stringify(Array.from({ length: 1000 }, () => ({ ...ping, id: 9 }))),
      9,
      {},
    ],
    ["a batch in a batch", JSON.stringify([[{ ...ping, id: 1 }]]), null, error(-32_600, /no JSON-RPC/)],
    ["a ping", { ...ping, id: 1 }, 1, {}],
    ["a ping without an id: a notification", { jsonrpc: "2.0", method: "ping" }, 9, {}],
    ["a JSON bomb: a million brackets", nested(1_000_000), null, error(-32_600, /deeper than 256 levels/)],
    [
      "a JSON bomb of two million brackets that stay open",
      "[".repeat(2_000_000),
      null,
      error(-32_700, /no JSON/),
    ],
    ...[257, 5000, 100_000].map(
      (depth) =>
        [
          `a bomb of ${depth} levels in an argument: answered under its id`,
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":{"to":${nested(depth)},"message":"x"}}}`,
          1,
          error(-32_600, /deeper than 256 levels/),
        ] as const,
    ),
    [
      "a deep argument",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":{"to":${nested(200)},"message":"x"}}}`,
      1,
      { isError: true },
    ],
    [
      "a bomb beside the arguments",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"x":${nested(50_000)}},"name":"list_team"}}`,
      1,
      error(-32_600, /deeper than 256 levels/),
    ],
    [
      "an argument of a megabyte",
      call(1, "send", { to: "writer", message: "x".repeat(1_000_000) }),
      1,
      { isError: true },
    ],
    [
      "a name of an argument of a megabyte",
      call(1, "send", { ["x".repeat(1_000_000)]: 1 }),
      1,
      { isError: true },
    ],
    [
      "ten thousand unknown arguments",
      call(1, "list_team", Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`a${n}`, n]))),
      1,
      { isError: true },
    ],
    [
      "__proto__ as an argument",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_team","arguments":{"__proto__":{"x":1}}}}',
      1,
      { structuredContent: { success: expect.any(Boolean) } },
    ],
  ];
  test.each(rows)("%s", async (_what, line, id, answer) => {
    const turn = await makeTurn();
    const { answers } = await converse(turn.env, [line, ping]);
    expect(answers.get(9)).toEqual({});
    expect(answers.get(id)).toMatchObject(answer as object);
    expect(JSON.stringify([...answers]).length).toBeLessThan(10_000);
  });
});

test("messages that come in pieces of seven bytes", async () => {
  const turn = await makeTurn();
  const text = "grüße, 世界 🌍";
  const { answers } = await converse(turn.env, [call(1, "send", { to: "writer", message: text })], 7);
  expect(answers.get(1)).toMatchObject({ isError: false });
  expect(await turn.entries()).toMatchObject([{ message: text }]);
});

test.each([
  ["before anything was said", [], "", []],
  ["after the opening", OPENING, "", ["open"]],
  ["after a line without a line end: it counts", OPENING, JSON.stringify(ping), ["open", 9]],
  ["in the middle of a message", OPENING, '{"jsonrpc":"2.0","id":1,', ["open", null]],
])("the end of input %s ends the program, with status 0", async (_what, lines, rest, ids) => {
  const turn = await makeTurn();
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("") + rest;
  const server = await execa(process.execPath, [MAIN, "mcp"], { env: turn.env, extendEnv: false, input });
  expect([server.exitCode, server.stderr]).toEqual([0, ""]);
  expect([...answersIn(server.stdout).keys()]).toEqual(ids);
});

test("the end of input ends the program; what was asked before is answered", async () => {
  const turn = await makeTurn();
  const sends = [0, 1, 2].map((n) =>
    call(n, "send", { to: "writer", thread: "dispatch:2.0.1", message: `${n}` }),
  );
  const input = [...OPENING, ...sends].map((line) => `${JSON.stringify(line)}\n`).join("");
  const server = await execa(process.execPath, [MAIN, "mcp"], { env: turn.env, extendEnv: false, input });
  expect([server.exitCode, server.stderr]).toEqual([0, ""]);
  const answers = answersIn(server.stdout);
  for (const n of [0, 1, 2]) expect(answers.get(n)).toMatchObject({ isError: false });
  expect(await turn.entries()).toHaveLength(3);
});
