/**
 * Questions as the conversations that they are, below their askers: who works on each, how far it has come and why (docs/escalation.md).
 *
 * E1. From the log alone. A question is with the proxy until the human is asked, and again when they have replied.
 * E2. One that is over is shown where the proxy has worked on it: what that has used is part of what the job has.
 */
import type { JobDefinition } from "../../job/definition.ts";
import { conversationOf } from "../../persistence/conversation.ts";
import type { EscalationRecord } from "../../runtime/escalation/escalations.ts";
import { isStallFailure } from "../../runtime/stall.ts";
import type { ThreadState } from "../../runtime/thread-states.ts";
import type { QuestionId, ThreadId } from "../../soup/message.ts";
import type { ThreadView } from "./job-view.ts";
import { answerLine, firstLine } from "./text.ts";
import type { Moment } from "./thread-view.ts";

/** What the views depend on besides the record of each question. */
export type ConversationMoment = Moment & {
  readonly definition: Pick<JobDefinition, "proxy">;
  /** Questions that the human is asked and that no answer waits for. */
  readonly open: ReadonlySet<QuestionId>;
};

/** The conversations of a thread's questions, in the order in which they were asked. */
export function conversationsOf(thread: ThreadId, moment: ConversationMoment): readonly ThreadView[] {
  return moment.ledger.escalations.of(thread).flatMap((record) => {
    const asking = moment.ledger.questions.get(record.question)?.asking ?? false;
    const isShown = record.over ? record.turns > 0 : !asking || moment.open.has(record.question);
    return isShown ? [conversationView(record, asking, moment)] : [];
  });
}

function conversationView(record: EscalationRecord, asking: boolean, moment: ConversationMoment): ThreadView {
  const { question, thread: parent, turns, since } = record;
  const thread = conversationOf(question);
  const spent = moment.ledger.overview.spentOn(thread);
  const state = stateOf(record, asking, moment);
  const agent = asking ? undefined : moment.definition.proxy;
  return {
    thread,
    agent: agent ?? "human",
    by: null,
    parent,
    state,
    since,
    turn: state === "running" ? record.next : null,
    turns,
    failures: record.failures,
    why: whyOf(record, state, moment),
    spent,
    children: [],
  };
}

function stateOf(record: EscalationRecord, asking: boolean, { configuration, parked }: Moment): ThreadState {
  if (record.over) return "ended";
  if (configuration.dying(record.thread)) return "ending";
  if (asking) return "waiting for the human";
  if (record.running) return "running";
  if (parked !== null) return "parked";
  return isStallFailure(record.failure) ? "stalled" : "queued";
}

function whyOf(record: EscalationRecord, state: ThreadState, { ledger, parked }: Moment): string {
  const { question, text, answer, failure, exchanges } = record;
  switch (state) {
    case "ended":
      return answer === undefined ? "it ended without an answer" : `answered: ${answerLine(answer.text)}`;
    case "ending":
      return "its asker is being ended";
    case "parked":
      return parked ?? "";
    case "waiting for the human":
      return firstLine(ledger.questions.get(question)?.text ?? text);
    default: {
      const replied = exchanges.at(-1)?.replied ?? null;
      const about =
        replied === null ? `question: ${firstLine(text)}` : `the human replied: ${firstLine(replied)}`;
      return failure === null ? about : `its last turn failed: ${firstLine(failure)}; ${about}`;
    }
  }
}
