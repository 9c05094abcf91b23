/**
 * From a finished turn to the entries that record it: the turn, the choice of its Run, and what follows.
 *
 * E1. Success is never guessed from text: exit status and record decide; no output and no effect is a failure.
 * E2. A failed turn is a nosend-step marked failed: its outbox is kept aside, its edits are kept.
 * E3. A turn that something has taken the place of is recorded as aborted: its calls and its record count for nothing, what it has
 *     used counts, and who goes on in its thread goes on in its session and with its edits.
 * E4. An outbox that was not written by cfa cannot name a thread that cfa has not minted.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import type { Policy, ThreadId } from "../soup/message.ts";
import { type Broadcast, broadcastOf } from "./broadcast.ts";
import type { Director, View } from "./director.ts";
import { askedAgain } from "./escalation/asked-again.ts";
import { afterCompletion, isConflictMail, unresolved } from "./held.ts";
import type { OutboxEntry } from "./outbox.ts";
import { untoldIn } from "./spending.ts";
import { STATUS_PATH } from "./status-file.ts";
import type { FinishedTurn, TurnPlan } from "./turn.ts";

/** The calls without those that go on with a conversation that never was: nobody but cfa makes the id of a thread (E4). */
function knownCalls(calls: readonly OutboxEntry[], { ledger }: View) {
  const opened = new Set<ThreadId>();
  const entries: OutboxEntry[] = [];
  const strangers: string[] = [];
  for (const call of calls) {
    if (call.verb === "send" && call.opens) opened.add(call.thread);
    if (call.verb !== "send" || opened.has(call.thread) || ledger.threads.has(call.thread))
      entries.push(call);
    else strangers.push(`a send to ${call.to} was ignored: there is no conversation ${call.thread}`);
  }
  return { entries, strangers };
}

/** Why a turn counts as failed; undefined for a good one. */
function failureOf(plan: TurnPlan, finished: FinishedTurn, view: View): string | undefined {
  const { result, entries, outcome, status, changed, completed } = finished;
  if (result.stop !== "ended") return result.failure ?? "it was stopped";
  const resolved = completed !== undefined && "merge" in completed;
  const spoke = result.text.trim() !== "" || entries.length > 0 || outcome !== null;
  const signalled = status !== undefined && "token" in status;
  if (!spoke && !signalled && !changed && !resolved) {
    const last = finished.refusals.at(-1);
    const because = last === undefined ? "" : `; its last call: ${last}`;
    return `it ended without a word and without any effect: nothing printed, sent, recorded or changed${because}`;
  }
  if (completed !== undefined && "unmerged" in completed && wasTold(plan, view)) {
    return stillUnresolved(plan, completed.unmerged, view);
  }
  const { refusals } = view.ledger.thread(plan.run.thread);
  if (plan.run.message.kind === "refusal" && refusals > plan.brief.refusals && entries.length > 0) {
    return `${refusals} of its messages in a row were refused, and it goes on sending`;
  }
  return undefined;
}

/** The turn was about the conflict that its tree holds, or came again after one that was. */
function wasTold({ run, tree }: TurnPlan, { ledger, configuration }: View): boolean {
  const conflict = ledger.conflicts.get(tree);
  if (conflict === undefined) return false;
  const { child } = conflict;
  if (run.message.kind !== "recovery") return isConflictMail(run.message, child);
  const { mailboxes = [] } = configuration.cell(run.thread) ?? {};
  return !mailboxes.some(({ messages }) => [...messages].some((message) => isConflictMail(message, child)));
}

function stillUnresolved({ tree }: TurnPlan, paths: readonly string[], { ledger }: View): string {
  const child = ledger.conflicts.get(tree)?.child ?? tree;
  return `in its tree, ${unresolved({ child, paths }, ledger)}`;
}

/** The entries of a finished turn, in order: remarks, the turn, a completed merge, the choice, what follows. */
export function turnDrafts(
  plan: TurnPlan,
  finished: FinishedTurn,
  view: View,
  director: Director,
  overCap: "refuse" | "wait",
): Draft[] {
  const { run, tree, facts, brief } = plan;
  const { thread } = run;
  const { entries, strangers } = knownCalls(finished.entries, view);
  const failure = failureOf(plan, finished, view);
  const record = view.ledger.thread(thread);
  const nosend: Broadcast = {
    firing: { rule: "nosend-step", at: { A: run.agent, t: thread } },
    files: [],
    optional: [],
  };
  const again = askedAgain(run, entries, facts.policy, view);
  const end = {
    record,
    turn: run.turn,
    entries,
    text: finished.result.text,
    policy: facts.policy,
    answered: again.calls,
    overCap,
    answersTo: brief.answersTo,
  };
  const broadcast = failure === undefined ? broadcastOf(end, view.ledger, view.configuration) : nosend;
  const turn = turnBody(plan, finished, failure, broadcast);
  const strange = !brief.lead && finished.outcome !== null;
  const ignored = strange ? ["its outcome record is ignored: only the lead of a state may write one"] : [];
  const notes = [...finished.refusals, ...finished.problems, ...strangers, ...ignored].map((text) =>
    note("warn", thread, text),
  );
  const stoodIn =
    brief.substitute === null
      ? []
      : [note("info", thread, `${brief.substitute} stood in for ${run.agent}, whose turn before had failed`)];
  const untold = untoldIn(finished.result.usage, brief.spending);
  return [
    ...stoodIn,
    ...notes,
    ...(untold === undefined ? [] : [note("warn", thread, untold)]),
    ...statusNotes(thread, finished, failure),
    { kind: "turn", body: turn },
    ...afterCompletion(tree, thread, finished, view),
    { kind: "fire", body: firingBody(broadcast) },
    ...(failure === undefined ? again.drafts : []),
    ...director.afterTurn(turn, run.message, view),
  ];
}

/** The record of a turn whose Run is no more: an interrupt has taken its place, or its thread is going (E3). */
export function overtakenTurn(
  { run, brief }: TurnPlan,
  { result, commit, millis }: FinishedTurn,
  { configuration }: View,
): Draft {
  const { thread, turn, agent } = run;
  const isGone = configuration.isClosed(thread) || configuration.dying(thread);
  const body: EntryBody<"turn"> = {
    thread,
    turn,
    agent,
    ...(brief.substitute === null ? {} : { by: brief.substitute }),
    result: "aborted",
    failure: isGone ? "its conversation has ended" : "another message has taken its place",
    text: result.text,
    // What a turn has done that ended by itself meanwhile may have completed a merge, which the log does not know.
    commit: isGone || result.stop !== "aborted" ? null : commit,
    session: brief.substitute === null ? result.session : null,
    usage: result.usage,
    outcome: null,
    status: null,
    files: [],
    optional: [],
    millis,
    ...(brief.substitute === null ? {} : { by: brief.substitute }),
  };
  return { kind: "turn", body };
}

/** What the log says of the status file beside the turn: only a turn that did not fail is stopped by it. */
function statusNotes(thread: ThreadId, { status }: FinishedTurn, failure: string | undefined): Draft[] {
  if (status === undefined) return [];
  if ("problem" in status) return [note("warn", thread, status.problem)];
  if (failure === undefined) return [note("info", thread, `${STATUS_PATH} says ${status.token}`)];
  return [note("warn", thread, `${STATUS_PATH} says ${status.token}: not honoured, the turn has failed`)];
}

function note(level: "info" | "warn", thread: ThreadId, text: string): Draft {
  return { kind: "note", body: { level, thread, text } };
}

function firingBody({ firing }: Broadcast): EntryBody<"fire"> {
  const { rule, at, choice } = firing;
  if (choice === undefined) return { rule, at };
  const { ps, ...rest } = choice;
  return { rule, at, choice: ps === undefined ? rest : { ...rest, ps: [...ps] } };
}

/** Answers that count when nobody gives one in time; under `always` none does, whoever has written the outbox. */
function defaultsOf(entries: readonly OutboxEntry[], policy: Policy) {
  if (policy === "always") return [];
  return entries.flatMap((entry) =>
    entry.verb === "ask" && entry.default !== undefined
      ? [{ question: entry.question, ...entry.default }]
      : [],
  );
}

function turnBody(
  { run, brief, facts: { policy } }: TurnPlan,
  finished: FinishedTurn,
  failure: string | undefined,
  broadcast: Broadcast,
): EntryBody<"turn"> {
  const { result, commit, outcome, status, millis } = finished;
  const travelling = broadcast.files.map(({ message, files }) => ({
    message,
    files: files.filter(({ sha256 }) => finished.kept.has(sha256)),
  }));
  const defaults = failure === undefined ? defaultsOf(finished.entries, policy) : [];
  return {
    thread: run.thread,
    turn: run.turn,
    agent: run.agent,
    ...(brief.substitute === null ? {} : { by: brief.substitute }),
    result: failure === undefined ? "ok" : "failed",
    failure: failure ?? null,
    text: result.text,
    commit,
    session: brief.substitute === null ? result.session : null,
    usage: result.usage,
    outcome: failure === undefined && brief.lead ? outcome : null,
    status: failure === undefined && status !== undefined && "token" in status ? status.token : null,
    files: travelling.filter(({ files }) => files.length > 0),
    optional: [...broadcast.optional],
    ...(defaults.length === 0 ? {} : { defaults }),
    ...(result.work === undefined ? {} : { work: result.work }),
    millis,
  };
}
