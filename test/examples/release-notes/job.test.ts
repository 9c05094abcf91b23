/** job.yaml promises that the example runs unattended, with programs that lie beside it. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const FOLDER = resolve(import.meta.dirname, "../../../examples/release-notes");

const agent = z.object({
  run: z.tuple([z.literal("node"), z.string()]),
  roster: z.array(z.string()).default([]),
  sandbox: z.strictObject({
    level: z.literal("required"),
    exempt: z.tuple([z.strictObject({ tool: z.literal("node"), path: z.literal("."), reason: z.string() })]),
  }),
  network: z.literal("none"),
});
const job = z
  .object({
    agents: z.record(z.string(), agent),
    states: z.record(z.string(), z.object({ agent: z.literal("lead"), escalation: z.literal("never") })),
    limits: z.object({ fan_out: z.literal(3) }),
    deliver: z.literal("branch"),
  })
  .parse(parse(readFileSync(resolve(FOLDER, "job.yaml"), "utf8")));

test("every agent is a program of the folder, and the lead may dispatch all the others", () => {
  const programs = Object.values(job.agents).map(({ run }) => resolve(FOLDER, run[1]));
  expect(programs.filter((path) => !existsSync(path))).toEqual([]);
  expect(job.agents["lead"]?.roster).toEqual(Object.keys(job.agents).filter((name) => name !== "lead"));
});

test("no state asks anybody", () => {
  expect(Object.keys(job.states)).toEqual(["INTENT", "PLAN", "EXECUTE"]);
});
