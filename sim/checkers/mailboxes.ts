/**
 * Mail is taken in order: the oldest first, what was put at the head before it, and the message of a lost turn before all. Each
 * Run is about the message that a fold of the log, written after docs/rules.md alone, says is next.
 *
 * O1. The fold reads entries and shares nothing with src/rules. From the configurations come only the message that a Run is about, to
 *     compare, and the id of a refusal, which no entry names.
 * O2. The end of a mailbox takes what `send`, `spark`, `respond`, `refuse` and `post` bring; its head takes a `post` with `head` and
 *     the message of a `rollback`. `wake` takes the head; `interrupt` and `wake-int` take the oldest Interrupt, and what the Run was
 *     about before is given up.
 */
import type { Entry, EntryBody } from "../../src/persistence/entry.ts";
import type { Step } from "../../src/persistence/verify.ts";
import type { Cell } from "../../src/soup/cell.ts";
import type { Checker } from "../evidence.ts";

/** See the header. */
export const mailboxes: Checker = {
  name: "mailboxes",
  says: "mail is taken in the order in which it came, that of a lost turn first",
  check: ({ steps }) => {
    const mail = new Mail();
    for (const step of steps) {
      const flaw = mail.take(step);
      if (flaw !== undefined) return `entry ${step.entry.seq}: ${flaw}`;
    }
    return undefined;
  },
};

type Payload = NonNullable<NonNullable<EntryBody<"fire">["choice"]>["ps"]>[number];

/** What is on one thread, by the entries so far; messages by their ids, the next one first. */
type OnThread = {
  readonly waiting: string[];
  readonly interrupts: string[];
  /** What is left of the broadcast. */
  broadcast: Payload[];
  /** What the Run is about. */
  about: string | undefined;
};

/** See the header. */
class Mail {
  readonly #threads = new Map<string, OnThread>();

  /** Takes up an entry; a sentence when its Run is about another message than the next one. */
  take(step: Step): string | undefined {
    const { entry } = step;
    if (entry.kind === "fire") return this.#fire(entry.body, step);
    this.#move(entry);
    return undefined;
  }

  #on(thread: string): OnThread {
    const known = this.#threads.get(thread);
    if (known !== undefined) return known;
    const fresh: OnThread = { waiting: [], interrupts: [], broadcast: [], about: undefined };
    this.#threads.set(thread, fresh);
    return fresh;
  }

  #move(entry: Exclude<Entry, { kind: "fire" }>): void {
    switch (entry.kind) {
      case "post": {
        const { thread, message, head } = entry.body;
        const { waiting } = this.#on(thread);
        if (head) waiting.unshift(message.id);
        else waiting.push(message.id);
        return;
      }
      case "interrupt":
        this.#on(entry.body.thread).interrupts.push(entry.body.message.id);
        return;
      case "rollback": {
        const lost = this.#on(entry.body.thread);
        if (lost.about !== undefined) lost.waiting.unshift(lost.about);
        lost.about = undefined;
        return;
      }
      default:
    }
  }

  #fire({ rule, at, choice }: EntryBody<"fire">, { before, after }: Step): string | undefined {
    const { t = "", "t'": other = "" } = at;
    const own = this.#on(t);
    switch (rule) {
      case "send-step":
        own.broadcast = [...(choice?.ps ?? [])];
        break;
      case "send":
      case "spark":
        this.#deliver(own.broadcast.shift(), other);
        break;
      case "send-ask":
      case "send-closed":
      case "send-terminate":
        own.broadcast.shift();
        break;
      case "refuse":
        own.broadcast.shift();
        own.waiting.push(...newIn(before.cell(t), after.cell(t)));
        break;
      case "respond":
        if (choice?.a !== undefined) own.waiting.push(choice.a.id);
        break;
      case "wake":
        return begin(own, own.waiting, after.cell(t), `${t} wakes`);
      case "interrupt":
      case "wake-int":
        return begin(own, own.interrupts, after.cell(t), `${t} is redirected`);
      case "term-final":
        this.#threads.delete(t);
        break;
      default:
    }
    return undefined;
  }

  #deliver(payload: Payload | undefined, thread: string): void {
    if (payload?.kind === "deliver") this.#on(thread).waiting.push(payload.message.id);
  }
}

/** A Run begins with the next of `line`; a sentence when it is about something else. */
function begin(on: OnThread, line: string[], cell: Cell | undefined, what: string): string | undefined {
  on.about = line.shift();
  const run = cell?.lifecycles.find((one) => one.kind === "Run");
  const taken = run?.kind === "Run" ? run.message.id : undefined;
  if (taken === on.about) return undefined;
  const behind = line.length === 0 ? "" : `, before ${line.join(", ")}`;
  return `${what} with ${taken ?? "nothing"}, and the next message is ${on.about ?? "none"}${behind}`;
}

/** Ids that are in the mailbox of a thread afterwards only. */
function newIn(before: Cell | undefined, after: Cell | undefined): string[] {
  const known = new Set(idsIn(before));
  return idsIn(after).filter((id) => !known.has(id));
}

function idsIn(cell: Cell | undefined): string[] {
  return cell?.mailboxes.flatMap(({ messages }) => [...messages].map(({ id }) => id)) ?? [];
}
