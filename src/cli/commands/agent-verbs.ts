/**
 * The verbs of agents, called inside a turn: `send`, `ask`, `respond`, `close`, `outcome`, `resolve`.
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
import type { Context } from "../context.ts";

/** `cfa send`. */
export async function sendCommand(context: Context, options: SendOptions): Promise<number> {
  const { send } = await import("../../channels/verbs/send.ts");
  return tell(context, await send(context.env, options, context.cwd));
}

/** `cfa ask`. */
export async function askCommand(context: Context, options: AskOptions): Promise<number> {
  const { ask } = await import("../../channels/verbs/ask.ts");
  return tell(context, await ask(context.env, options));
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

function tell({ stdout, stderr }: Context, { stdout: data, stderr: rest, exitCode }: VerbResult): number {
  stdout.write(data);
  stderr.write(rest);
  return exitCode;
}
