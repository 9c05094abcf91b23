/**
 * From a turn's outbox to the choice of its Run: send-step, nosend-step or ask-step (docs/rules.md).
 *
 * C1. An untouched outbox is nosend-step, `none` alone is send-step with [], exactly one ask and nothing else is
 *     ask-step; anything else is send-step in the order of the calls.
 * C2. Nobody is left waiting: a dispatched child that said nothing to its parent, asked nothing and has no child that
 *     owes it a reply, and may still give it, sends its final text.
 * C3. Ids are minted from thread serial, turn and call, so a turn that is run again mints the same.
 */
import type { Firing } from "../rules/fire.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { Message, Payload, Policy, QuestionId, ThreadId } from "../soup/message.ts";
import { restsInFailure } from "./failed-work.ts";
import type { Ledger } from "./ledger.ts";
import type { ThreadRecord } from "./thread-record.ts";
import type { OutboxEntry } from "./outbox.ts";
import type { NamedFile } from "./workspaces/port.ts";

/** What a turn said, as the engine takes it up. */
export type Broadcast = {
  readonly firing: Firing;
  /** Files that travel with a message, by message id. */
  readonly files: readonly { readonly message: string; readonly files: readonly NamedFile[] }[];
  readonly optional: readonly ThreadId[];
};

/** What the choice depends on. */
export type TurnEnd = {
  readonly record: ThreadRecord;
  readonly turn: number;
  readonly entries: readonly OutboxEntry[];
  readonly text: string;
  readonly policy: Policy;
  /** Questions that have their answer already (escalation/asked-again.ts). */
  readonly answered: ReadonlySet<QuestionId>;
  readonly overCap: "refuse" | "wait";
  /** The parent to which the child replies; null for a state lead. */
  readonly answersTo: ThreadId | null;
};

/** The choice of a Run whose turn has ended well. */
export function broadcastOf(end: TurnEnd, ledger: Ledger, configuration: Configuration): Broadcast {
  const { record, entries } = end;
  const files: { message: string; files: readonly NamedFile[] }[] = [];
  const optional: ThreadId[] = [];
  let payloads = entries.flatMap((entry, at): Payload[] => {
    const id = `m${record.serial}.${end.turn}.${at + 1}`;
    switch (entry.verb) {
      case "none":
      case "respond":
        return [];
      case "close":
        return [{ kind: "terminate", thread: entry.thread }];
      case "ask":
        if (end.answered.has(entry.question)) return [];
        return [
          {
            kind: "ask",
            question: entry.question,
            text: messageOf(id, record, "task", entry.text),
            policy: end.policy,
          },
        ];
      case "send": {
        if (entry.files.length > 0) files.push({ message: id, files: entry.files });
        if (entry.optional) optional.push(entry.thread);
        const kind = entry.thread === record.parent ? "reply" : "task";
        return [
          {
            kind: "deliver",
            agent: entry.to,
            thread: entry.thread,
            message: messageOf(id, record, kind, entry.message),
          },
        ];
      }
    }
  });
  const reply = silentReply(end, ledger, configuration);
  if (reply !== undefined) payloads.push(reply);
  if (end.overCap === "wait") payloads = sparksLater(payloads, end, ledger, configuration);
  const at = { A: record.agent, t: record.thread };
  const [only] = payloads;
  if (only?.kind === "ask" && payloads.length === 1) {
    const choice = { e: only.question, x: only.text, π: only.policy };
    return { firing: { rule: "ask-step", at, choice }, files, optional };
  }
  if (payloads.length === 0 && entries.length === 0)
    return { firing: { rule: "nosend-step", at }, files, optional };
  return { firing: { rule: "send-step", at, choice: { ps: payloads } }, files, optional };
}

function messageOf(id: string, record: ThreadRecord, kind: Message["kind"], body: string): Message {
  return { id, from: { agent: record.agent, thread: record.thread }, kind, body };
}

/** The final text as reply to the parent, when the turn leaves it waiting otherwise (C2). */
function silentReply(end: TurnEnd, ledger: Ledger, configuration: Configuration): Payload | undefined {
  const { record, entries, answersTo } = end;
  if (answersTo === null) return undefined;
  const explicit = entries.some(
    (entry) =>
      entry.verb === "none" || entry.verb === "ask" || (entry.verb === "send" && entry.thread === answersTo),
  );
  const asking = (configuration.cell(record.thread)?.questions.length ?? 0) > 0;
  if (explicit || asking || waitsForChild(end, ledger, configuration)) return undefined;
  const message = messageOf(
    `m${record.serial}.${end.turn}.0`,
    record,
    "reply",
    end.text === "" ? "(finished without a word)" : end.text,
  );
  return { kind: "deliver", agent: ledger.thread(answersTo).agent, thread: answersTo, message };
}

/** A child that stays open owes a reply, or is sent to in this very turn. */
function waitsForChild(end: TurnEnd, ledger: Ledger, configuration: Configuration): boolean {
  const closing = new Set(end.entries.flatMap((entry) => (entry.verb === "close" ? [entry.thread] : [])));
  if (end.entries.some((entry) => entry.verb === "send" && !closing.has(entry.thread))) return true;
  for (const child of configuration.children(end.record.thread)) {
    const owes = ledger.thread(child).owes && !restsInFailure(child, { ledger, configuration });
    if (!closing.has(child) && !configuration.dying(child) && owes) return true;
  }
  return false;
}

/**
 * `over_cap: wait`: a spark over the cap goes behind the closes that free a slot for it, and with it what the turn says
 * to the same thread; all else keeps its order. What no close makes room for comes last, and is refused.
 */
function sparksLater(payloads: readonly Payload[], { record }: TurnEnd, ledger: Ledger, at: Configuration) {
  const result: Payload[] = [];
  const opened = new Set<ThreadId>();
  let waiting: Payload[] = [];
  let open = at.openChildren(record.thread);
  const isOpen = (one: ThreadId) => at.parent(one) === record.thread && !at.dying(one);
  const admit = (queue: readonly Payload[]): void => {
    for (const one of queue) {
      const thread = one.kind === "ask" ? undefined : one.thread;
      const sparks = one.kind === "deliver" && !ledger.threads.has(one.thread) && !opened.has(one.thread);
      const behind = waiting.some((other) => other.kind !== "ask" && other.thread === thread);
      if (behind || (sparks && open >= at.facts.cap)) {
        waiting.push(one);
        continue;
      }
      result.push(one);
      if (sparks) {
        opened.add(one.thread);
        open += 1;
      }
      if (one.kind !== "terminate" || !(isOpen(one.thread) || opened.has(one.thread))) continue;
      open -= 1;
      const again = waiting;
      waiting = [];
      admit(again);
    }
  };
  admit(payloads);
  return [...result, ...waiting];
}
