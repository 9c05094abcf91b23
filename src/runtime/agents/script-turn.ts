/**
 * What a script sees of its turn, and how it talks back: the same outbox and the same early refusal as the calls of a program.
 */
import type { Message, QuestionId, ThreadId } from "../../soup/message.ts";
import type { Call, Refused } from "../admission.ts";
import { noteRefusal } from "../outbox-refusals.ts";
import { makeCall, makeOutcome } from "../outbox-calls.ts";
import type { DefaultAnswer, OutboxEntry } from "../outbox.ts";
import { mistakeIn, noteUsage } from "../usage-file.ts";
import type { UsageReport } from "../usage.ts";
import type { TurnFacts, TurnRequest } from "./port.ts";

/** A call that was not admitted; the message is the sentence that says why and what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** What a script addresses: as the options of `cfa send`. */
export type ScriptSend = {
  readonly to: string;
  readonly thread?: ThreadId | undefined;
  readonly message: string;
  /** Paths relative to the workspace. */
  readonly files?: readonly string[] | undefined;
  readonly optional?: boolean | undefined;
};

/** A running turn, as a script sees it. The functions throw a {@link Refusal} for what is not admitted. */
export type ScriptTurn = Pick<
  TurnFacts,
  "state" | "thread" | "turn" | "agent" | "children" | "roster" | "parent"
> &
  Pick<TurnRequest, "prompt" | "instructions" | "entry" | "artifacts" | "workspace" | "signal"> & {
    /** The message that this turn is about; `body` is its text. */
    readonly message: Message;
    /** Sends a message; settles with the conversation's id. */
    readonly send: (what: ScriptSend) => Promise<ThreadId>;
    /** Says on purpose that nothing is sent. */
    readonly sendNone: () => Promise<void>;
    /**
     * Asks the human; the answer arrives as a message of its own. Settles with the question's id. `otherwise` is the answer
     * that counts when nobody has given one in time.
     */
    readonly ask: (text: string, otherwise?: DefaultAnswer) => Promise<QuestionId>;
    /** Only for the proxy: answers the question that the turn is about. */
    readonly respond: (answer: string) => Promise<void>;
    /** Only for the proxy: the human gives the work up. */
    readonly withdraw: (reason: string) => Promise<void>;
    /** Ends a conversation that this agent opened. */
    readonly close: (thread: ThreadId) => Promise<void>;
    /** Ends the state; only for its lead. */
    readonly outcome: (name: string, reason: string) => Promise<void>;
    /** Reports tokens and money that were used, beside what was reported before (docs/cost.md). */
    readonly usage: (report: UsageReport) => Promise<void>;
  };

/** A script: what it returns is the final text of the turn; what it throws fails the turn. */
export type Script = (turn: ScriptTurn) => void | string | Promise<void | string>;

/** The turn as its script sees it; with `over` aborted its methods throw. */
export function turnOf(request: TurnRequest, over: AbortSignal): ScriptTurn {
  const { facts, outbox } = request;
  const make = async (call: Call): Promise<OutboxEntry> => {
    if (over.aborted)
      throw new Refusal("this turn has ended: make calls before the script's promise settles");
    const admission = await makeCall(outbox, facts, call);
    if ("refused" in admission) await noteRefusal(outbox, NAMES[call.verb], admission.refused);
    return admitted(admission).entry;
  };
  const { state, thread, turn, agent, children, roster, parent } = facts;
  const { message, prompt, instructions, entry, artifacts, workspace, signal } = request;
  const seen = { state, thread, turn, agent, children, roster, parent };
  return {
    ...seen,
    message,
    prompt,
    instructions,
    entry,
    artifacts,
    workspace,
    signal,
    send: async ({ to, thread, message, files = [], optional = false }) => {
      const entry = await make({ verb: "send", to, thread, message, files, optional });
      return entry.verb === "send" ? entry.thread : "";
    },
    sendNone: async () => void (await make({ verb: "none" })),
    ask: async (text, otherwise) => {
      const entry = await make({ verb: "ask", text, default: otherwise });
      return entry.verb === "ask" ? entry.question : "";
    },
    respond: async (text) => void (await make({ verb: "respond", text, withdraw: false })),
    withdraw: async (text) => void (await make({ verb: "respond", text, withdraw: true })),
    close: async (thread) => void (await make({ verb: "close", thread })),
    outcome: async (name, reason) => {
      if (over.aborted)
        throw new Refusal("this turn has ended: an outcome comes before the script's promise settles");
      const admission = await makeOutcome(facts, name, reason);
      if ("refused" in admission) await noteRefusal(outbox, "outcome", admission.refused);
      admitted(admission);
    },
    usage: async (report) => {
      if (over.aborted) throw new Refusal("this turn has ended: report before the script's promise settles");
      const mistake = mistakeIn(report);
      if (mistake !== undefined) throw new Refusal(`the report ${mistake}`);
      await noteUsage(outbox, report);
    },
  };
}

/** How the command line names the calls. */
const NAMES = { send: "send", none: "send", ask: "ask", close: "close", respond: "respond" } as const;

function admitted<T extends object>(admission: T | Refused): T {
  if ("refused" in admission) throw new Refusal(admission.refused);
  return admission;
}
