/**
 * What becomes of a message that an agent has written: a call, as if it had made it with `cfa send` or `cfa ask`. Pure.
 *
 * P1. To its dispatcher, by name or as `parent`: a send. To a sibling: a send to the dispatcher, who passes it on.
 * P2. To a child: a send to the open conversation with it. What came from another child may be passed on so, under its own name.
 * P3. To the human: a question, and nothing else.
 * P4. A child goes before a sibling of the same name, that before nobody. Whatever has no way is refused with a sentence.
 */
import { type Call, PARENT } from "../../runtime/admission.ts";
import type { Beside, TurnFacts } from "../../runtime/agents/port.ts";
import { type FileMessage, HUMAN, mailBodyOf, wordsOf } from "./messages.ts";

/** Who is who for the agent of a turn. */
export type Surroundings = Pick<TurnFacts, "agent" | "parent" | "children"> & Pick<Beside, "siblings">;

/** The call, or why there is none, as the end of a sentence that begins with the name of the file. */
export function callFor(
  message: FileMessage,
  around: Surroundings,
): { readonly call: Call } | { readonly problem: string } {
  const { from, to, type, content } = message;
  const child = around.children.filter(({ agent }) => agent === to);
  const passesOn = around.children.some(({ agent }) => agent === from) && child.length > 0;
  if (from !== around.agent && !passesOn)
    return { problem: `comes from ${from}, and only ${around.agent} writes here` };
  if (to === HUMAN) {
    if (type !== "question") return { problem: `is no question, and ${HUMAN} is only asked` };
    return { call: { verb: "ask", text: wordsOf(content) } };
  }
  if (child.length > 0) return toChild(message, child);
  const { parent } = around;
  if (parent === null) return { problem: `goes to ${to}, with whom no conversation is open` };
  if (to === PARENT || to === parent.agent) return { call: send(parent, { ...message, to: parent.agent }) };
  if (to === around.agent || !around.siblings.includes(to))
    return { problem: `goes to ${to}: there are ${[HUMAN, PARENT, ...othersIn(around)].join(", ")}` };
  return { call: send(parent, message) };
}

function toChild(
  message: FileMessage,
  open: TurnFacts["children"],
): { readonly call: Call } | { readonly problem: string } {
  const [child] = open;
  if (child !== undefined && open.length === 1) return { call: send(child, message) };
  const threads = open.map(({ thread }) => thread).join(", ");
  return {
    problem: `goes to ${message.to}, with whom several conversations are open (${threads}): use cfa send --thread`,
  };
}

function send(to: { readonly agent: string; readonly thread: string }, message: FileMessage): Call {
  return {
    verb: "send",
    to: to.agent,
    thread: to.thread,
    message: mailBodyOf(message),
    files: [],
    optional: false,
  };
}

function othersIn({ agent, siblings, children }: Surroundings): readonly string[] {
  const names = [...children.map((child) => child.agent), ...siblings];
  return [...new Set(names)].filter((name) => name !== agent);
}
