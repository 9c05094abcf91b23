/**
 * The form of a scenario file (docs/exploration.md), with what is expected where it is not kept.
 */
import { z } from "zod";
import { POLICIES } from "../../soup/message.ts";

const name = z.string("expected a name").min(1, "expected a name");
const policy = z.enum(POLICIES, `expected a policy: ${POLICIES.join(", ")}`);
const ask = z.strictObject({
  ask: z.tuple([name, z.string(), policy], "expected [question id, text, policy]"),
});
const send = z.strictObject({
  send: z.array(
    z.union([
      z.strictObject({ to: z.tuple([name, name], "expected [agent, thread]"), msg: z.string() }),
      z.strictObject({ terminate: name }),
      ask,
    ]),
  ),
});
const RUN = 'expected a decision number from 1, or "*"';
const script = z.strictObject({
  agent: name,
  thread: name,
  run: z.union([z.int().min(1, RUN), z.literal("*")], RUN),
  choices: z.array(z.union([z.literal("nosend"), send, ask])),
});
const others = z.array(name);
/** A record of zod leaves out a key such as `__proto__`, and an agent may be called so. */
const roster = z
  .custom<Readonly<Record<string, readonly string[]>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "expected an object of lists of agents",
  )
  .superRefine((value, context) => {
    for (const [agent, list] of Object.entries(value)) {
      for (const { message, path } of others.safeParse(list).error?.issues ?? [])
        context.addIssue({ code: "custom", message, path: [agent, ...path] });
    }
  });
/** The shape of a scenario file. */
export const scenarioFile = z.strictObject({
  name: z.string(),
  about: z.string().optional(),
  rules: z.enum(["literal", "complete"], 'expected "literal" or "complete"').default("complete"),
  initial: z.array(z.string()),
  closed: z.array(name).default([]),
  roster: roster.default({}),
  cap: z.int("expected a whole number").min(0, "expected 0 or more").default(3),
  scripts: z.array(script).default([]),
  // What is expected by other engines may have more than is compared here.
  expected: z
    .looseObject({
      reachableStates: z.int().min(1),
      finalSoups: z.array(z.array(z.string())),
      finalClosed: z.array(z.array(z.string())),
      stuck: z.int().min(0),
      violations: z.array(z.string()),
    })
    .optional(),
});
/** A scenario file as it stands, its notation not yet read. */
export type ScenarioFile = z.infer<typeof scenarioFile>;

/** A question as it stands in a scenario file. */
export type AskFile = z.infer<typeof ask>;
