/**
 * A job as it runs: job.yaml with every default filled in and everything that it names resolved. The keys are those
 * of job.yaml (docs/job.md); null stands where a limit is absent.
 *
 * D1. It is a JSON value: the first log entry holds it, and a resumed job is read from there, never from the file.
 * D2. Durations are milliseconds, paths absolute, artifacts that the operator gave are their text.
 * D3. Every agent that a state or a roster names is in `agents`.
 */
import { z } from "zod";
import { POLICIES } from "../soup/message.ts";
import { needsDefinition } from "./dependency-keys.ts";
import { filesDefinition } from "./files-agent.ts";
import { LIVE_STATES } from "./machine.ts";
import { roleSchema } from "./role/role.ts";
import { scriptStepsSchema } from "../runtime/agents/script-steps.ts";

const text = z.string();
const millis = z.int().positive();
const count = z.int().nonnegative();

/** How much a job insists on a boundary around a program (docs/boundary.md). */
export const SANDBOX_LEVELS = ["required", "preferred", "advisory"] as const;

const exemption = z.strictObject({ tool: text, path: text, reason: text, write: z.boolean() });

const role = {
  roster: z.array(text).readonly(),
  skill: text.nullable(),
  fallback: text.nullable().default(null),
  /** Absent where the agent has none. */
  role: roleSchema.optional(),
};

const program = {
  /** Program and arguments; files beside job.yaml are absolute paths, a bare program is looked up on PATH. */
  run: z.tuple([text], text).readonly(),
  ...role,
  sandbox: z.enum(SANDBOX_LEVELS),
  /** Files and folders that are let into the boundary besides, absolute, each with who needs it and why. */
  exempt: z.array(exemption).readonly().default([]),
  network: z.enum(["none", "loopback", "full"]),
  env: z.array(text).readonly(),
};

const commandAgent = z.strictObject({
  adapter: z.literal("command"),
  ...program,
  prompt: z.enum(["message", "full"]).default("message"),
  /** Tools of its own; `schema` is the JSON Schema that the named file held, programs are resolved as `run` is. */
  tools: z
    .array(
      z.strictObject({
        name: text,
        description: text,
        schema: z.record(text, z.unknown()),
        run: z.tuple([text], text).readonly(),
        timeout: millis,
      }),
    )
    .readonly()
    .default([]),
});

const filesAgent = z.strictObject({
  adapter: z.literal("files"),
  ...program,
  ...filesDefinition,
  ...needsDefinition,
});

const scriptAgent = z.strictObject({ adapter: z.literal("script"), steps: scriptStepsSchema, ...role });

const dollars = z.number().nonnegative();
const price = z.strictObject({ input: dollars, output: dollars, cached: dollars });

const state = z.strictObject({
  agent: text,
  skill: text,
  escalation: z.enum(POLICIES),
  state_timeout: millis.nullable(),
});

/** How the human is told of a question outside of cfa: by a program, or by a request to an address. */
const notifyTargetSchema = z.union([
  z.strictObject({ run: z.tuple([text], text).readonly() }),
  z.strictObject({ url: text }),
]);

/** See {@link notifyTargetSchema}. */
export type NotifyTarget = z.infer<typeof notifyTargetSchema>;

/** Schema of a {@link JobDefinition} where it is read back from a log. */
export const jobDefinitionSchema = z.strictObject({
  version: z.literal(1),
  name: text,
  request: text,
  repository: text,
  base: text,
  start: z.enum(LIVE_STATES),
  deliver: z.enum(["branch", "merge", "pr-ready"]),
  human: text,
  /** Agent that stands for the human in questions; absent where they are put to the human as they stand. */
  proxy: text.exactOptional(),
  artifacts: z.strictObject({ intent: text, plan: text, summary: text }),
  given: z.strictObject({ intent: text.nullable(), plan: text.nullable() }),
  agents: z.record(text, z.discriminatedUnion("adapter", [commandAgent, filesAgent, scriptAgent])),
  states: z.strictObject({ INTENT: state, PLAN: state, EXECUTE: state }),
  limits: z.strictObject({
    fan_out: count,
    concurrency: count,
    timeout: millis,
    stall: millis.nullable(),
    retries: count,
    backtracks: count,
    max_turns: count,
  }),
  budget: z.strictObject({
    usd: z.number().nullable(),
    tokens: count.nullable(),
    turns: count.nullable(),
    wall: millis.nullable(),
  }),
  /** US dollars for a million tokens; logs of earlier versions have none. */
  prices: z
    .strictObject({ agents: z.record(text, price), models: z.record(text, price) })
    .default({ agents: {}, models: {} }),
  deadline: millis.nullable(),
  /** Logs of earlier versions have none. */
  notify: notifyTargetSchema.nullable().default(null),
  over_cap: z.enum(["refuse", "wait"]),
  status_tokens: z.union([z.literal(1), z.literal(2)]).default(1),
  hooks: z
    .strictObject({ before_run: text.nullable(), after_run: text.nullable(), timeout: millis })
    .default({ before_run: null, after_run: null, timeout: 60_000 }),
  workspaces: text.nullable(),
});

/** A resolved job. */
export type JobDefinition = z.infer<typeof jobDefinitionSchema>;

/** A resolved agent of a job. */
export type JobAgent = JobDefinition["agents"][string];

/** Reads a definition back from a log. Throws a ZodError that names the field. */
export function parseDefinition(value: unknown): JobDefinition {
  return jobDefinitionSchema.parse(value);
}
