/**
 * The molecules of the soup (CfA §5, §7, §8, §9).
 *
 * L1. A molecule is an immutable value, tagged with the thread it belongs to.
 * L2. `Parent(child, thread)` belongs to two threads: it is the upward edge of one, the downward edge of the other.
 */
import type { AgentName, Message, Payload, Policy, QuestionId, ThreadId } from "./message.ts";
import type { Queue } from "./queue.ts";

/** `Idle(A,t)`: A's instance on thread t waits for mail. */
export type Idle = { readonly kind: "Idle"; readonly agent: AgentName; readonly thread: ThreadId };

/** `Run(A,t,m)`: A processes message m; `turn` is its number on the thread (not part of the notation). */
export type Run = {
  readonly kind: "Run";
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly message: Message;
  readonly turn: number;
};

/** `Send(A,t,[p…])`: A broadcasts its payloads, first one first. */
export type Send = {
  readonly kind: "Send";
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly payloads: Queue<Payload>;
};

/** `Mailbox(A,t,[m…])`: A's inbox on thread t, first in first out. */
export type Mailbox = {
  readonly kind: "Mailbox";
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly messages: Queue<Message>;
};

/** `Parent(c,t)`: thread c was sparked from thread t. */
export type Parent = { readonly kind: "Parent"; readonly child: ThreadId; readonly thread: ThreadId };

/** What becomes of the work of a thread that ends: merged into its parent's tree, or dropped. */
export type EndMode = "merge" | "drop";

/** `Terminate(t)` or `Terminate(t,drop)`: t and its subtree are going. */
export type Terminate = { readonly kind: "Terminate"; readonly thread: ThreadId; readonly mode: EndMode };

/** Whether the human has replied at least once during an escalation (CfA §7). */
export type ProxyPhase = "fresh" | "post-human";

/** `AskQuestion(A,t,e,x,π)`: A asked x as escalation e under policy π. */
export type AskQuestion = {
  readonly kind: "AskQuestion";
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly question: QuestionId;
  readonly text: Message;
  readonly policy: Policy;
};

/** `Proxy(A,t,e,x,π,h)`: the proxy works on the question. */
export type Proxy = {
  readonly kind: "Proxy";
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly question: QuestionId;
  readonly text: Message;
  readonly policy: Policy;
  readonly phase: ProxyPhase;
};

/** `AskHuman(A,t,e,y,π)`: the human has been asked y. */
export type AskHuman = {
  readonly kind: "AskHuman";
  readonly agent: AgentName;
  readonly thread: ThreadId;
  readonly question: QuestionId;
  readonly text: Message;
  readonly policy: Policy;
};

/** `Interrupt(t,Y)`: redirect whoever runs on t to Y. */
export type Interrupt = { readonly kind: "Interrupt"; readonly thread: ThreadId; readonly message: Message };

/** What an instance is doing: exactly one of these per instance (CfA §12, single-instance lifecycle). */
export type Lifecycle = Idle | Run | Send;

/** A question in one of its three stages. */
export type Question = AskQuestion | Proxy | AskHuman;

/** Any molecule. */
export type Molecule = Lifecycle | Mailbox | Parent | Terminate | Question | Interrupt;

/** The name of a kind of molecule. */
export type MoleculeKind = Molecule["kind"];
