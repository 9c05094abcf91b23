/**
 * Messages and payloads: what travels between threads.
 *
 * M1. A message is an envelope: id, sender, kind, body. Ids are minted outside the core and recorded.
 * M2. Notation shows the body alone; id, sender and kind are not part of it (docs/rules.md, "Notation").
 */

/** Name of an agent (a role of the job), for example `lead`. */
export type AgentName = string;

/** Opaque id of a conversation: `job:<id>`, `state:<id>:<STATE>:<n>`, `dispatch:<id>`. Never reused. */
export type ThreadId = string;

/** Id of an escalation (a question); unique in the job. */
export type QuestionId = string;

/** How often the human is consulted (CfA §7). */
export type Policy = "never" | "when_unsure" | "always";

/** All policies, in rising order of how often the human is asked. */
export const POLICIES: readonly Policy[] = ["never", "when_unsure", "always"];

/**
 * What a message is: `task` goes down the tree, `reply` up it; `answer` ends a question; `refusal` returns a
 * payload that could not reduce; `recovery` follows a failed turn; `human` comes from the person; `control`
 * from the orchestrator.
 */
export type MessageKind = "task" | "reply" | "answer" | "refusal" | "recovery" | "human" | "control";

/** Who sent a message; null is the outside world. */
export type Sender = { readonly agent: AgentName; readonly thread: ThreadId } | null;

/** An envelope (M1). `re` names what it is about: the question of an answer, the addressed thread of a refusal. */
export type Message = {
  readonly id: string;
  readonly from: Sender;
  readonly kind: MessageKind;
  readonly body: string;
  readonly re?: string;
};

/** One entry of a broadcast (CfA §5 "Send payloads", and `ask`, which lets a turn send and ask). */
export type Payload =
  | {
      readonly kind: "deliver";
      readonly agent: AgentName;
      readonly thread: ThreadId;
      readonly message: Message;
    }
  | { readonly kind: "terminate"; readonly thread: ThreadId }
  | {
      readonly kind: "ask";
      readonly question: QuestionId;
      readonly text: Message;
      readonly policy: Policy;
    };
