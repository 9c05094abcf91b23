/**
 * Notices: mail that the orchestrator sends to its own thread, so that every transition is a choice of its Run with a
 * recorded cause (CfA §5, "the orchestrator participates in the soup like any other agent").
 */
import { z } from "zod";
import type { Draft } from "../persistence/entry.ts";
import type { Message, ThreadId } from "../soup/message.ts";
import { ACTIONS, type Action, type Origin } from "./machine.ts";
import { fromOrchestrator, ORCHESTRATOR } from "./mail.ts";

/** Schema of the body of a notice. */
export const noticeSchema = z.strictObject({
  action: z.enum(ACTIONS),
  reason: z.string(),
  origin: z.enum(["skill", "orchestrator", "human"]),
  /** Bytes of the outcome record that says so; null when there is none. */
  record: z.string().nullable(),
});

/** An action to take, with its cause. */
export type Notice = {
  readonly action: Action;
  readonly reason: string;
  readonly origin: Origin;
  readonly record: string | null;
};

/** The post that asks the orchestrator to take an action. `cause` makes its id: thread and turn, or an act. */
export function noticeDraft(job: string, cause: string, notice: Notice): Draft {
  const thread: ThreadId = `job:${job}`;
  const message = fromOrchestrator(job, `notice:${cause}`, "control", JSON.stringify(notice));
  return {
    kind: "post",
    body: { agent: ORCHESTRATOR, thread, message, head: false, origin: "orchestrator" },
  };
}

/** The notice in a message; undefined when it is no notice. */
export function noticeOf(message: Message): Notice | undefined {
  if (message.kind !== "control" || !message.id.startsWith("notice:")) return undefined;
  return noticeSchema.parse(JSON.parse(message.body));
}
