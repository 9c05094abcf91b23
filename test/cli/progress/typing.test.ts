/** What keys make of an answer that is being typed. */
import { expect, test } from "vitest";
import type { Key } from "../../../src/cli/context.ts";
import { NOTHING_TYPED, press, type Wish } from "../../../src/cli/progress/typing.ts";

const key = (name: string, text = "", ctrl = false): Key => ({ name, text, ctrl });
const type = (text: string): Key[] => [...text].map((letter) => key(letter, letter)); // oxlint-disable-line typescript/no-misused-spread -- plain letters
const PASTE = [key("paste-start", "\u001b[200~"), key("paste-end", "\u001b[201~")] as const;

test.each<readonly [string, readonly Key[], string, Wish]>([
  ["letters", type("blue"), "blue", "type"],
  ["a letter of two code units", [key("", "🎨")], "🎨", "type"],
  ["backspace takes a whole letter", [key("", "👩‍🎨"), key("backspace", "\u007f")], "", "type"],
  ["Enter sends", [...type("ok"), key("return", "\r")], "ok", "send"],
  ["Ctrl-U clears", [...type("no"), key("u", "\u0015", true)], "", "type"],
  ["Ctrl-C stops", [...type("x"), key("c", "\u0003", true)], "x", "stop"],
  ["Tab is for the next question", [key("tab", "\t")], "", "next"],
  [
    "arrows and function keys are nothing",
    [...type("x"), key("up", "\u001b[A"), key("f5", "\u001b[15~")],
    "x",
    "nothing",
  ],
  ["any other control key is nothing", [key("d", "\u0004", true)], "", "nothing"],
  [
    "a pasted line end is text",
    [PASTE[0], ...type("a"), key("return", "\r"), ...type("b"), PASTE[1]],
    "a\nb",
    "type",
  ],
  ["a pasted tab is text", [PASTE[0], key("tab", "\t"), PASTE[1]], "\t", "type"],
  ["after a paste Enter sends again", [PASTE[0], ...type("a"), PASTE[1], key("return", "\r")], "a", "send"],
])("%s", (_what, keys, text, wish) => {
  let at = { typed: NOTHING_TYPED, wish: "nothing" as Wish };
  for (const one of keys) at = press(at.typed, one);
  expect([at.typed.text, at.wish]).toEqual([text, wish]);
});
