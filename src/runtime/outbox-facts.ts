/**
 * `turn.json`: what early refusal needs to know, written beside the outbox by cfa and read by every channel.
 */
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { TurnFacts } from "./agents/port.ts";
import { isErrno } from "../soup/errno.ts";
import { readRegular, replaceFile } from "./outbox-file.ts";

/** Name of the file in the outbox directory. */
export const FACTS_FILE = "turn.json";
/** Name of {@link FACTS_FILE} when the turn has ended. */
export const ENDED_FILE = "turn-ended.json";
const FACTS_BYTES_MAX = 4 * 1024 * 1024;

const id = z.string().min(1);
const count = z.int().nonnegative();
const amount = z.strictObject({
  spent: z.number().nullable(),
  complete: z.boolean(),
  limit: z.number().nullable(),
});
const roleTool = z.strictObject({
  name: id,
  description: z.string(),
  schema: z.record(z.string(), z.unknown()),
  run: z.array(z.string()),
  timeout: z.number(),
});
const instance = z.strictObject({ agent: id, thread: id });

/** Schema of `turn.json`. */
export const turnFactsSchema: z.ZodType<TurnFacts> = z.strictObject({
  job: id,
  thread: id,
  turn: count,
  agent: id,
  serial: count,
  state: id,
  lead: z.boolean(),
  roster: z.array(id),
  sends: z.array(z.enum(["task", "reply", "question"])).optional(),
  parent: instance.nullable(),
  children: z.array(instance),
  closed: z.array(id),
  cap: count,
  overCap: z.enum(["refuse", "wait"]),
  policy: z.enum(["never", "when_unsure", "always"]),
  outcomes: z.array(id),
  timeout: z.number(),
  spending: z.strictObject({ turns: amount, tokens: amount, usd: amount, stateTurns: amount.nullable() }),
  skill: z.strictObject({ name: id, file: id.nullable() }).nullable(),
  tools: z.array(roleTool),
  workspace: id,
  proxy: z
    .strictObject({
      question: id,
      policy: z.enum(["never", "when_unsure", "always"]),
      phase: z.enum(["fresh", "post-human"]),
      asksHuman: z.boolean(),
    })
    .exactOptional(),
});

/** Writes `turn.json` into the outbox directory, in place of an older one. */
export async function writeTurnFacts(directory: string, facts: TurnFacts): Promise<void> {
  await replaceFile(join(directory, FACTS_FILE), `${JSON.stringify(facts, null, 2)}\n`);
}

/**
 * Reads `turn.json` from the outbox directory.
 * @throws Error with one sentence when it is missing, malformed or no regular file.
 */
export async function readTurnFacts(directory: string): Promise<TurnFacts> {
  const path = join(directory, FACTS_FILE);
  const file = await readRegular(path, FACTS_BYTES_MAX);
  if (file === undefined)
    throw new Error(`${path} is missing: the turn has ended, or this is no outbox of cfa`);
  if ("problem" in file) throw new Error(`${path} ${file.problem}`);
  const facts = turnFactsSchema.safeParse(parseJson(file.text));
  if (!facts.success) throw new Error(`${path} is not what cfa wrote: ${z.prettifyError(facts.error)}`);
  return facts.data;
}

/** Ends the outbox of a turn: a call that comes after this finds no turn. */
export async function endTurnFacts(directory: string): Promise<void> {
  try {
    await rename(join(directory, FACTS_FILE), join(directory, ENDED_FILE));
  } catch (error) {
    // What an agent has done to its outbox is told when that is read.
    if (!isErrno(error, "ENOENT", "ENOTDIR", "EISDIR", "ENOTEMPTY", "EACCES")) throw error;
  }
}

/** The parsed text, or undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
