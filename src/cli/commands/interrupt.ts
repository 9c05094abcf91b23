/**
 * `cfa interrupt JOB [--thread T] TEXT`: redirects whoever works there to a new message, at once (CfA §8).
 *
 * I1. A running turn is stopped with all its processes; the next one goes on in the same session and workspace.
 */
import type { Context } from "../context.ts";
import { type WriteOptions, writeTo } from "../write-to.ts";

/** Interrupts a job or one of its conversations. */
export function interruptCommand(
  context: Context,
  job: string,
  text: string | undefined,
  options: WriteOptions,
): Promise<number> {
  return writeTo(context, job, text, options, {
    verb: "interrupt",
    done: (who) => `${who} is interrupted and goes on with your message`,
  });
}
