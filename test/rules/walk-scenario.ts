/** The scenario file as the independent engine (walk.ts) reads it. */
import { z } from "zod";

const policy = z.enum(["never", "when_unsure", "always"]);
const ask = z.strictObject({ ask: z.tuple([z.string(), z.string(), policy]) });
const payload = z.union([
  z.strictObject({ to: z.tuple([z.string(), z.string()]), msg: z.string() }),
  z.strictObject({ terminate: z.string() }),
  ask,
]);
const choice = z.union([z.strictObject({ send: z.array(payload) }), z.literal("nosend"), ask]);

/** Its form. */
export const scenarioSchema = z.strictObject({
  name: z.string(),
  about: z.string().optional(),
  rules: z.enum(["literal", "complete"]),
  initial: z.array(z.string()),
  closed: z.array(z.string()),
  roster: z.record(z.string(), z.array(z.string())),
  cap: z.number(),
  scripts: z.array(
    z.strictObject({
      agent: z.string(),
      thread: z.string(),
      run: z.union([z.number(), z.literal("*")]),
      choices: z.array(choice),
    }),
  ),
  expected: z.strictObject({
    reachableStates: z.number(),
    finalSoups: z.array(z.array(z.string())),
    finalClosed: z.array(z.array(z.string())),
    stuck: z.number(),
    violations: z.array(z.string()),
  }),
});

/** See {@link scenarioSchema}. */
export type Scenario = z.infer<typeof scenarioSchema>;
