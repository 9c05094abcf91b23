/** `cfa tell JOB [--thread T] TEXT`: mail from the human, which is read when its turn comes; nothing is stopped. */
import type { Context } from "../context.ts";
import { type WriteOptions, writeTo } from "../write-to.ts";

/** Writes to a job or to one of its conversations. */
export function tellCommand(
  context: Context,
  job: string,
  text: string | undefined,
  options: WriteOptions,
): Promise<number> {
  return writeTo(context, job, text, options, {
    verb: "tell",
    done: (who) => `delivered; ${who} reads it in its next turn`,
  });
}
