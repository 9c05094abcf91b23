/** What each rule does, in a sentence that stands in its section of docs/rules.md; a test compares. */
import type { RuleId } from "./rule.ts";

/** By the id of the rule in the table `complete`. */
export const ABOUT: Readonly<Record<RuleId, string>> = {
  send: "The head of a broadcast goes to the end of the receiver's mailbox.",
  spark:
    "The first message to a new thread brings its instance into being: an inbox with that message, an idle instance, and the edge that makes the thread a child.",
  "send-terminate": "A parent closes a child: its work is to be merged.",
  "send-ask":
    "A question may be one payload among others; it starts the same escalation as `ask`, while the broadcast goes on.",
  "send-closed": "Closing what is already going, or gone, is done.",
  refuse:
    "A payload that can never reduce goes back to its sender as mail that says why, and the broadcast goes on.",
  "send-empty": "The broadcast is over; the instance waits for mail again, on the thread on which it ran.",
  wake: "An idle instance takes the oldest message.",
  "send-step": "The turn ends with a broadcast.",
  "nosend-step": "The turn ends without a broadcast.",
  "ask-step": "The turn ends with one question and nothing else.",
  ask: "The question goes to the proxy; the asker waits for mail like anybody else.",
  escalate: "The proxy asks the human, in words of its own (`y`).",
  "human-reply": "The human has replied; the proxy goes on with what it knows now (`x'`).",
  respond: "The answer becomes mail of the asker.",
  interrupt: "The work on X is given up and the instance runs on Y, in a new turn",
  "wake-int": "An idle instance starts on Y at once, past the mail that waits.",
  "term-run": "The turn is stopped; what it did is lost with it.",
  "term-idle": "The instance goes.",
  "term-mbox": "Unread mail is flushed, the mailbox with it.",
  "term-send": "What was not sent yet is never sent.",
  "term-ask": "A question goes with its asker.",
  "term-proxy": "The proxy stops working on the question.",
  "term-human": "The human need not answer any more.",
  "term-int": "There is nobody left to redirect.",
  cascade: "The withdrawal goes down the tree; the edge is consumed, so no child is reached twice.",
  "term-absorb": "One Terminate of a thread absorbs another, and a drop wins.",
  "term-final":
    "Nothing of the thread is left: the Terminate goes, its edge to the parent goes, and the id joins the closed ones.",
};
