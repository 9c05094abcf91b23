/** Schema of the job's own record where a checkpoint holds it (docs/log.md, "Checkpoints"). */
import { z } from "zod";
import { bodySchemas } from "../persistence/entry.ts";
import { jobDefinitionSchema } from "./definition.ts";
import { ACTIONS, LIVE_STATES, TERMINAL_STATES } from "./machine.ts";
import type { StateRecord } from "./state-record.ts";

const count = z.int().nonnegative();
const state = z.enum([...LIVE_STATES, ...TERMINAL_STATES]);

const transition = z.strictObject({
  from: z.enum(LIVE_STATES),
  action: z.enum(ACTIONS),
  to: state,
  reason: z.string(),
  origin: z.enum(["skill", "orchestrator", "human"]),
  seq: count.exactOptional(),
});

/** See the header. */
export const stateRecordSchema: z.ZodType<StateRecord> = z.strictObject({
  id: z.string(),
  job: z.string(),
  definition: jobDefinitionSchema,
  base: z.string().nullable(),
  branch: z.string().nullable(),
  machine: z.strictObject({ state, history: z.array(transition), backtracks: count }),
  entries: z.record(state, count),
  openedAt: z.string(),
  timedFrom: z.string(),
  failures: count,
  judged: count,
  hold: z.strictObject({ action: z.string(), reason: z.string(), record: z.string().nullable() }).nullable(),
  parked: z.string().nullable(),
  parkedAt: z.string().nullable(),
  restedMillis: z.number(),
  delivered: bodySchemas.deliver.nullable(),
  budget: jobDefinitionSchema.shape.budget,
});
