/**
 * Transitions: each is the machine's, and takes what the message that the orchestrator's instance works on asks for.
 *
 * V1. A transition starts where the job stands, leads where its action leads, and counts backtracks (CfA §3).
 * V2. It repeats the notice that is worked on; one of a skill repeats the outcome record of the lead, and says what that says.
 * V3. Without a notice it is FAILURE, of a state that cannot be opened, or the approval of an artifact that came with the job: on the
 *     request, before the first state, as the definition says where the job starts.
 * V4. A backtrack beyond `limits.backtracks` is a FAILURE in its place.
 */
import type { EntryBody } from "../../persistence/entry.ts";
import type { Configuration } from "../../soup/configuration.ts";
import { approvalsBefore, isAction, isBacktrack, type JobRecord, step } from "../machine.ts";
import type { Notice } from "../notice.ts";
import { decider } from "./decisions.ts";
import { type JobFacts, originOf } from "./facts.ts";
import { groundless, readNotice } from "./notices.ts";

/** Why a transition cannot stand where it does; `facts` are those before it. */
export function mistaken(
  body: EntryBody<"transition">,
  before: Configuration,
  facts: JobFacts,
): string | undefined {
  const { from, action, to, reason, origin, backtracks } = body;
  const { machine } = facts;
  if (from !== machine.state) return `it leaves ${from}, and the job is in ${machine.state}`;
  if (!isAction(action)) return `${action} is no action of a job`;
  const next = step(machine, action, { reason, origin: originOf(origin) });
  if ("refused" in next) return next.refused;
  if (to !== next.record.state) return `${action} leads to ${next.record.state}, not to ${to}`;
  if (backtracks !== next.record.backtracks)
    return `it counts ${backtracks} backtracks, and there are ${next.record.backtracks}`;
  const { backtracks: limit } = facts.definition.limits;
  if (isBacktrack(machine.state, next.record.state) && machine.backtracks >= limit)
    return `${limit} backtracks are allowed, and have been: it must be FAILURE`;
  return (origin === "skill" ? groundless(body, facts) : undefined) ?? unasked(body, before, facts);
}

/** Why nothing that the instance works on asks for it (V2, V3). */
function unasked(body: EntryBody<"transition">, before: Configuration, facts: JobFacts): string | undefined {
  const message = decider(before, facts)?.message;
  if (message === undefined) return `it needs ${facts.root.agent} at work on ${facts.root.thread}`;
  if (message.kind === "task") return notGiven(body, facts);
  if (message.kind === "refusal")
    return isFailure(body) ? undefined : "its state cannot be opened: FAILURE follows";
  const notice = readNotice(message);
  if (notice === undefined) return `message ${message.id} asks for no action`;
  return isTaken(body, notice) || isBounded(body, notice, facts.machine, facts.definition.limits.backtracks)
    ? undefined
    : `message ${message.id} asks for ${notice.action}, of the ${notice.origin}: ${notice.reason}`;
}

function notGiven({ action, origin, record }: EntryBody<"transition">, facts: JobFacts): string | undefined {
  const { start } = facts.definition;
  const wanted = approvalsBefore(start)[facts.machine.history.length];
  return action === wanted && origin === "human" && record === null
    ? undefined
    : `before the first state an approval stands for an artifact that came with the job, which starts in ${start}`;
}

function isFailure({ action, origin }: EntryBody<"transition">): boolean {
  return action === "FAILURE" && originOf(origin) === "orchestrator";
}

function isTaken(body: EntryBody<"transition">, notice: Notice): boolean {
  return (
    body.action === notice.action &&
    body.reason === notice.reason &&
    body.record === notice.record &&
    originOf(body.origin) === notice.origin
  );
}

/** FAILURE in the place of a backtrack (V4). */
function isBounded(
  body: EntryBody<"transition">,
  { action, reason, origin, record }: Notice,
  machine: JobRecord,
  limit: number,
): boolean {
  if (!isFailure(body) || body.record !== record || machine.backtracks < limit) return false;
  const asked = step(machine, action, { reason, origin });
  return "record" in asked && isBacktrack(machine.state, asked.record.state);
}
