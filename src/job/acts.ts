/**
 * What a person's act does to a job: withdraw, interrupt, tell, pause, resume, fork. Answers are the scheduler's.
 *
 * B1. An act on a job or thread that has ended changes nothing and says so.
 * B2. What is meant for the job goes to the lead of its present state; between two states it waits for the next lead. A redirection waits
 *     while its agent is between asking and being idle.
 */
import type { Draft } from "../persistence/entry.ts";
import type { InboxItem } from "../persistence/ports.ts";
import type { View } from "../runtime/director.ts";
import type { Message, ThreadId } from "../soup/message.ts";
import { withdrawnMail } from "./mail.ts";
import { noticeDraft } from "./notice.ts";
import { isOver, leadOf, type StateRecord } from "./state-record.ts";

/** The entries that an act asks for, and what came of it. */
export type ActResult = { readonly drafts: readonly Draft[]; readonly result: string };

/** What an act does; see the header. Undefined when it has to wait (B2). */
export function actOf(record: StateRecord, item: InboxItem, view: View): ActResult | undefined {
  if (item.verb === "fork") return forkAct(item);
  if (isOver(record)) return refused(`the job has ended: ${record.machine.state}`);
  switch (item.verb) {
    case "withdraw":
      return isOfJob(record, item) ? withdrawJob(record, item) : withdrawThread(record, item, view);
    case "interrupt":
    case "tell":
      return mail(record, item, view);
    case "pause":
      return record.parked === null
        ? {
            drafts: [{ kind: "park", body: { parked: true, why: item.text, origin: "human" } }],
            result: "paused",
          }
        : refused(`the job is parked already: ${record.parked}`);
    case "resume":
      return record.parked === null
        ? refused("the job is not parked")
        : {
            drafts: [{ kind: "park", body: { parked: false, why: item.text, origin: "human" } }],
            result: "resumed",
          };
    case "resolve":
    case "answer":
      return refused(`${item.verb} is not an act on a job`);
  }
}

/** A fork changes nothing in the job that it was made of; the act tells of it, whether the job has ended or not. */
export function forkAct({ target, text }: Pick<InboxItem, "target" | "text">): ActResult {
  return { drafts: [], result: `job ${text} goes on from entry ${target}` };
}

/**
 * Why nobody can be interrupted, told or withdrawn on the thread, as a sentence; undefined when somebody is there. The
 * empty thread is the job.
 */
export function absence(
  record: StateRecord,
  thread: ThreadId,
  { ledger, configuration }: Pick<View, "ledger" | "configuration">,
): string | undefined {
  if (isOver(record)) return `the job has ended: ${record.machine.state}`;
  if (thread === "") return undefined;
  if (thread.startsWith("escalation:"))
    return `${thread} is a question: answer it, or write to who has asked`;
  const target = ledger.threads.get(thread);
  if (target === undefined) return `there is no conversation ${thread}`;
  return target.closed || configuration.dying(thread) ? `${thread} has ended` : undefined;
}

function isOfJob(record: StateRecord, { target }: InboxItem): boolean {
  return target === "" || target === `job:${record.job}`;
}

function withdrawJob(record: StateRecord, item: InboxItem): ActResult {
  const notice = { action: "WITHDRAW", reason: item.text, origin: "human", record: null } as const;
  return { drafts: [noticeDraft(record.job, item.id, notice)], result: "withdrawn" };
}

/** Ends a dispatched conversation with everything below it; whoever opened it is told. */
function withdrawThread(record: StateRecord, { target, text }: InboxItem, view: View): ActResult {
  const missing = absence(record, target, view) ?? notWithdrawable(record, target);
  if (missing !== undefined) return refused(missing);
  const { parent, agent } = view.ledger.thread(target);
  const end: Draft = {
    kind: "terminate",
    body: { thread: target, mode: "drop", reason: text, origin: "human" },
  };
  if (parent === undefined || view.configuration.dying(parent)) return { drafts: [end], result: "withdrawn" };
  const to = { agent: view.ledger.thread(parent).agent, thread: parent };
  const message = withdrawnMail(record.job, target, agent, text);
  return {
    drafts: [end, { kind: "post", body: { ...to, message, head: false, origin: "orchestrator" } }],
    result: "withdrawn",
  };
}

/** Why a thread cannot be withdrawn by itself: without its lead a state could not go on. */
export function notWithdrawable(record: StateRecord, thread: ThreadId): string | undefined {
  return thread === leadOf(record)
    ? `${thread} leads the state: withdraw the job, without --thread`
    : undefined;
}

function mail(record: StateRecord, item: InboxItem, view: View): ActResult | undefined {
  const { ledger, configuration } = view;
  const ofJob = isOfJob(record, item);
  const thread = ofJob ? leadOf(record) : item.target;
  const missing = absence(record, thread, view);
  if (missing !== undefined) return ofJob ? undefined : refused(missing);
  const message: Message = { id: item.id, from: null, kind: "human", body: item.text };
  if (item.verb === "interrupt") {
    const lifecycles = configuration.cell(thread)?.lifecycles ?? [];
    if (lifecycles.length === 0) return undefined;
    const run = lifecycles.find(({ kind }) => kind === "Run");
    const abandons = run?.kind === "Run" ? { abandons: run.message } : {};
    return {
      drafts: [{ kind: "interrupt", body: { thread, message, origin: "human", ...abandons } }],
      result: "interrupted",
    };
  }
  const { agent } = ledger.thread(thread);
  return {
    drafts: [{ kind: "post", body: { agent, thread, message, head: false, origin: "human" } }],
    result: "delivered",
  };
}

function refused(result: string): ActResult {
  return { drafts: [], result };
}
