/**
 * Outside moves: what the world does to the soup, each with the condition under which it is accepted (docs/rules.md,
 * "Outside moves"). A move whose condition fails is refused to whoever posted it.
 */
import type { Configuration } from "../soup/configuration.ts";
import { Edit } from "../soup/edit.ts";
import type { AgentName, Message, ThreadId } from "../soup/message.ts";
import type { EndMode } from "../soup/molecule.ts";
import { Queue } from "../soup/queue.ts";
import { isUnused } from "./refusal.ts";

/** An outside move. */
export type Move =
  /** Makes the root instance and records what guards read. */
  | {
      readonly kind: "open";
      readonly root: { readonly agent: AgentName; readonly thread: ThreadId };
      readonly rosters: Readonly<Record<AgentName, readonly AgentName[]>>;
      readonly cap: number;
    }
  /** A later change of what guards read. */
  | {
      readonly kind: "configure";
      readonly rosters?: Readonly<Record<AgentName, readonly AgentName[]>>;
      readonly cap?: number;
    }
  /** The workspace of a thread that may be sparked is ready at a commit, or refused. */
  | { readonly kind: "workspace"; readonly thread: ThreadId; readonly commit: string | null; readonly refused: string | null }
  /** Environment mail; `head` puts it before the mail that waits. */
  | { readonly kind: "post"; readonly agent: AgentName; readonly thread: ThreadId; readonly message: Message; readonly head: boolean }
  | { readonly kind: "interrupt"; readonly thread: ThreadId; readonly message: Message }
  | { readonly kind: "terminate"; readonly thread: ThreadId; readonly mode: EndMode }
  /** Gives a lost turn's message back to the head of its mailbox. */
  | { readonly kind: "rollback"; readonly thread: ThreadId }; // prettier-ignore

/** The result of a move: the next configuration, or the sentence that refuses it. */
export type Moved = { readonly configuration: Configuration } | { readonly refused: string };

function ended(configuration: Configuration, thread: ThreadId): string | undefined {
  if (configuration.isClosed(thread)) return `${thread} has ended`;
  if (configuration.dying(thread)) return `${thread} is being terminated`;
  return undefined;
}

/** Applies an outside move. Pure. */
export function move(configuration: Configuration, one: Move): Moved {
  switch (one.kind) {
    case "open": {
      if (!isUnused(configuration, one.root.thread)) return { refused: `${one.root.thread} is already open` };
      const facts = { rosters: one.rosters, cap: one.cap };
      const edit = new Edit(configuration.withFacts(facts));
      edit.add({ kind: "Idle", ...one.root }).add({ kind: "Mailbox", ...one.root, messages: Queue.of() });
      return { configuration: edit.done() };
    }
    case "configure": {
      const { rosters = configuration.facts.rosters, cap = configuration.facts.cap } = one;
      return { configuration: configuration.withFacts({ rosters, cap }) };
    }
    case "workspace": {
      const fact =
        one.commit === null
          ? ({ ready: false, because: one.refused ?? "no reason given" } as const)
          : ({ ready: true, commit: one.commit } as const);
      return { configuration: new Edit(configuration).workspace(one.thread, fact).done() };
    }
    case "post":
      return post(configuration, one);
    case "interrupt": {
      const refused = ended(configuration, one.thread);
      if (refused !== undefined) return { refused };
      if ((configuration.cell(one.thread)?.lifecycles.length ?? 0) === 0) {
        return { refused: `nobody is on ${one.thread}` };
      }
      return { configuration: new Edit(configuration).add(interruptOf(one)).done() };
    }
    case "terminate": {
      if (configuration.isClosed(one.thread)) return { refused: `${one.thread} has ended` };
      const { thread, mode } = one;
      return { configuration: new Edit(configuration).add({ kind: "Terminate", thread, mode }).done() };
    }
    case "rollback":
      return rollback(configuration, one.thread);
  }
}

function interruptOf(one: Extract<Move, { kind: "interrupt" }>) {
  return { kind: "Interrupt", thread: one.thread, message: one.message } as const;
}

function post(configuration: Configuration, one: Extract<Move, { kind: "post" }>): Moved {
  const refused = ended(configuration, one.thread);
  if (refused !== undefined) return { refused };
  const mailbox = configuration.cell(one.thread)?.mailboxes.find(({ agent }) => agent === one.agent);
  if (mailbox === undefined) return { refused: `${one.agent} has no mailbox on ${one.thread}` };
  const messages = one.head ? mailbox.messages.unshift(one.message) : mailbox.messages.push(one.message);
  return {
    configuration: new Edit(configuration)
      .remove(mailbox)
      .add({ ...mailbox, messages })
      .done(),
  };
}

function rollback(configuration: Configuration, thread: ThreadId): Moved {
  if (configuration.dying(thread)) return { refused: `${thread} is being terminated` };
  const cell = configuration.cell(thread);
  const run = cell?.lifecycles.find((one) => one.kind === "Run");
  if (run?.kind !== "Run") return { refused: `nothing runs on ${thread}` };
  const mailbox = cell?.mailboxes.find(({ agent }) => agent === run.agent);
  if (mailbox === undefined) return { refused: `${run.agent} has no mailbox on ${thread}` };
  const { agent } = run;
  return {
    configuration: new Edit(configuration)
      .remove(run)
      .remove(mailbox)
      .add({ kind: "Idle", agent, thread })
      .add({ ...mailbox, messages: mailbox.messages.unshift(run.message) })
      .done(),
  };
}
