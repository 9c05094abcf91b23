/** `cfa log [JOB]`: the entries of a job, readable or as the export (docs/log.md, "The exported form"). */
import { encodeEntry } from "../../persistence/codec.ts";
import { type Context, say } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { chooseJob, withLog } from "../jobs.ts";
import { logLine } from "../view/log-line.ts";

/** Options of `cfa log`. */
export type LogOptions = { readonly repo?: string | undefined; readonly jsonl?: boolean | undefined };

/** Prints the log, as far as somebody reads. */
export async function logCommand(
  context: Context,
  job: string | undefined,
  { repo, jsonl = false }: LogOptions,
): Promise<number> {
  const place = await chooseJob(context, repo, job);
  const { stdout } = context;
  await withLog(place, async (bus) => {
    for await (const entry of bus.log.read()) {
      say(stdout, jsonl ? encodeEntry(entry) : logLine(entry));
      await stdout.drained();
      if (stdout.closed()) return;
    }
  });
  return EXIT.completed;
}
