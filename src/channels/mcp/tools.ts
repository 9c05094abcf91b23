/**
 * The tools of cfa itself. Their descriptions teach the protocol; what they do is what the verbs on the command line do.
 *
 * T1. A tool's schema is published strict, and its arguments are checked here: a bad call gets a sentence, not a protocol error.
 * T2. `outcome` is published only to the lead of a state, `respond` only to the proxy of the human, who has no team.
 */
import { z } from "zod";
import type { TurnFacts } from "../../runtime/agents/port.ts";
import type { OwnToolName } from "../../runtime/agents/tool-names.ts";
import { jobStatus, jobStatusSchema, team, teamSchema } from "./readings.ts";
import { type Answer, success } from "./result.ts";
import type { ToolSession } from "./session.ts";

/** A tool of cfa. */
export type OwnTool = {
  readonly name: OwnToolName;
  readonly title: string;
  readonly description: string;
  /** The verb of the command line that does the same; null for a tool that only reads and touches no disk. */
  readonly verb: "send" | "ask" | "close" | "outcome" | "respond" | null;
  readonly arguments: z.ZodObject;
  /** Of the answer's `data`. */
  readonly data: z.ZodType;
  /** `given` has passed `arguments`. */
  readonly run: (session: ToolSession, given: unknown) => Promise<Answer>;
};

const said = (description: string) => z.string().describe(description);

const sendArguments = z.strictObject({
  to: said('An agent that list_team names, or "parent": whoever gave you this task.'),
  message: said("What to say. The receiver sees nothing else of your conversation: make it self-contained."),
  thread: said(
    "An open conversation to go on with; without it an agent of your team gets a new one.",
  ).optional(),
  files: z
    .array(z.string())
    .describe("Files of your workspace that travel with the message, by their path below its top.")
    .optional(),
  optional: z
    .boolean()
    .describe("A new conversation that may fail without holding the job; false unless given.")
    .optional(),
});

const send: OwnTool = {
  name: "send",
  title: "Send a message",
  description:
    "Sends a message to an agent of your team or to your parent. A first message to an agent opens a conversation, in which it works in a copy of your workspace. " +
    "It is delivered when your turn has ended; the reply is your next message. So send what is needed, end your turn, and do not wait.",
  verb: "send",
  arguments: sendArguments,
  data: z.strictObject({ thread: z.string().describe("The conversation: name it to go on or to close it.") }),
  run: async (session, given) => {
    const { files = [], optional = false, ...what } = sendArguments.parse(given);
    const written = await session.call("send", "send", { verb: "send", ...what, files, optional });
    if ("answer" in written) return written.answer;
    return success({ thread: written.entry.verb === "send" ? written.entry.thread : "" });
  },
};

const askArguments = z.strictObject({
  question: said("The question, with what the human needs to know to answer it, and what you would do."),
});

const ask: OwnTool = {
  name: "ask_question",
  title: "Ask the human",
  description:
    "Asks the human. It returns at once: end your turn; the answer is your next message. Put everything that is open into one question.",
  verb: "ask",
  arguments: askArguments,
  data: z.strictObject({ question: z.string().describe("The id of the question; its answer names it.") }),
  run: async (session, given) => {
    const { question } = askArguments.parse(given);
    const written = await session.call("ask_question", "ask", { verb: "ask", text: question });
    if ("answer" in written) return written.answer;
    return success({ question: written.entry.verb === "ask" ? written.entry.question : "" });
  },
};

const closeArguments = z.strictObject({ thread: said("A conversation that you opened, as send named it.") });

const close: OwnTool = {
  name: "close_conversation",
  title: "Close a conversation",
  description:
    "Ends a conversation that you opened, when your turn has ended. The work of its agent is merged into your workspace; one that has failed is acknowledged. " +
    "Close only what you have reviewed. It makes room for another conversation.",
  verb: "close",
  arguments: closeArguments,
  data: z.strictObject({ thread: z.string() }),
  run: async (session, given) => {
    const { thread } = closeArguments.parse(given);
    const written = await session.call("close_conversation", "close", { verb: "close", thread });
    return "answer" in written ? written.answer : success({ thread });
  },
};

const nothing = z.strictObject({});

const listTeam: OwnTool = {
  name: "list_team",
  title: "Show the team",
  description:
    "Shows whom you may send to: agents that you may open a conversation with, conversations that are open or closed, your parent, and how many more you may open.",
  verb: null,
  arguments: nothing,
  data: teamSchema,
  run: async (session) => session.read("list_team", (facts) => team(facts, session.made)),
};

const status: OwnTool = {
  name: "job_status",
  title: "Show the job",
  description:
    "Shows where you stand: state, turn, your part, the outcomes that you may name, and what is spent and may be spent. A number that nobody reported is null.",
  verb: null,
  arguments: nothing,
  data: jobStatusSchema,
  run: async (session) => session.read("job_status", jobStatus),
};

const outcomeArguments = z.strictObject({
  outcome: said("One of the outcomes that job_status names."),
  reason: said("Why, for people, in a sentence."),
});

const outcome: OwnTool = {
  name: "outcome",
  title: "End the state",
  description:
    "Ends the state that you lead, when your turn has ended. An approval needs the human's yes to what you showed (ask_question), unless nobody is asked in this job. " +
    "A second call in the same turn replaces the first.",
  verb: "outcome",
  arguments: outcomeArguments,
  data: z.strictObject({ outcome: z.string() }),
  run: async (session, given) => {
    const { outcome, reason } = outcomeArguments.parse(given);
    return session.outcome("outcome", outcome, reason);
  },
};

const respondArguments = z.strictObject({
  kind: z
    .enum(["answer", "ask_human", "withdraw"])
    .describe(
      "answer: text is what the asker is told. ask_human: text is put to the human, and you are called again with what they say. withdraw: the human gives the work up, and text is why.",
    ),
  text: said(
    "The answer, the question to the human, or the reason, in the human's words where they gave them.",
  ),
});

const respond: OwnTool = {
  name: "respond",
  title: "Deal with the question",
  description:
    "Says what becomes of the question that your turn is about: you answer it, ask the human, or report that the human withdraws. Once in a turn, then end it. " +
    "What the policy forbids is refused: under always no answer leaves before the human has replied, under never nobody is asked.",
  verb: "respond",
  arguments: respondArguments,
  data: z.strictObject({ question: z.string().describe("The question that it is about.") }),
  run: async (session, given) => {
    const { kind, text } = respondArguments.parse(given);
    const call =
      kind === "ask_human"
        ? ({ verb: "ask", text } as const)
        : ({ verb: "respond", text, withdraw: kind === "withdraw" } as const);
    const written = await session.call("respond", "respond", call);
    if ("answer" in written) return written.answer;
    return success({ question: session.facts?.proxy?.question ?? "" });
  },
};

/** The tools that a turn has (T2); without a turn those of a lead, and each says that there is none. */
export function ownTools(facts: TurnFacts | undefined): readonly OwnTool[] {
  if (facts?.proxy !== undefined) return [respond, status];
  const all = [send, ask, close, listTeam, status];
  return facts === undefined || facts.lead ? [...all, outcome] : all;
}
