/**
 * Failures of a state (docs/job.md, "Failures"): counted one by one, and FAILURE exactly when the budget is spent.
 *
 * B1. A violation is of the lead of the present state, counts one more than the one before it, and has its ground: there are no more of
 *     them than turns of the lead that have ended, but where the state has a time-out or `max_turns` are used up.
 * B2. One that the budget does not cover (`retries`, or a lead that has had `max_turns`) goes on in its commit with the notice of
 *     FAILURE; after one that it does cover none comes, but mail to the lead.
 * B3. The orchestrator ends a thread below the job as failed in the commit of the failed turn of it that its budget does not cover
 *     (a file-based agent may give up before), and as done while it holds an approval; no agent ends one.
 */
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { Flaw, Step } from "../../persistence/verify.ts";
import type { JobFacts } from "./facts.ts";
import { readNotice } from "./notices.ts";
import type { ThreadId } from "../../soup/message.ts";
import { isLive } from "../machine.ts";
import { isOfFiles } from "./consequences.ts";

/** Why a violation cannot stand where it does (B1). */
export function miscounted(
  { state, thread, failures }: EntryBody<"violation">,
  facts: JobFacts,
): string | undefined {
  if (state !== facts.machine.state) return `it is of ${state}, and the job is in ${facts.machine.state}`;
  const next = facts.failures + 1;
  if (failures !== next) return `it counts ${failures} failures, and this is number ${next} of its state`;
  if (thread !== facts.lead) return `${facts.lead} leads ${state}, not ${thread}`;
  if (!isLive(facts.machine.state)) return `the job is ${state}: nothing of it fails any more`;
  const { states, limits } = facts.definition;
  const ended = facts.turns.get(thread) ?? 0;
  const hasGround =
    ended >= failures || ended >= limits.max_turns || states[facts.machine.state].state_timeout !== null;
  return hasGround
    ? undefined
    : `it counts ${failures} failures, and ${ended} turns of ${thread} have ended: it has no ground`;
}

/** A violation without what follows from it (B2). `facts` are those after the commit, whose state it does not leave. */
export function unanswered(steps: readonly Step[], facts: JobFacts): Flaw | undefined {
  const at = steps.findIndex(({ entry }) => entry.kind === "violation");
  const violation = steps[at]?.entry;
  if (violation?.kind !== "violation") return undefined;
  const { failures, thread } = violation.body;
  const { retries, max_turns } = facts.definition.limits;
  const isSpent = failures > retries || (facts.turns.get(thread) ?? 0) >= max_turns;
  const fails = steps.slice(at + 1).some(({ entry }) => isFailure(entry, facts));
  const isTold = steps.slice(at + 1).some(({ entry }) => isMailTo(entry, thread));
  if (!isSpent && !fails && !isTold)
    return {
      seq: violation.seq,
      problem: `failure ${failures} is within the budget of the state: its commit must tell ${thread}`,
    };
  if (isSpent === fails) return undefined;
  const problem = isSpent
    ? `failure ${failures} is more than the budget of the state covers: its commit must go on with the notice of FAILURE`
    : `failure ${failures} is within the budget of the state: no FAILURE follows from it`;
  return { seq: violation.seq, problem };
}

function isMailTo(entry: Entry, thread: ThreadId): boolean {
  return entry.kind === "post" && entry.body.thread === thread && entry.body.origin === "orchestrator";
}

function isFailure(entry: Entry, { root }: JobFacts): boolean {
  if (entry.kind !== "post" || entry.body.thread !== root.thread) return false;
  return readNotice(entry.body.message)?.action === "FAILURE";
}

/** Why a thread below the job cannot be ended so (B3). `failed` are the turns that have failed in the commit so far, by thread. */
export function misended(
  { thread, mode, origin }: EntryBody<"terminate">,
  facts: JobFacts,
  failed: ReadonlyMap<ThreadId, EntryBody<"turn">>,
): string | undefined {
  const { root, held, definition, failedTurns } = facts;
  if (thread === root.thread || origin === "human") return undefined;
  if (origin === "skill") return "no agent ends a thread from outside; it closes one of its own";
  if (mode === "drop") {
    const turn = failed.get(thread);
    if (turn === undefined) return `it needs the failed turn of ${thread} before it in its commit`;
    const failures = failedTurns.get(thread) ?? 0;
    return failures > definition.limits.retries || isOfFiles(turn, facts)
      ? undefined
      : `failure ${failures} of ${thread} is within its budget: it is tried again`;
  }
  return held ? undefined : `${thread} is ended as done only while an approval is held`;
}
