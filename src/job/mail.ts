/**
 * What the orchestrator writes: the tasks of state leads, corrective mail, recovery mail, and the prompt as an agent
 * reads it.
 *
 * P1. A message's id is made from thread and turn, so that a message posted again is the same message.
 * P2. An agent reads the body of its message below one line that names kind and sender; a first task has no such line.
 */
import type { EntryBody } from "../persistence/entry.ts";
import type { Message, ThreadId } from "../soup/message.ts";
import type { JobDefinition } from "./definition.ts";
import { type JobState, type LiveState, skillOutcomes, type Transition } from "./machine.ts";

/** Name of the orchestrator's agent. */
export const ORCHESTRATOR = "orchestrator";

/** Which artifact a state makes. */
export const ARTIFACT_OF = { INTENT: "intent", PLAN: "plan", EXECUTE: "summary" } as const;

/** A message from the orchestrator's thread. */
export function fromOrchestrator(job: string, id: string, kind: Message["kind"], body: string): Message {
  return { id, from: { agent: ORCHESTRATOR, thread: `job:${job}` }, kind, body };
}

/** The task with which the lead of a state starts. */
export function leadTask(definition: JobDefinition, state: LiveState, cause: Transition | undefined): string {
  const { request, artifacts, states } = definition;
  const lines = [
    request,
    "",
    `State: ${state}. Skill: ${states[state].skill}.`,
    `Artifacts: ${Object.entries(artifacts)
      .map(([key, name]) => `${key} ${name}`)
      .join(", ")}. This state makes ${artifacts[ARTIFACT_OF[state]]}.`,
    `End the state with: cfa outcome NAME --reason TEXT, NAME one of ${skillOutcomes(state).join(", ")}.`,
  ];
  if (cause !== undefined)
    lines.push(`You are here because of ${cause.action} from ${cause.from}: ${cause.reason}`);
  return lines.join("\n");
}

/** The message as an agent reads it (P2). */
export function promptOf(message: Message): string {
  const from = message.from === null ? "" : ` from ${message.from.agent} on ${message.from.thread}`;
  switch (message.kind) {
    case "task":
      return message.body;
    case "answer":
      return `[answer to your question ${message.re ?? ""}]\n${message.body}`;
    case "refusal":
      return `[refused]\n${message.body}`;
    case "reply":
    case "recovery":
    case "human":
    case "control":
      return `[${message.kind}${from}]\n${message.body}`;
  }
}

/** What a prompt says below its message while the tree of the turn holds a conflict; `what` is unresolved there. */
export function conflictRemark(what: string): string {
  return `[in your tree, ${what}: edit until no conflict markers are left (for a file without markers change it, or run \`cfa resolve PATH\`); cfa completes it when your turn ends; a rebase or a pick goes on with git]`;
}

/** What a prompt says below a message for an agent that stands in for `agent`, in a conversation that `task` has opened. */
export function standInRemark(agent: string, task: string): string {
  return `[you stand in for ${agent}, whose last turn failed; this conversation was opened with the message below]\n${task}`;
}

/** What a prompt says below a message that has taken the place of another one (CfA §8). */
export function abandonedRemark(lost: Message): string {
  return [
    "[abandoned: your turn on the message below was stopped for this one; its calls were not carried out, its edits are kept]",
    promptOf(lost),
  ].join("\n");
}

/** Mail after a failed turn: what failed, and the message that was lost. */
export function recoveryMail(job: string, turn: EntryBody<"turn">, lost: Message, left: number): Message {
  const tries =
    left === 0
      ? "This is the last try."
      : `${left} more failed ${left === 1 ? "turn is" : "turns are"} allowed.`;
  const body = [
    `Your last turn failed: ${turn.failure ?? "no reason was given"}. Its calls were not carried out; its edits are kept. ${tries}`,
    "The message it was working on:",
    "",
    promptOf(lost),
  ].join("\n");
  const message = fromOrchestrator(job, `recovery:${turn.thread}:${turn.turn}`, "recovery", body);
  return lost.re === undefined ? message : { ...message, re: lost.re };
}

/** Mail to a parent whose child failed for good; `report` is what it says of that itself, or empty. */
export function failureMail(job: string, child: ThreadId, agent: string, why: string, report = ""): Message {
  const body = `${agent} on ${child} has failed for good and was ended; its work is not merged: ${why}. Acknowledge it with: cfa close ${child}`;
  return fromOrchestrator(job, `failed:${child}`, "control", withReport(body, report));
}

/** Mail to the parent of a file-based agent whose failure the parent is to deal with: the conversation is open, and rests. */
export function failedWorkMail(
  job: string,
  { thread, agent }: { readonly thread: ThreadId; readonly agent: string },
  turn: EntryBody<"turn">,
  why: string,
  left: number,
): Message {
  const tries =
    left === 0 ? "the next failure ends it" : `it may fail ${left} more ${left === 1 ? "time" : "times"}`;
  const body = `${agent} on ${thread} has failed: ${why}. Correct what it was given and write to it (cfa send --to ${agent} --thread ${thread}; ${tries}), or skip it and go on without: cfa close ${thread}`;
  return fromOrchestrator(job, `failed:${thread}:${turn.turn}`, "control", withReport(body, reportOf(turn)));
}

/** The error report of a failed file-based turn, or empty. */
export function reportOf({ work, text }: EntryBody<"turn">): string {
  return work === undefined ? "" : text;
}

function withReport(body: string, report: string): string {
  return report === "" ? body : `${body}\n\n${report}`;
}

/** Mail to the parent of a child that a person has withdrawn. */
export function withdrawnMail(job: string, child: ThreadId, agent: string, why: string): Message {
  const body = `A person has withdrawn ${agent} on ${child}, with everything below it: ${why}. Its work is not merged.`;
  return fromOrchestrator(job, `withdrawn:${child}`, "control", body);
}

/** Mail to the parent of a child that has stopped itself by its status file. */
export function stoppedMail(
  job: string,
  child: ThreadId,
  agent: string,
  turn: number,
  says: string,
): Message {
  const body = `${agent} on ${child} has stopped itself: ${says}. It rests until you write to it (cfa send --to ${agent} --thread ${child}) or close it (cfa close ${child}).`;
  return fromOrchestrator(job, `status:${child}:${turn}`, "control", body);
}

/** Mail to a lead whose status file had parked the job. */
export function resumedMail(job: string, lead: ThreadId, turn: number, says: string): Message {
  const body = `You stopped with ${says}; a person has resumed the job. Go on, and end the state with an outcome.`;
  return fromOrchestrator(job, `resumed:${lead}:${turn}`, "control", body);
}

/** Corrective mail after a state-level failure, or a nudge. */
export function correctiveMail(
  job: string,
  lead: ThreadId,
  turn: number,
  n: number,
  problem: string,
  left: number,
): Message {
  const tries =
    left === 0
      ? "This is the last try."
      : `${left} more ${left === 1 ? "failure is" : "failures are"} allowed.`;
  return fromOrchestrator(job, `correct:${lead}:${turn}:${n}`, "control", `${problem}. ${tries}`);
}

/** First line of the commit that `deliver: pr-ready` makes, where there is no summary. */
export function deliveryMessage(definition: JobDefinition, state: JobState): string {
  return `${definition.name}: ${definition.request.split("\n")[0] ?? state}`;
}
