/**
 * What the orchestrator's instance decides: its broadcast opens and closes the leads of states, and nothing else (CfA §3, §5).
 *
 * O1. It opens the lead of a state exactly when the job enters it, and closes that of the state that is left.
 * O2. A job that is WITHDRAWN or a FAILURE is dropped in the commit that says so; the thread of one that is DONE ends, as done, after
 *     the delivery. Nothing else ends it.
 * O3. A transition is followed in its commit by the choice.
 */
import type { EntryBody } from "../../persistence/entry.ts";
import type { Flaw, Step } from "../../persistence/verify.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { Run } from "../../soup/molecule.ts";
import { isLive } from "../machine.ts";
import type { JobFacts } from "./facts.ts";

const CHOICES: readonly string[] = ["send-step", "nosend-step", "ask-step"];

/** Whether a firing is the choice of the instance on a thread. */
export function isChoiceOn({ rule, at }: EntryBody<"fire">, thread: ThreadId): boolean {
  return CHOICES.includes(rule) && at["t"] === thread;
}

/** The Run on the job's thread. */
export function decider(before: Configuration, { root }: Pick<JobFacts, "root">): Run | undefined {
  return before.cell(root.thread)?.lifecycles.find((one): one is Run => one.kind === "Run");
}

/** Why the choice is not the orchestrator's (O1). `left` is the lead of the state that its commit has left, if any. */
export function undecided(
  { rule, choice }: EntryBody<"fire">,
  before: Configuration,
  facts: JobFacts,
  left: ThreadId | undefined,
): string | undefined {
  const { machine, lead, root, definition, parents } = facts;
  if (rule === "ask-step") return `${root.agent} asks nobody`;
  const { state } = machine;
  const begins = decider(before, facts)?.message.kind === "task";
  const opens = isLive(state) && (left !== undefined || begins) ? definition.states[state].agent : undefined;
  let opened = 0;
  for (const one of choice?.ps ?? []) {
    if (one.kind === "ask") return `${root.agent} asks nobody`;
    if (one.kind === "terminate" && one.thread !== left)
      return `it closes ${one.thread}, which leads no state that its commit has left`;
    if (one.kind !== "deliver") continue;
    opened += 1;
    if (one.thread !== lead || one.agent !== opens || opened > 1)
      return opens === undefined
        ? `its commit enters no state: it opens nothing, and not ${one.thread}`
        : `the job enters ${state}: it opens ${lead} for ${opens}, and nothing else`;
  }
  if (opens !== undefined && opened === 0)
    return `the job enters ${state}: it must open ${lead} for ${opens}`;
  const closes = (choice?.ps ?? []).some(({ kind }) => kind === "terminate");
  const isLeft = left !== undefined && parents.has(left) && (isLive(state) || state === "DONE");
  return isLeft && !closes ? `the job has left the state of ${left}: it must close it` : undefined;
}

/** Why the job's own thread cannot be ended so (O2). `origin` is that of the transition in the commit so far, if any. */
export function misdropped(
  body: EntryBody<"terminate">,
  { root, machine, delivered }: JobFacts,
  origin: string | undefined,
): string | undefined {
  if (body.thread !== root.thread) return undefined;
  if (machine.state === "DONE")
    return delivered && body.mode === "merge" && body.origin === "orchestrator"
      ? undefined
      : `the job is DONE: ${root.thread} ends as done, by the orchestrator, after the delivery`;
  return !isLive(machine.state) && body.mode === "drop" && body.origin === origin
    ? undefined
    : `${root.thread} ends with the job: in the commit by which that is WITHDRAWN or a FAILURE, or after the delivery`;
}

/** A transition without what must follow it in its commit (O2, O3). */
export function unfinished(steps: readonly Step[], { root }: JobFacts): Flaw | undefined {
  const at = steps.findLastIndex(({ entry }) => entry.kind === "transition");
  const transition = steps[at]?.entry;
  if (transition?.kind !== "transition") return undefined;
  const rest = steps.slice(at + 1).map(({ entry }) => entry);
  const { seq } = transition;
  if (!rest.some((entry) => entry.kind === "fire" && isChoiceOn(entry.body, root.thread)))
    return { seq, problem: `its commit must go on with the choice of the orchestrator on ${root.thread}` };
  const { to } = transition.body;
  const dropped = rest.some((entry) => entry.kind === "terminate" && entry.body.thread === root.thread);
  if ((to === "WITHDRAWN" || to === "FAILURE") && !dropped)
    return { seq, problem: `the job is ${to}: its commit must go on with the end of ${root.thread}` };
  return undefined;
}
