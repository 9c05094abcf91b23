/** Names of threads as people read them: without the id of the job, which stands in each. */
import type { ThreadId } from "../soup/message.ts";

/** `job` for the job's own thread, `INTENT:1` for that of a state's lead; others as they are. */
export function shortThread(job: string, thread: ThreadId): string {
  if (thread === `job:${job}`) return "job";
  const prefix = `state:${job}:`;
  return thread.startsWith(prefix) ? thread.slice(prefix.length) : thread;
}

/** The thread that a short or whole name means. */
export function wholeThread(job: string, name: string): ThreadId {
  if (name === "job") return `job:${job}`;
  return /^[A-Z]+:\d+$/.test(name) ? `state:${job}:${name}` : name;
}
