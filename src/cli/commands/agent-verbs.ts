/**
 * The verbs of agents, called inside a turn: `send`, `ask`, `respond`, `close`, `outcome`, `resolve`, `usage`.
 *
 * V1. A verb loads what it needs and nothing else: no database, no state machine. An agent may call it hundreds of times.
 */
import type { VerbResult } from "../../channels/verbs/turn.ts";
import type { AskOptions } from "../../channels/verbs/ask.ts";
import type { CloseOptions } from "../../channels/verbs/close.ts";
import type { OutcomeOptions } from "../../channels/verbs/outcome.ts";
import type { RespondOptions } from "../../channels/verbs/respond.ts";
import type { ResolveOptions } from "../../channels/verbs/resolve.ts";
import type { SendOptions } from "../../channels/verbs/send.ts";
import type { UsageOptions } from "../../channels/verbs/usage.ts";
import type { Context } from "../context.ts";
import { Misuse } from "../errors.ts";

/** `cfa send`. */
export async function sendCommand(context: Context, options: SendOptions): Promise<number> {
  const { send } = await import("../../channels/verbs/send.ts");
  return tell(context, await send(context.env, options, context.cwd));
}

/** The options of `cfa ask` as they are typed. */
export type AskWords = { readonly default?: string; readonly deadline?: string };

/** `cfa ask`. */
export async function askCommand(
  context: Context,
  { deadline, ...options }: AskWords & Pick<AskOptions, "text">,
): Promise<number> {
  const { ask } = await import("../../channels/verbs/ask.ts");
  if (deadline === undefined) return tell(context, await ask(context.env, options));
  const { parseDuration } = await import("../../job/duration.ts");
  const millis = parseDuration(deadline);
  if (millis === undefined)
    throw new Misuse(`--deadline must be a duration such as 90s, 10m or 2h, not "${deadline}"`);
  return tell(context, await ask(context.env, { ...options, deadline: millis }));
}

/** `cfa respond`. */
export async function respondCommand(context: Context, options: RespondOptions): Promise<number> {
  const { respond } = await import("../../channels/verbs/respond.ts");
  return tell(context, await respond(context.env, options));
}

/** `cfa close`. */
export async function closeCommand(context: Context, options: CloseOptions): Promise<number> {
  const { close } = await import("../../channels/verbs/close.ts");
  return tell(context, await close(context.env, options));
}

/** `cfa outcome`. */
export async function outcomeCommand(context: Context, options: OutcomeOptions): Promise<number> {
  const { outcome } = await import("../../channels/verbs/outcome.ts");
  return tell(context, await outcome(context.env, options));
}

/** `cfa resolve`. */
export async function resolveCommand(context: Context, options: ResolveOptions): Promise<number> {
  const { resolve } = await import("../../channels/verbs/resolve.ts");
  return tell(context, await resolve(context.env, options, context.cwd));
}

/** `cfa usage`. */
export async function usageCommand(context: Context, options: UsageOptions): Promise<number> {
  const { usage } = await import("../../channels/verbs/usage.ts");
  return tell(context, await usage(context.env, options));
}

function tell({ stdout, stderr }: Context, { stdout: data, stderr: rest, exitCode }: VerbResult): number {
  stdout.write(data);
  stderr.write(rest);
  return exitCode;
}
