import { describe, expect, it } from "vitest";
import type { JobDefinition } from "../../src/job/definition.ts";
import { jobId } from "../../src/job/id.ts";
import { parseJob } from "../../src/job/load.ts";

const BASE = "0123456789012345678901234567890123456789";
const LINES = "name: notes\nrequest: Greet.\nagents: { lead: { adapter: script, steps: [{ say: done }] } }\n";

const define = (lines: string): JobDefinition =>
  parseJob(lines, { file: "job.yaml", directory: "/nowhere" }).definition;

describe("the id of a job", () => {
  const id = jobId(define(LINES), BASE);

  it("is its name and eight digits of a hash", () => {
    expect(id).toMatch(/^notes-[0-9a-f]{8}$/);
  });

  it.each([
    ["written with the defaults", `${LINES}version: 1\nstart: INTENT\nartifacts: { plan: PLAN.md }`],
    ["with its keys in another order", LINES.split("\n").toReversed().join("\n")],
    ["with a budget", `${LINES}budget: { turns: 5 }`],
    ["with other limits", `${LINES}limits: { fan_out: 9, timeout: 1h }`],
  ])("is the same %s", (_case, lines) => {
    expect(jobId(define(lines), BASE)).toBe(id);
  });

  it.each([
    ["request", LINES.replace("Greet.", "Greet!")],
    ["agent", LINES.replace("lead:", "boss:")],
    ["policy", `${LINES}states: { PLAN: { escalation: never } }`],
    ["deadline", `${LINES}deadline: 1h`],
    ["repository", `${LINES}repository: /elsewhere`],
  ])("is another with another %s", (_key, lines) => {
    expect(jobId(define(lines), BASE)).not.toBe(id);
  });

  it("is another on another commit", () => {
    expect(jobId(define(LINES), BASE.toUpperCase().replace("0", "1"))).not.toBe(id);
  });

  it.each([
    [1, ""],
    [2, "-2"],
    [3, "-3"],
  ])("number %d ends in %j", (number, suffix) => {
    expect(jobId(define(LINES), BASE, number)).toBe(id + suffix);
  });
});
