/**
 * Scripts as data (job.yaml, `adapter: script`): a list of steps, the first one that fits the turn is taken.
 *
 * P1. A step fits when everything under `on` does; a step without `on` always fits. No fitting step: the turn says nothing.
 * P2. A step acts in this order: write, close, send, ask, respond, withdraw, outcome, say. So a close makes room for what is sent after it.
 * P3. `last` is the conversation that the agent opened last and that is still open.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { z } from "zod";
import { PARENT } from "../admission.ts";
import { Refusal, type Script, type ScriptTurn } from "./script-turn.ts";

const text = z.string().min(1);
const pattern = text.refine(isPattern, { error: "is no regular expression" });
const ownPath = text.refine((path) => !/^(\/|\.\.(\/|$))/.test(normalize(path)), {
  error: "must lie inside the workspace",
});

/** When a step fits. */
const whenSchema = z.strictObject({
  state: text.optional(),
  /** Number of the turn on its thread. */
  turn: z.int().nonnegative().optional(),
  entry: z.enum(["draft", "align"]).optional(),
  /** Regular expression that the message's text must match somewhere. */
  match: pattern.optional(),
});

const sendSchema = z.strictObject({
  to: text,
  message: text,
  /** `last`, `parent`, or an id; none opens a conversation. */
  thread: text.optional(),
  files: z.array(text).optional(),
  optional: z.boolean().optional(),
});

const stepSchema = z.strictObject({
  on: whenSchema.optional(),
  /** Text by path below the top of the workspace. */
  write: z.record(ownPath, z.string()).optional(),
  /** `last`, `all`, or ids. */
  close: z.array(text).optional(),
  send: z.array(sendSchema).optional(),
  /** `true`: the turn says on purpose that it sends nothing. */
  none: z.literal(true).optional(),
  ask: text.optional(),
  /** Only for the proxy: its answer, or the reason for which the human gives up. */
  respond: text.optional(),
  withdraw: text.optional(),
  outcome: z.strictObject({ name: text, reason: text }).optional(),
  /** The final text. */
  say: z.string().optional(),
  /** Fails the turn with this sentence, after everything else. */
  fail: text.optional(),
});

/** Schema of `steps:` of an agent with `adapter: script`. */
export const scriptStepsSchema = z.array(stepSchema).min(1);

/** See {@link scriptStepsSchema}. */
export type ScriptSteps = z.infer<typeof scriptStepsSchema>;

type Step = ScriptSteps[number];

/** The script that a list of steps describes. */
export function scriptOf(steps: ScriptSteps): Script {
  return async (turn) => {
    const step = steps.find((step) => fits(step, turn));
    return step === undefined ? undefined : act(step, turn);
  };
}

function fits({ on = {} }: Step, turn: ScriptTurn): boolean {
  return (
    (on.state === undefined || on.state === turn.state) &&
    (on.turn === undefined || on.turn === turn.turn) &&
    (on.entry === undefined || on.entry === turn.entry) &&
    (on.match === undefined || new RegExp(on.match, "u").test(turn.message.body))
  );
}

async function act(step: Step, turn: ScriptTurn): Promise<string | undefined> {
  for (const [path, content] of Object.entries(step.write ?? {})) {
    const file = join(turn.workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const open = turn.children.map(({ thread }) => thread);
  for (const name of step.close ?? []) {
    for (const thread of name === "all" ? [...open] : [lastOr(name, open)]) {
      await turn.close(thread);
      if (open.includes(thread)) open.splice(open.indexOf(thread), 1);
    }
  }
  for (const { thread, ...what } of step.send ?? []) {
    const id =
      thread === PARENT ? turn.parent?.thread : thread === undefined ? undefined : lastOr(thread, open);
    const opened = await turn.send({ ...what, thread: id, to: thread === PARENT ? PARENT : what.to });
    if (!open.includes(opened) && opened !== turn.parent?.thread) open.push(opened);
  }
  if (step.none) await turn.sendNone();
  if (step.ask !== undefined) await turn.ask(step.ask);
  if (step.respond !== undefined) await turn.respond(step.respond);
  if (step.withdraw !== undefined) await turn.withdraw(step.withdraw);
  if (step.outcome !== undefined) await turn.outcome(step.outcome.name, step.outcome.reason);
  if (step.fail !== undefined) throw new Error(step.fail);
  return step.say;
}

function lastOr(name: string, open: readonly string[]): string {
  if (name !== "last") return name;
  const last = open.at(-1);
  if (last === undefined) throw new Refusal('there is no open conversation that "last" could mean');
  return last;
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u").source !== "";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
