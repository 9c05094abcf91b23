/**
 * Early refusal: whether a call of a running turn may go into its outbox, decided when it is made (docs/architecture.md, "Refused
 * early, refused late"). What a race makes invalid afterwards is the rule `refuse`'s.
 *
 * A1. Pure: the decision depends on the facts of the turn, the calls before it and the call alone.
 * A2. Visibility is the tree: a turn sees its own children and its parent.
 * A3. The cap counts children that are open, with what this turn opened and without what it closed so far. Questions and going on with
 *     an open child are free. Under `overCap: "wait"` a spark over the cap is admitted.
 * A4. Ids are minted from thread serial, turn and call number: a turn that is run again mints the same.
 * A5. A refusal is one sentence that says why and what to do.
 * A6. What an agent's role does not let it send is refused here and nowhere later; the final text of a turn is no call (broadcast.ts, C2).
 */
import { posix } from "node:path";
import type { AgentName, QuestionId, ThreadId } from "../soup/message.ts";
import type { ProxyFacts, Sendable, TurnFacts } from "./agents/port.ts";
import { refusalForProxy } from "./escalation/proxy-admission.ts";
import type { DefaultAnswer, OutboxEntry } from "./outbox.ts";

/** What an agent asks for. `to` is an agent or the word `parent`; without `thread` an agent of the roster gets a new conversation. */
export type Call =
  | {
      readonly verb: "send";
      readonly to: string;
      readonly thread?: ThreadId | undefined;
      readonly message: string;
      /** Paths relative to the workspace. */
      readonly files: readonly string[];
      readonly optional: boolean;
    }
  | { readonly verb: "none" }
  | { readonly verb: "ask"; readonly text: string; readonly default?: DefaultAnswer | undefined }
  | { readonly verb: "close"; readonly thread: ThreadId }
  /** Only for the proxy: an answer, or the reason for which the human gives up. */
  | { readonly verb: "respond"; readonly text: string; readonly withdraw: boolean };

/** A call that was not admitted: one sentence (A5). */
export type Refused = { readonly refused: string };

/** The decision on a call. The files of a send are added by whoever takes their bytes (outbox-calls.ts). */
export type Admission = { readonly entry: OutboxEntry } | Refused;

/** The content of an outcome record (CfA §4). */
export type OutcomeRecord = { readonly outcome: string; readonly reason: string };

/** The word that stands for whoever opened the conversation of the turn. */
export const PARENT = "parent";

/** Longest message or question, bytes of UTF-8; more belongs into a file. */
export const MESSAGE_BYTES_MAX = 256 * 1024;

/** Thread id that a turn gives to the conversation which its call `number` opens. */
export function mintedThread(facts: TurnFacts, number: number): ThreadId {
  return `dispatch:${facts.serial}.${facts.turn}.${number}`;
}

/** Question id of a turn's call `number`. */
export function mintedQuestion(facts: TurnFacts, number: number): QuestionId {
  // What the proxy asks the human belongs to the question that it works on.
  if (facts.proxy !== undefined) return facts.proxy.question;
  return `q${facts.serial}.${facts.turn}.${number}`;
}

/** Decides on a call (A1). `buffered` are the calls before it; `number` is the one that its outbox file will have. */
export function admit(
  facts: TurnFacts,
  buffered: readonly OutboxEntry[],
  call: Call,
  number: number = buffered.length + 1,
): Admission {
  if (facts.proxy !== undefined) return admitProxy(facts.proxy, buffered, call);
  switch (call.verb) {
    case "respond":
      return { refused: "only the proxy of the human answers questions: send with `cfa send`" };
    case "none":
      return { entry: { verb: "none" } };
    case "ask":
      return admitAsk(facts, call, number);
    case "close":
      return admitClose(facts, buffered, call.thread);
    case "send":
      return admitSend(facts, buffered, call, number);
  }
}

/** Decides on an outcome record: only the lead of a state writes one, and only with an outcome of its state (CfA §4). */
export function admitOutcome(
  facts: TurnFacts,
  outcome: string,
  reason: string,
): { readonly record: OutcomeRecord } | Refused {
  if (!facts.lead) {
    const instead =
      facts.parent === null ? "" : `: send your result with \`cfa send --to ${PARENT} MESSAGE\``;
    return { refused: `only the lead of a state may write an outcome, and ${facts.agent} is not${instead}` };
  }
  if (!facts.outcomes.includes(outcome)) {
    return {
      refused: `"${outcome}" is no outcome of ${facts.state}: use one of ${facts.outcomes.join(", ")}`,
    };
  }
  if (reason.trim() === "") return { refused: `the outcome ${outcome} needs a reason: add --reason TEXT` };
  return { record: { outcome, reason } };
}

type SendCall = Extract<Call, { verb: "send" }>;
export type Team = {
  /** Open children, with the agent of each. */
  readonly open: ReadonlyMap<ThreadId, AgentName>;
  readonly closed: ReadonlySet<ThreadId>;
};

/** Whom the turn sees after the calls that it has made so far (A3). */
export function teamAfter(facts: TurnFacts, buffered: readonly OutboxEntry[]): Team {
  const open = new Map(facts.children.map(({ agent, thread }) => [thread, agent]));
  const closed = new Set(facts.closed);
  for (const entry of buffered) {
    if (entry.verb === "send" && entry.opens) open.set(entry.thread, entry.to);
    if (entry.verb === "close" && open.delete(entry.thread)) closed.add(entry.thread);
  }
  return { open, closed };
}

function admitSend(
  facts: TurnFacts,
  buffered: readonly OutboxEntry[],
  call: SendCall,
  number: number,
): Admission {
  const flaw = flawOf(call.message, "message") ?? flawOfFiles(call.files);
  if (flaw !== undefined) return { refused: flaw };
  const team = teamAfter(facts, buffered);
  const target =
    call.thread === undefined ? withoutThread(facts, team, call) : withThread(facts, team, call, call.thread);
  if ("refused" in target) return target;
  const { to, thread } = target;
  const opens = thread === undefined;
  const kind = unsendable(facts, thread === facts.parent?.thread && !opens ? "reply" : "task");
  if (kind !== undefined) return { refused: kind };
  if (call.optional && !opens) {
    return {
      refused: "--optional says how a new conversation counts, and this one is open already: leave it out",
    };
  }
  const { message, optional } = call;
  const entry = { verb: "send" as const, to, thread: thread ?? mintedThread(facts, number), opens };
  return { entry: { ...entry, message, files: [], optional } };
}

/** Whom a send goes to; without `thread` it opens a conversation. */
type Target = { readonly to: AgentName; readonly thread?: ThreadId };

function withoutThread(facts: TurnFacts, team: Team, { to }: SendCall): Target | Refused {
  const { parent, roster, cap } = facts;
  if (to === PARENT)
    return parent === null ? { refused: noParent(facts) } : { to: parent.agent, thread: parent.thread };
  if (!roster.includes(to)) {
    if (to === parent?.agent) return { to, thread: parent.thread };
    return { refused: `there is no "${to}" that you may send to: ${audience(facts)}` };
  }
  if (facts.overCap === "refuse" && team.open.size >= cap) {
    const list = [...team.open].map(([thread, agent]) => `${thread} (${agent})`).join(", ");
    return {
      refused:
        team.open.size === 0
          ? "this job allows no conversations to be opened (fan_out is 0): do the work yourself"
          : `you have ${team.open.size} open conversations and the limit is ${cap}: end one with \`cfa close ID\`, or wait ` +
            `for its reply; open are ${list}`,
    };
  }
  return { to };
}

function withThread(facts: TurnFacts, team: Team, { to }: SendCall, thread: ThreadId): Target | Refused {
  const { parent } = facts;
  const owner = thread === parent?.thread ? parent.agent : team.open.get(thread);
  if (owner !== undefined) {
    const named = to === owner || (to === PARENT && thread === parent?.thread);
    return named
      ? { to: owner, thread }
      : {
          refused: `conversation ${thread} is with ${owner}, not with ${to}: use --to ${owner}, or leave --thread out`,
        };
  }
  if (team.closed.has(thread)) {
    return { refused: `conversation ${thread} is closed: leave --thread out to open a new one` };
  }
  if (thread === facts.thread) {
    return {
      refused: `${thread} is your own conversation: you cannot send to yourself, and ${audience(facts)}`,
    };
  }
  return { refused: `you do not see a conversation ${thread}: ${visible(facts, team)}` };
}

/** The proxy has no team: it answers, or asks the human. */
function admitProxy(proxy: ProxyFacts, buffered: readonly OutboxEntry[], call: Call): Admission {
  if (call.verb !== "respond" && call.verb !== "ask")
    return {
      refused: "you stand for the human and have no team: use `cfa respond ANSWER` or `cfa ask QUESTION`",
    };
  const flaw = flawOf(call.text, call.verb === "ask" ? "question" : "answer");
  const refused = flaw ?? refusalForProxy(proxy, buffered, call);
  if (refused !== undefined) return { refused };
  if (call.verb === "ask" && call.default !== undefined)
    return {
      refused: "a default answer belongs to who asks, not to the proxy: leave --default and --deadline out",
    };
  if (call.verb === "ask") return { entry: { verb: "ask", question: proxy.question, text: call.text } };
  return { entry: { verb: "respond", text: call.text, withdraw: call.withdraw } };
}

function admitAsk(
  facts: TurnFacts,
  { text, default: otherwise }: Extract<Call, { verb: "ask" }>,
  number: number,
): Admission {
  const flaw =
    unsendable(facts, "question") ??
    flawOf(text, "question") ??
    (otherwise && flawOf(otherwise.answer, "default answer")) ??
    undefined;
  if (flaw !== undefined) return { refused: flaw };
  if (otherwise !== undefined && facts.policy === "always")
    return {
      refused: `in ${facts.state} every question is answered by the human (escalation: always): leave --default and --deadline out`,
    };
  const entry = { verb: "ask" as const, question: mintedQuestion(facts, number), text };
  return { entry: otherwise === undefined ? entry : { ...entry, default: otherwise } };
}

/** Closing what has ended is admitted: that is how a parent acknowledges a child that failed, and twice does no harm. */
function admitClose(facts: TurnFacts, buffered: readonly OutboxEntry[], thread: ThreadId): Admission {
  const team = teamAfter(facts, buffered);
  if (team.open.has(thread) || team.closed.has(thread)) return { entry: { verb: "close", thread } };
  if (thread === facts.thread || thread === facts.parent?.thread) {
    const whose = thread === facts.thread ? "your own" : "your parent's";
    return {
      refused: `${thread} is ${whose} conversation, and only who opened one may close it: end your turn with your result instead`,
    };
  }
  return { refused: `${thread} is no conversation that you opened: ${visible(facts, team)}` };
}

/** Why the role does not let it send this (A6). */
function unsendable({ agent, sends, parent }: TurnFacts, kind: Sendable): string | undefined {
  if (sends === undefined || sends.includes(kind)) return undefined;
  const instead = {
    task: "do the work yourself",
    reply: "end your turn with your result, which is sent for you",
    question:
      parent === null ? "decide yourself, and say what you assumed" : "end your turn and say what is open",
  }[kind];
  return `the role of ${agent} sends no ${kind}: ${instead}`;
}

function flawOf(
  text: string,
  what: "message" | "question" | "answer" | "default answer",
): string | undefined {
  if (text.trim() === "") return `the ${what} is empty: say something, or leave the call out`;
  if (Buffer.byteLength(text) <= MESSAGE_BYTES_MAX) return undefined;
  return `the ${what} is longer than ${MESSAGE_BYTES_MAX} bytes: write it to a file and name that (--file PATH with \`cfa send\`)`;
}

function flawOfFiles(files: readonly string[]): string | undefined {
  const outside = files.find((path) => {
    const normal = posix.normalize(path);
    return (
      path === "" || posix.isAbsolute(path) || normal === "." || normal === ".." || normal.startsWith("../")
    );
  });
  return outside === undefined
    ? undefined
    : `"${outside}" is no file of your workspace: name files by their path below its top`;
}

function audience({ roster, parent }: TurnFacts): string {
  const agents = [...roster, ...(parent === null ? [] : [`${PARENT} (${parent.agent})`])];
  return agents.length === 0
    ? "you have no team, do the work yourself"
    : `you may send to ${agents.join(", ")}`;
}

function visible(facts: TurnFacts, { open }: Team): string {
  const threads = [...open].map(([thread, agent]) => `${thread} (${agent})`);
  if (facts.parent !== null) threads.push(`${facts.parent.thread} (your parent)`);
  return threads.length === 0 ? "you have no open conversation" : `you see ${threads.join(", ")}`;
}

function noParent({ outcomes }: TurnFacts): string {
  const names = outcomes.length === 0 ? "" : ` (${outcomes.join(", ")})`;
  return `you lead this state and have no parent to send to: end the state with \`cfa outcome NAME --reason TEXT\`${names}`;
}
