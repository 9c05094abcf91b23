/**
 * The tree of threads as a soup has it: Parent edges and what each instance is. No folds of the log take part, so it can be
 * drawn at any entry.
 */
import { shortThread } from "../../job/thread-names.ts";
import type { Cell } from "../../soup/cell.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { Question } from "../../soup/molecule.ts";
import { conversationOf } from "../../persistence/conversation.ts";
import { clip, count, firstLine } from "../view/text.ts";

/** A line of the tree; `touched` when its thread is one of those asked for. */
export type TreeLine = { readonly text: string; readonly touched: boolean };

/** The lines, roots first, children in spark order. Ended threads are left out. */
export function soupTree(configuration: Configuration, touched: readonly ThreadId[]): readonly TreeLine[] {
  const roots = [...configuration.cells()].filter((cell) => cell.up.length === 0 && isThere(cell));
  const lineOf = (thread: ThreadId, lead: string): TreeLine => ({
    text: `${lead}${shortThread(thread)}  ${what(configuration.cellOrEmpty(thread))}`,
    touched: touched.includes(thread),
  });
  const below = (thread: ThreadId, indent: string): TreeLine[] => {
    const children = [...configuration.children(thread)];
    const { questions } = configuration.cellOrEmpty(thread);
    const conversations = questions.map((one, at) => ({
      text: `${indent}${children.length === 0 && at === questions.length - 1 ? "└─ " : "├─ "}${conversationOf(one.question)}  ${stageOf(one)}`,
      touched: touched.includes(thread) || touched.includes(conversationOf(one.question)),
    }));
    const lines = children.flatMap((child, at) => {
      const last = at === children.length - 1;
      return [
        lineOf(child, `${indent}${last ? "└─ " : "├─ "}`),
        ...below(child, `${indent}${last ? "   " : "│  "}`),
      ];
    });
    return [...conversations, ...lines];
  };
  return roots.flatMap(({ thread }) => [lineOf(thread, ""), ...below(thread, "")]);
}

function isThere({ lifecycles, mailboxes, questions, interrupts, terminates, down }: Cell): boolean {
  const own = lifecycles.length + mailboxes.length + questions.length + interrupts.length + terminates.length;
  return own + down.count > 0;
}

/** Whom a question waits for, by its molecule, and under which policy; in which words. */
function stageOf(one: Question): string {
  const words = `(${one.policy}): ${clip(firstLine(one.text.body), 40)}`;
  switch (one.kind) {
    case "AskQuestion":
      return `is being asked ${words}`;
    case "Proxy":
      return one.phase === "fresh"
        ? `is with the proxy ${words}`
        : `is with the proxy, the human has replied ${words}`;
    case "AskHuman":
      return `waits for the human ${words}`;
  }
}

function what({ lifecycles, mailboxes, terminates, interrupts }: Cell): string {
  const parts = lifecycles.map((one) => {
    if (one.kind === "Run")
      return `${one.agent} runs turn ${one.turn}: ${clip(firstLine(one.message.body), 40)}`;
    if (one.kind === "Send") return `${one.agent} sends ${count(one.payloads.length, "payload")}`;
    return `${one.agent} is idle`;
  });
  const mail = mailboxes.reduce((total, { messages }) => total + messages.length, 0);
  if (mail > 0) parts.push(`${mail} in its mailbox`);
  if (interrupts.length > 0) parts.push("interrupted");
  if (terminates.length > 0) parts.push("is being ended");
  return parts.join(", ");
}
