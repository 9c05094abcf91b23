/** usage.jsonl as agents leave it: good and bad lines, and whatever else stands in its place (docs/cost.md). */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { noteUsage, REPORTS_MAX, turnUsage } from "../../src/runtime/usage-file.ts";
import { UNKNOWN_USAGE, type Usage, type UsageReport } from "../../src/runtime/usage.ts";

let outbox: string;
beforeEach(() => {
  outbox = mkdtempSync(join(tmpdir(), "cfa-usage-"));
});
afterEach(() => rmSync(outbox, { recursive: true, force: true }));

const NO_PRICES = { agents: {}, models: {} };
const file = () => join(outbox, "usage.jsonl");
const readBack = () => turnUsage(outbox, { stop: "ended", usage: UNKNOWN_USAGE }, NO_PRICES, "lead");
const is = (tokens: number | null, usd: number | null, partial?: readonly string[]) =>
  expect.objectContaining({ tokens, usd, ...(partial === undefined ? {} : { partial }) });

test("reports are read back in sum", async () => {
  const reports: readonly UsageReport[] = [
    { input: 3, output: 4, model: "m" },
    { tokens: 5, usd: 0.25 },
  ];
  for (const report of reports) await noteUsage(outbox, report);
  expect(await readBack()).toEqual({
    usage: { tokens: 12, usd: 0.25, partial: ["usd"], models: ["m"] },
    problems: [],
  });
});

test("what the adapter reports goes before", async () => {
  await noteUsage(outbox, { tokens: 5 });
  expect(
    await turnUsage(outbox, { stop: "ended", usage: { tokens: 1, usd: null } }, NO_PRICES, "lead"),
  ).toEqual({
    usage: { tokens: 1, usd: null },
    problems: [],
  });
});

test("what a turn has told that was stopped is a lower bound", async () => {
  const stopped = (usage: Usage) => turnUsage(outbox, { stop: "aborted", usage }, NO_PRICES, "lead");
  expect((await stopped(UNKNOWN_USAGE)).usage).toEqual(UNKNOWN_USAGE);
  expect((await stopped({ tokens: 1, usd: 2 })).usage).toEqual({
    tokens: 1,
    usd: 2,
    partial: ["tokens", "usd"],
  });
  await noteUsage(outbox, { tokens: 5 });
  expect((await stopped(UNKNOWN_USAGE)).usage).toEqual({ tokens: 5, usd: null, partial: ["tokens"] });
});

describe("a line that is no report is named; its amounts are unknown, and the others count", () => {
  test.each<[string, string, RegExp]>([
    ["no JSON", "tokens: 5", /report 2 in usage\.jsonl is none/],
    ["half a line, of a process that was killed", '{"tokens": 5', /is none/],
    ["no object", "[5]", /is none/],
    ["null", "null", /is none/],
    ["nothing said", "{}", /says nothing/],
    ["a field that is unknown", '{"tokens": 5, "colour": 1}', /colour/],
    ["below nothing", '{"tokens": -5}', /0 or more/],
    ["a half token", '{"tokens": 1.5}', /whole number/],
    ["beyond all bounds", '{"tokens": 1e300}', /tokens/],
    ["money below nothing", '{"usd": -1}', /0 or more/],
    ["money as text", '{"usd": "1"}', /US dollars/],
    ["input without output", '{"input": 5}', /together/],
    ["cached alone", '{"cached": 5, "usd": 1}', /together/],
    ["kinds and a sum", '{"input": 1, "output": 1, "tokens": 5}', /not both/],
    ["a name without end", JSON.stringify({ tokens: 1, model: "x".repeat(9000) }), /at most 200 letters/],
    ["a JSON bomb", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, /is none/],
    ["a prototype", '{"__proto__": {"tokens": 5}}', /is none/],
  ])("%s", async (_what, line, why) => {
    writeFileSync(file(), `{"tokens": 7, "usd": 1}\n${line}\n`);
    const { usage, problems } = await readBack();
    expect(usage).toEqual(is(7, 1, ["tokens", "usd"]));
    expect(problems).toEqual([expect.stringMatching(why)]);
    expect(problems.join("").length).toBeLessThan(400);
  });

  test("invalid UTF-8", async () => {
    writeFileSync(file(), Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('\n{"tokens": 7}\n')]));
    expect(await readBack()).toMatchObject({
      usage: is(7, null),
      problems: [/^report 1 /].map((re) => expect.stringMatching(re)),
    });
  });

  test("many: five are named, the others counted", async () => {
    writeFileSync(file(), "x\n".repeat(50));
    const { usage, problems } = await readBack();
    expect(usage).toEqual(UNKNOWN_USAGE);
    expect(problems).toHaveLength(6);
    expect(problems.at(-1)).toBe("45 more of its reports are none");
  });

  test("more reports than a turn may make", async () => {
    writeFileSync(file(), '{"tokens": 1}\n'.repeat(REPORTS_MAX + 1));
    expect(await readBack()).toEqual({
      usage: { tokens: REPORTS_MAX, usd: null, partial: ["tokens"] },
      problems: [`usage.jsonl holds more than ${REPORTS_MAX} reports: the others are ignored`],
    });
  });
});

describe("what stands in its place is named and not read: unknown", () => {
  test.each<[string, () => void, RegExp | undefined]>([
    ["nothing", () => {}, undefined],
    ["an empty file", () => writeFileSync(file(), "\n\n"), undefined],
    ["a link", () => symlinkSync("/proc/self/environ", file()), /is a link/],
    ["a link to nothing", () => symlinkSync("nowhere", file()), /is a link/],
    ["a directory", () => mkdirSync(file()), /no regular file|cannot be read/],
    ["a pipe that nobody writes to", () => execFileSync("mkfifo", [file()]), /no regular file/],
    ["megabytes", () => writeFileSync(file(), "x".repeat(2_000_000)), /larger than 1048576 bytes/],
  ])("%s", async (_what, make, why) => {
    make();
    const { usage, problems } = await readBack();
    expect(usage).toEqual(UNKNOWN_USAGE);
    expect(problems).toEqual(why === undefined ? [] : [expect.stringMatching(why)]);
  });
});
