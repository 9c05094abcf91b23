/**
 * Names of threads as people read them: without the id of the job that each holds. It is one id for all threads of a log, in a
 * fork that of the job whose log was opened first (docs/fork.md).
 */
import type { ThreadId } from "../soup/message.ts";

/** `job` for the job's own thread, `INTENT:1` for that of a state's lead; others as they are. */
export function shortThread(thread: ThreadId): string {
  if (thread.startsWith("job:")) return "job";
  return /^state:.+:([A-Z]+:\d+)$/u.exec(thread)?.[1] ?? thread;
}

/** The thread that a short or whole name means; `job` is the id by which the threads of the log are named. */
export function wholeThread(job: string, name: string): ThreadId {
  if (name === "job") return `job:${job}`;
  return /^[A-Z]+:\d+$/.test(name) ? `state:${job}:${name}` : name;
}
