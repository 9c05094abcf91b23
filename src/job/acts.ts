/**
 * What a person's act does to a job: withdraw, interrupt, tell, pause, resume, fork. Answers are the scheduler's.
 *
 * B1. An act on a job or thread that has ended changes nothing and says so.
 */
import type { Draft } from "../persistence/entry.ts";
import type { InboxItem } from "../persistence/ports.ts";
import type { View } from "../runtime/director.ts";
import type { Message, ThreadId } from "../soup/message.ts";
import { noticeDraft } from "./notice.ts";
import { isOver, leadOf, type StateRecord } from "./state-record.ts";

/** The entries that an act asks for, and what came of it. */
export type ActResult = { readonly drafts: readonly Draft[]; readonly result: string };

/** What an act does; see the header. */
export function actOf(record: StateRecord, item: InboxItem, view: View): ActResult {
  if (item.verb === "fork") return forkAct(item);
  if (isOver(record)) return refused(`the job has ended: ${record.machine.state}`);
  switch (item.verb) {
    case "withdraw":
      return {
        drafts: [
          noticeDraft(record.job, item.id, {
            action: "WITHDRAW",
            reason: item.text,
            origin: "human",
            record: null,
          }),
        ],
        result: "withdrawn",
      };
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

function mail(record: StateRecord, item: InboxItem, view: View): ActResult {
  const root: ThreadId = `job:${record.job}`;
  const thread = item.target === "" || item.target === root ? leadOf(record) : item.target;
  const target = view.ledger.threads.get(thread);
  if (target === undefined) return refused(`there is no conversation ${thread}`);
  if (target.closed || view.configuration.dying(thread)) return refused(`${thread} has ended`);
  const message: Message = { id: item.id, from: null, kind: "human", body: item.text };
  if (item.verb === "interrupt") {
    return {
      drafts: [{ kind: "interrupt", body: { thread, message, origin: "human" } }],
      result: "interrupted",
    };
  }
  const { agent } = target;
  return {
    drafts: [{ kind: "post", body: { agent, thread, message, head: false, origin: "human" } }],
    result: "delivered",
  };
}

function refused(result: string): ActResult {
  return { drafts: [], result };
}
