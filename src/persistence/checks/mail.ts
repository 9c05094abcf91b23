/**
 * Mail: every message bears the name of who sent it, and is sent once (CfA §5).
 *
 * E1. What an instance broadcasts or asks is from itself: agent and thread of the firing. To its parent it replies, to anybody else
 *     it gives a task.
 * E2. Mail of a person and of the engine has no sender, that of the orchestrator is from the thread of the job; no agent posts.
 * E3. The id of a message is not used twice. (Mail about a conflict may come again as long as the conflict does.)
 */
import type { Configuration } from "../../soup/configuration.ts";
import type { Message } from "../../soup/message.ts";
import type { EntryBody } from "../entry.ts";
import type { LogCheck, Step } from "../verify.ts";

/** The check of the envelopes of a log. */
export function mailCheck(): LogCheck {
  const ids = new Set<string>();
  let root: EntryBody<"open">["root"] = { agent: "", thread: "" };
  return {
    name: "mail",
    says: "each message is from who sent it, and is sent once",
    step: (step) => {
      if (step.entry.kind === "open") root = step.entry.body.root;
      const problem = missent(step, root);
      if (problem !== undefined) return problem;
      const twice = messagesOf(step).find(({ id }) => ids.has(id) && !id.startsWith("conflict:"));
      if (twice !== undefined) return `message ${twice.id} was sent before; a message is sent once`;
      for (const { id } of messagesOf(step)) ids.add(id);
      return undefined;
    },
  };
}

/** The messages that an entry sends for the first time. A question travels on under the id that it was asked with. */
function messagesOf({ entry }: Step): readonly Message[] {
  switch (entry.kind) {
    case "post":
    case "interrupt":
      return [entry.body.message];
    case "fire": {
      const { ps = [], x, "x'": reply } = entry.body.choice ?? {};
      const sent = ps.flatMap((one) => (one.kind === "deliver" ? [one.message] : []));
      const asked = ps.flatMap((one) => (one.kind === "ask" ? [one.text] : []));
      return [...sent, ...asked, x, reply].filter((message) => message !== undefined);
    }
    default:
      return [];
  }
}

function missent({ entry, before }: Step, root: EntryBody<"open">["root"]): string | undefined {
  switch (entry.kind) {
    case "post": {
      const { origin, message } = entry.body;
      if (origin === "skill") return "no agent posts mail; it broadcasts";
      const from = origin === "orchestrator" ? root : null;
      return isFrom(message, from) ? undefined : wrongSender(message, from);
    }
    case "interrupt":
      return isFrom(entry.body.message, null) ? undefined : wrongSender(entry.body.message, null);
    case "fire":
      return missentChoice(entry.body, before);
    default:
      return undefined;
  }
}

function missentChoice({ at, choice }: EntryBody<"fire">, before: Configuration): string | undefined {
  const from = { agent: at["A"] ?? "", thread: at["t"] ?? "" };
  const sent = (message: Message, kind: Message["kind"]): string | undefined => {
    if (!isFrom(message, from)) return wrongSender(message, from);
    return message.kind === kind ? undefined : `message ${message.id} is a ${kind}, not ${message.kind}`;
  };
  if (choice?.x !== undefined) return sent(choice.x, "task");
  const parent = before.parent(from.thread);
  for (const one of choice?.ps ?? []) {
    if (one.kind === "terminate") continue;
    const problem =
      one.kind === "ask"
        ? sent(one.text, "task")
        : sent(one.message, one.thread === parent ? "reply" : "task");
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isFrom({ from }: Message, sender: Message["from"]): boolean {
  return from?.agent === sender?.agent && from?.thread === sender?.thread;
}

function wrongSender({ id, from }: Message, sender: Message["from"]): string {
  return `message ${id} is from ${named(sender)}, and names ${named(from)} as its sender`;
}

function named(sender: Message["from"]): string {
  return sender === null ? "nobody in the job" : `${sender.agent} on ${sender.thread}`;
}
