/**
 * Nobody fails more often than the job allows: the failure after the last retry ends the state, or the conversation, in the commit
 * that records it (docs/job.md, "Failures").
 *
 * F1. Failures are counted from the log alone: violations since the state was entered, failed turns of a conversation.
 */
import { questionOf } from "../../src/persistence/conversation.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import type { Step } from "../../src/persistence/verify.ts";
import { parseDefinition } from "../../src/job/definition.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import type { Checker } from "../evidence.ts";

/** See the header. */
export const retries: Checker = {
  name: "retries",
  says: "the failure after the last retry ends its state or conversation",
  check: ({ steps }) => {
    const failures = new Map<string, number>();
    let allowed = 0;
    for (const [at, { entry }] of steps.entries()) {
      if (entry.kind === "open") allowed = parseDefinition(entry.body.definition).limits.retries;
      if (entry.kind === "transition") failures.delete(STATE);
      const who = failed(entry);
      if (who === undefined) continue;
      const count = (failures.get(who) ?? 0) + 1;
      failures.set(who, count);
      if (count > allowed && goesOn(who, restOfCommit(steps, at)))
        return `entry ${entry.seq}: ${who} goes on after failure ${count}, and the job allows ${allowed}`;
    }
    return undefined;
  },
};

/** Stands for the present state; no thread has such an id. */
const STATE = "the state";

/** Who has failed once more by an entry. Failed turns of leads are violations as well; proxies are counted in a row, by others. */
function failed(entry: Entry): string | undefined {
  if (entry.kind === "violation") return STATE;
  if (entry.kind !== "turn" || entry.body.result !== "failed") return undefined;
  const { thread } = entry.body;
  return thread.startsWith("state:") || questionOf(thread) !== undefined ? undefined : thread;
}

function restOfCommit(steps: readonly Step[], at: number): readonly Step[] {
  const round = steps[at]?.entry.round;
  const end = steps.findIndex(({ entry }, n) => n > at && entry.round !== round);
  return steps.slice(at, end < 0 ? undefined : end);
}

/** Nothing in the rest of its commit ends it: no notice of FAILURE to the orchestrator, no Terminate on the thread or above. */
function goesOn(who: string, commit: readonly Step[]): boolean {
  if (who === STATE) return !commit.some(({ entry }) => isFailureNotice(entry));
  const after = commit.at(-1)?.after;
  return after !== undefined && !isGoing(after, who);
}

function isFailureNotice(entry: Entry): boolean {
  if (entry.kind !== "post" || !entry.body.thread.startsWith("job:")) return false;
  return entry.body.message.body.includes(`"action":"FAILURE"`);
}

function isGoing(configuration: Configuration, thread: string): boolean {
  for (let at: string | undefined = thread; at !== undefined; at = configuration.parent(at))
    if (configuration.dying(at) || configuration.isClosed(at)) return true;
  return false;
}
