/** status.json: what is understood of it, what is left out, and what is never read. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  parseStatus,
  progressLine,
  readStatusJson,
  STATUS_BYTES,
  type StatusReport,
  writePending,
} from "../../../src/channels/files-protocol/status-json.ts";

const PLAIN: StatusReport = { state: "running", started: null, error: null, progress: null, metrics: {} };

test("the example of the protocol", () => {
  const text = `{
    "state": "running", "started": "2024-01-15T10:30:00Z", "completed": null, "error": null,
    "progress": { "current_step": "analyzing_data", "steps_completed": 3, "total_steps": 5 },
    "metrics": { "files_processed": 12, "outputs_generated": 4 }
  }`;
  const reading = parseStatus(text);
  expect(reading).toEqual({
    report: {
      state: "running",
      started: "2024-01-15T10:30:00Z",
      error: null,
      progress: { step: "analyzing_data", done: 3, total: 5 },
      metrics: { files_processed: 12, outputs_generated: 4 },
    },
  });
  if ("report" in reading)
    expect(progressLine(reading.report)).toBe("analyzing_data 3/5, files_processed 12, outputs_generated 4");
});

test("the failure of the protocol", () => {
  const text = `{ "state": "failed", "error": { "type": "ValidationError", "message": "Input file format invalid",
    "details": "Expected CSV, got JSON", "recoverable": true } }`;
  expect(parseStatus(text)).toMatchObject({
    report: {
      state: "failed",
      error: {
        type: "ValidationError",
        message: "Input file format invalid",
        details: "Expected CSV, got JSON",
        recoverable: true,
      },
    },
  });
});

describe("what cannot be understood is left out, and nothing fails for it", () => {
  test.each<[string, object, Partial<StatusReport>]>([
    ["an unknown key", { mood: "good" }, {}],
    ["an empty start", { started: "" }, { started: null }],
    ["a start that is no text", { started: 12 }, { started: null }],
    ["progress that is a number", { progress: 7 }, { progress: null }],
    [
      "a negative step",
      { progress: { steps_completed: -1 } },
      { progress: { step: null, done: null, total: null } },
    ],
    ["a metric that is no number", { metrics: { a: 1, b: "two" } }, { metrics: { a: 1 } }],
    ["metrics that are a list", { metrics: [1] }, { metrics: {} }],
    ["an error that is a text", { error: "no luck" }, { error: null }],
    [
      "an error without words",
      { error: {} },
      { error: { type: "Error", message: "", details: "", recoverable: false } },
    ],
    [
      "a recoverable that is no boolean",
      { error: { recoverable: "yes" } },
      { error: { type: "Error", message: "", details: "", recoverable: false } },
    ],
  ])("%s", (_name, more, expected) => {
    expect(parseStatus(JSON.stringify({ state: "running", ...more }))).toEqual({
      report: { ...PLAIN, ...expected },
    });
  });

  test("texts are cut, and no more than 20 metrics are taken", () => {
    const metrics = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`m${n}`, n]));
    const text = JSON.stringify({ state: "running", progress: { current_step: "x".repeat(5000) }, metrics });
    const reading = parseStatus(text);
    expect("report" in reading && Object.keys(reading.report.metrics)).toHaveLength(20);
    expect("report" in reading && reading.report.progress?.step).toHaveLength(100);
  });
});

describe("no report", () => {
  test.each<[string, string, string]>([
    ["no JSON", "{", "holds no JSON"],
    ["nothing", "", "holds no JSON"],
    ["a list", "[]", "holds no state"],
    ["a number", "7", "holds no state"],
    ["no state", "{}", "holds no state"],
    ["a state that is no text", '{"state": 3}', "holds no state"],
    ["an unknown state", '{"state": "Running"}', 'holds the state "Running"'],
    ["a deep pile of brackets", "[".repeat(30_000) + "]".repeat(30_000), "holds no state"],
    ["a state that is a pile", `{"state": ${"[".repeat(30_000)}${"]".repeat(30_000)}}`, "holds no state"],
  ])("%s", (_name, text, problem) => {
    const reading = parseStatus(text);
    expect("problem" in reading && reading.problem).toContain(problem);
  });
});

describe("what stands in its place", () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), "cfa-status-json-"))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const at = () => join(home, "status.json");

  test.each<[string, () => void, string]>([
    ["nothing", () => {}, "is gone"],
    [
      "a link to a good one",
      () => {
        writeFileSync(join(home, "good"), '{"state": "completed", "started": "x"}');
        symlinkSync("good", at());
      },
      "is a link, which is not followed",
    ],
    ["a link that leads nowhere", () => symlinkSync("nowhere", at()), "is a link, which is not followed"],
    ["a folder", () => mkdirSync(at()), "is no regular file"],
    ["a pipe", () => void execFileSync("mkfifo", [at()]), "is no regular file"],
    ["a link to a device", () => symlinkSync("/dev/zero", at()), "is a link, which is not followed"],
    [
      "megabytes",
      () => writeFileSync(at(), `{"state": "running", "x": "${"y".repeat(3_000_000)}"}`),
      `is larger than ${STATUS_BYTES} bytes`,
    ],
  ])("%s", async (_name, make, problem) => {
    make();
    expect(await readStatusJson(home)).toMatchObject({ problem });
  });

  test("what cfa writes is pending", async () => {
    symlinkSync(join(home, "elsewhere"), at());
    await writePending(home);
    expect(await readStatusJson(home)).toEqual({ report: { ...PLAIN, state: "pending" } });
  });
});
