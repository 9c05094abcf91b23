/**
 * Notices: the mail by which the orchestrator's instance is asked to take an action, each with its ground (CfA §4, §5).
 *
 * N1. Besides the request, what is posted to the job's thread is a notice.
 * N2. One of a skill repeats the newest outcome record of the lead, which no failure has used up, and comes while the job goes on.
 * N3. An approval comes when the lead is at rest (Idle, no mail, nobody interrupts it), no thread is left below it, every tree has
 *     left, the job's tree holds no conflict, and no child has failed that it has not closed, unless it was optional.
 * N4. One of a person is WITHDRAW, by an accepted act on the job before it in its commit, with the words of that act.
 * N5. One of the orchestrator is FAILURE: after a violation in its commit that the budget of the state does not cover, or when the
 *     deadline of the job has passed.
 * N6. A hold is one of an approval of the lead's record.
 */
import { z } from "zod";
import type { EntryBody } from "../../persistence/entry.ts";
import type { Step } from "../../persistence/verify.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { Message } from "../../soup/message.ts";
import { isLive } from "../machine.ts";
import { type Notice, noticeSchema } from "../notice.ts";
import { judgeRecord } from "../outcome.ts";
import type { JobFacts } from "./facts.ts";
import type { TreeFacts } from "./trees.ts";

/** What the commit so far holds that a notice may rest on. */
export type Grounds = {
  readonly acts: readonly EntryBody<"act">[];
  readonly violation: EntryBody<"violation"> | undefined;
};

const jsonSchema = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
    return z.NEVER;
  }
});

/** The notice in a message, wherever it comes from; undefined when it is none. */
export function readNotice({ id, kind, body }: Message): Notice | undefined {
  if (kind !== "control" || !id.startsWith("notice:")) return undefined;
  return jsonSchema.pipe(noticeSchema).safeParse(body).data;
}

/** Why mail to the job's thread is not to be there; `facts` and `trees` are those before it. */
export function misnoticed(
  step: Step,
  facts: JobFacts,
  trees: TreeFacts,
  grounds: Grounds,
): string | undefined {
  const { entry, before } = step;
  if (entry.kind !== "post" || entry.body.thread !== facts.root.thread) return undefined;
  const { message } = entry.body;
  // The request stands in the first commit, and against-definition.ts looks at it.
  if (entry.round === 1) return undefined;
  const notice = readNotice(message);
  if (notice === undefined) return `mail to ${facts.root.thread} must be a notice`;
  switch (notice.origin) {
    case "skill":
      return ofSkill(notice, before, facts, trees);
    case "human":
      return ofHuman(notice, message, facts, grounds);
    case "orchestrator":
      return ofOrchestrator(notice, facts, grounds, entry.at);
  }
}

function ofSkill(
  notice: Notice,
  before: Configuration,
  facts: JobFacts,
  trees: TreeFacts,
): string | undefined {
  if (facts.parked) return "the job is parked: nothing of its lead is taken until it is resumed";
  return (
    groundless(notice, facts) ??
    (notice.action.startsWith("APPROVED_") ? unready(before, facts, trees) : undefined)
  );
}

/** Why the record that is named is not the ground of what is taken from it (N2). */
export function groundless(
  { action, reason, record }: Pick<EntryBody<"transition">, "action" | "reason" | "record">,
  { records, lead, machine }: JobFacts,
): string | undefined {
  const { state } = machine;
  if (!isLive(state)) return `the job is ${state}: nobody leads it any more`;
  if (record === null || record !== records.get(lead))
    return `it needs the outcome record that the newest turn of ${lead} has left, and repeats another`;
  const verdict = judgeRecord(state, record);
  if (verdict.verdict === "action" && verdict.action === action && verdict.reason === reason)
    return undefined;
  return `its record says ${verdict.verdict === "action" ? `${verdict.action}: ${verdict.reason}` : verdict.verdict}`;
}

/** Why an approval comes too early (N3). */
function unready(before: Configuration, facts: JobFacts, trees: TreeFacts): string | undefined {
  const { lead, root } = facts;
  const [open] = before.children(lead);
  if (open !== undefined)
    return `an approval waits until every child of ${lead} has ended, and ${open} is open`;
  const [failed] = facts.failedBelow(lead);
  if (failed !== undefined)
    return `${failed} has failed, and ${lead} has not closed it: it holds the approval`;
  if (!isAtRest(before, lead)) return `an approval waits until ${lead} is Idle and has read its mail`;
  const [unreleased] = trees.unreleased;
  if (unreleased !== undefined) return `an approval waits until the tree of ${unreleased} has left: release`;
  const conflict = trees.conflicts.get(root.thread);
  return conflict === undefined
    ? undefined
    : `an approval waits until the conflict with the work of ${conflict} is resolved`;
}

function isAtRest(configuration: Configuration, thread: string): boolean {
  const cell = configuration.cell(thread);
  return (
    cell?.lifecycles.length === 1 &&
    cell.lifecycles[0]?.kind === "Idle" &&
    cell.mailboxes.every(({ messages }) => messages.length === 0) &&
    cell.interrupts.length + cell.terminates.length === 0
  );
}

function ofHuman(
  { action, reason, record }: Notice,
  { id }: Message,
  { root }: JobFacts,
  { acts }: Grounds,
): string | undefined {
  const isGiven = acts.some(
    (act) =>
      act.verb === "withdraw" &&
      act.result === "withdrawn" &&
      (act.target === "" || act.target === root.thread) &&
      act.text === reason &&
      id === `notice:${act.id}`,
  );
  return action === "WITHDRAW" && record === null && isGiven
    ? undefined
    : "it needs the act of a person before it in its commit that withdraws the job with this reason, and was accepted";
}

function ofOrchestrator(
  { action }: Notice,
  facts: JobFacts,
  { violation }: Grounds,
  at: string,
): string | undefined {
  if (action !== "FAILURE") return `the orchestrator asks for FAILURE alone, not for ${action}`;
  if (violation !== undefined) return undefined;
  const { deadline } = facts.definition;
  return deadline !== null && Date.parse(at) >= facts.openedAt + deadline
    ? undefined
    : "it needs a violation before it in its commit that the budget of the state does not cover, or a deadline that has passed";
}

/** Why an approval cannot be held (N6). */
export function misheld({ action, reason, record }: EntryBody<"hold">, facts: JobFacts): string | undefined {
  if (action === null) return undefined;
  if (!action.startsWith("APPROVED_")) return `${action} is no approval, and nothing else is held`;
  return groundless({ action, reason, record }, facts);
}
