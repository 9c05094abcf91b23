/** How far file-based agents have come, for whoever looks from outside of the process that runs them. */
import type { ThreadId } from "../../soup/message.ts";
import { filesHome } from "./layout.ts";
import { progressLine, readStatusJson } from "./status-json.ts";

/**
 * What those of the threads that have a home in the folder of the job say of their progress; where there is no status.json, or what
 * stands there is none, the thread is left out.
 */
export async function progressIn(
  jobDirectory: string,
  threads: readonly ThreadId[],
): Promise<ReadonlyMap<ThreadId, string>> {
  const lines = new Map<ThreadId, string>();
  for (const thread of threads) {
    const reading = await readStatusJson(filesHome(jobDirectory, thread));
    if ("report" in reading) lines.set(thread, progressLine(reading.report));
  }
  return lines;
}
