/**
 * What is typed as the answer to a question: a line that Enter sends, or several that were pasted.
 *
 * T1. Pure: a key gives the next text and what it asks for.
 * T2. What is pasted is text as a whole: its line ends send nothing (bracketed paste).
 */
import type { Key } from "../context.ts";
import { withoutLast } from "../view/text.ts";

/** The text so far; `pasting` while the terminal delivers what was pasted. */
export type Typed = { readonly text: string; readonly pasting: boolean };

/** What a key asks for. */
export type Wish = "type" | "send" | "next" | "stop" | "nothing";

/** Nothing typed. */
export const NOTHING_TYPED: Typed = { text: "", pasting: false };

/** Switches the terminal so that it tells pasted text from typed text, and back. */
export const PASTE_ON = "\u001b[?2004h";
export const PASTE_OFF = "\u001b[?2004l";

/** The text after a key, and what the key asks for (T1). */
export function press(typed: Typed, key: Key): { readonly typed: Typed; readonly wish: Wish } {
  const { text, pasting } = typed;
  const to = (next: string) => ({ typed: { text: next, pasting }, wish: "type" as const });
  if (key.name === "paste-start" || key.name === "paste-end")
    return { typed: { text, pasting: key.name === "paste-start" }, wish: "type" };
  const isLineEnd = key.name === "return" || key.name === "enter";
  if (pasting) return to(text + (isLineEnd ? "\n" : printable(key.text)));
  if (key.ctrl && key.name === "c") return { typed, wish: "stop" };
  if (key.ctrl && key.name === "u") return to("");
  if (isLineEnd) return { typed, wish: "send" };
  if (key.name === "tab") return { typed, wish: "next" };
  if (key.name === "backspace") return to(withoutLast(text));
  const added = key.ctrl ? "" : printable(key.text);
  return added === "" ? { typed, wish: "nothing" } : to(text + added);
}

/** The text that a key types; empty for arrows, function keys and the like. */
function printable(text: string): string {
  return /^[^\p{Cc}]+$/u.test(text) || text === "\t" ? text : "";
}
