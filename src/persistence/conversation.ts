/** The conversation of a question: under this name its workspace and the turns of the proxy stand in the log (docs/escalation.md). */
import type { QuestionId, ThreadId } from "../soup/message.ts";

const CONVERSATION = "escalation:";

/** The conversation of a question. */
export function conversationOf(question: QuestionId): ThreadId {
  return `${CONVERSATION}${question}`;
}

/** The question of which a thread is the conversation; undefined for any other thread. */
export function questionOf(thread: ThreadId): QuestionId | undefined {
  return thread.startsWith(CONVERSATION) ? thread.slice(CONVERSATION.length) : undefined;
}
