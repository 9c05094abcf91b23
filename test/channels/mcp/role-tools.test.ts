/** Tools that a role has of its own: programs with a JSON schema (docs/mcp.md, "Tools of a role"). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runRoleTool } from "../../../src/channels/mcp/role-tools.ts";
import type { RoleTool } from "../../../src/runtime/agents/port.ts";
import { call, converse, makeTurn, temporary } from "./turn.ts";

const sh = (script: string, more: Partial<RoleTool> = {}): RoleTool => ({
  name: "lookup",
  description: "Looks a word up.",
  schema: {
    type: "object",
    properties: { word: { type: "string" }, limit: { type: "integer", maximum: 9 } },
    required: ["word"],
    additionalProperties: false,
  },
  run: ["sh", "-c", script],
  timeout: 60_000,
  ...more,
});

const ok = (output: unknown) => ({ structuredContent: { success: true, data: { output } }, isError: false });
const wrong = (kind: string, message: RegExp) => ({
  structuredContent: { success: false, error: { kind, message: expect.stringMatching(message) } },
  isError: true,
});

test("it is published as its schema says, beside those of cfa", async () => {
  const turn = await makeTurn({ tools: [sh("cat")] });
  const { answers } = await converse(turn.env, [{ jsonrpc: "2.0", id: 1, method: "tools/list" }]);
  const { tools } = answers.get(1) as { tools: readonly { name: string; inputSchema: unknown }[] };
  expect(tools.at(-1)).toMatchObject({
    name: "lookup",
    description: "Looks a word up.",
    inputSchema: sh("").schema,
  });
  expect(tools).toHaveLength(7);
});

describe("a call", () => {
  const rows: readonly (readonly [string, RoleTool, Readonly<Record<string, unknown>>, unknown])[] = [
    ["gets its arguments as JSON", sh("cat"), { word: "a", limit: 3 }, ok('{"word":"a","limit":3}')],
    [
      "runs in the workspace, with the variables of the turn",
      sh('cat notes.txt; printf %s "$CFA_THREAD"'),
      { word: "a" },
      ok("notes\nstate:j:PLAN:0"),
    ],
    [
      "lacks an argument",
      sh("cat"),
      {},
      wrong("invalid_input", /^lookup: "word" is missing: it must be text$/),
    ],
    [
      "has one too many",
      sh("cat"),
      { word: "a", colour: "red" },
      wrong("invalid_input", /no argument "colour": it takes word, limit/),
    ],
    ["has one that does not fit", sh("cat"), { word: "a", limit: 10 }, wrong("invalid_input", /"limit"/)],
    [
      "fails",
      sh("echo half; echo no such word >&2; exit 3"),
      { word: "a" },
      wrong("tool_failed", /exit status 3: no such word/),
    ],
    ["prints invalid UTF-8", sh("printf 'a\\377b'"), { word: "a" }, ok("a\uFFFDb")],
    ["prints nothing", sh(":"), { word: "a" }, ok("")],
    [
      "prints megabytes: the end is kept, and said",
      sh("head -c 3000000 /dev/zero | tr '\\0' x; echo end"),
      { word: "a" },
      ok(expect.stringMatching(/^\[cfa: the first \d+ bytes of this output are left out\]\nx+end$/)),
    ],
    [
      "names a program that is gone",
      sh("", { run: ["/nowhere/tool"] }),
      { word: "a" },
      wrong("tool_failed", /could not be started/),
    ],
    [
      "runs too long",
      sh("sleep 600", { timeout: 50 }),
      { word: "a" },
      wrong("tool_failed", /longer than 0\.05 s and was stopped/),
    ],
  ];
  test.each(rows)("%s", async (_what, tool, given, answer) => {
    const turn = await makeTurn({ tools: [tool] });
    const { answers } = await converseSlowly(turn.env, call(1, "lookup", given));
    expect(answers.get(1)).toMatchObject(answer as object);
  });
});

/** With one more call behind it whose answer shows that the session lives; input ends when both are answered. */
async function converseSlowly(env: Readonly<Record<string, string>>, line: ReturnType<typeof call>) {
  const said = await converse(env, [line, call(2, "list_team")], undefined, 2);
  expect(said.answers.get(2)).toMatchObject({ isError: false });
  return said;
}

test("the end of the session stops it and what it has started", async () => {
  const mark = join(temporary(), "late");
  const over = new AbortController();
  const running = runRoleTool(
    sh(`(sleep 600; touch ${mark}) & echo on; wait`),
    { word: "a" },
    {
      env: { PATH: process.env["PATH"] },
      workspace: temporary(),
      signal: over.signal,
    },
  );
  over.abort();
  expect(await running).toMatchObject({ error: { kind: "tool_failed", message: /was stopped/ } });
  expect(existsSync(mark)).toBe(false);
});
