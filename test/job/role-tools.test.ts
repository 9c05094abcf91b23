/** The tools of an agent in job.yaml: every mistake with its place (docs/mcp.md, "Tools of a role"). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseJob } from "../../src/job/load.ts";
import { JobFileError } from "../../src/job/mistakes.ts";

const directory = mkdtempSync(join(tmpdir(), "cfa-tools-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const schema = { type: "object", properties: { word: { type: "string" } }, additionalProperties: false };
writeFileSync(join(directory, "good.json"), JSON.stringify(schema));
writeFileSync(join(directory, "list.json"), '{"type":"array"}');
writeFileSync(join(directory, "broken.json"), '{"type":');
writeFileSync(join(directory, "conditional.json"), '{"type":"object","if":{}}');
writeFileSync(join(directory, "find.mjs"), "");

const GOOD = { name: "find", description: "Finds.", schema: "good.json", run: ["node", "find.mjs"] };

function load(...tools: readonly unknown[]) {
  const text = stringify({ request: "x", agents: { lead: { run: ["node", "find.mjs"], tools } } });
  return parseJob(text, { file: "job.yaml", directory }).definition.agents["lead"];
}

function mistakes(...tools: readonly unknown[]): readonly string[] {
  try {
    load(...tools);
  } catch (error) {
    if (error instanceof JobFileError) return error.mistakes.map(({ sentence }) => sentence);
    throw error;
  }
  return [];
}

test("a tool is resolved: its schema read, its program found, its time-out a minute unless given", () => {
  const found = { ...GOOD, schema, run: ["node", join(directory, "find.mjs")], timeout: 60_000 };
  expect(load(GOOD)).toMatchObject({ tools: [found] });
  expect(load({ ...GOOD, timeout: "5s" })).toMatchObject({ tools: [{ timeout: 5000 }] });
});

test.each<[string, readonly unknown[], RegExp]>([
  [
    "the name of one of cfa's own",
    [{ ...GOOD, name: "send" }],
    /no tool can be called send: cfa has one of that name/,
  ],
  ["a name twice", [GOOD, GOOD], /two tools are called find/],
  ["no name for a tool", [{ ...GOOD, name: "find it" }], /must be the name of a tool/],
  ["no such schema", [{ ...GOOD, schema: "gone.json" }], /the schema gone\.json does not exist/],
  ["a schema that is no JSON", [{ ...GOOD, schema: "broken.json" }], /the schema broken\.json is not JSON/],
  ["a schema of no object", [{ ...GOOD, schema: "list.json" }], /is no JSON Schema of an object/],
  [
    "a schema that cannot be checked",
    [{ ...GOOD, schema: "conditional.json" }],
    /cannot be used: .*if\/then\/else/,
  ],
  ["no such program", [{ ...GOOD, run: ["node", "gone.mjs"] }], /tool "find": there is no file gone\.mjs/],
  ["an unknown key", [{ ...GOOD, args: [] }], /unknown key "args"/],
])("%s is a mistake", (_what, tools, sentence) => {
  expect(mistakes(...tools)).toEqual([expect.stringMatching(sentence)]);
});
