/** Commands of `cfa step` as words: `n 3`, `b rule spark`, `/text`; several separated by `;`. */
import { Misuse } from "../errors.ts";
import type { Breakpoint, StepCommand } from "./session.ts";

/** What can be typed, for the help. */
export const COMMAND_HELP: readonly (readonly [string, string])[] = [
  ["n, space, →", "next entry; n 5 goes five on"],
  ["p, ←", "previous entry; p 5 goes five back"],
  ["g N", "go to entry N; 0 is before the first, g end the last"],
  ["b X", "breakpoint: rule X, thread X or message X; b alone lists them"],
  ["d N", "delete breakpoint N"],
  ["c, C", "continue to the next breakpoint, or back to the last one"],
  ["/ TEXT", "search forward; / alone again for the same"],
  ["print", "the screen, where there is no terminal"],
  ["?", "this help"],
  ["q", "quit"],
];

/** The commands of a `;`-separated list. @throws Misuse for a word that is none. */
export function parseCommands(list: string): readonly StepCommand[] {
  return list
    .split(";")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map(parseCommand);
}

/** One command. @throws Misuse for a word that is none. */
export function parseCommand(text: string): StepCommand {
  const trimmed = text.trim();
  if (trimmed.startsWith("/")) return { do: "search", text: trimmed.slice(1).trim() };
  const [word = "", ...rest] = trimmed.split(/\s+/);
  const argument = rest.join(" ");
  switch (word) {
    case "n":
      return { do: "move", by: number(argument, trimmed, 1) };
    case "p":
      return { do: "move", by: -number(argument, trimmed, 1) };
    case "g":
      return { do: "go", to: argument === "end" ? Number.MAX_SAFE_INTEGER : number(argument, trimmed) };
    case "b":
      return breakpoint(rest);
    case "d":
      return { do: "delete", number: number(argument, trimmed) };
    case "c":
      return { do: "continue", direction: 1 };
    case "C":
      return { do: "continue", direction: -1 };
    case "print":
      return { do: "print" };
    case "?":
    case "help":
      return { do: "help" };
    case "q":
    case "quit":
      return { do: "quit" };
    default:
      throw new Misuse(`"${trimmed}" is no command of cfa step: ? lists them`);
  }
}

function breakpoint(words: readonly string[]): StepCommand {
  const [first = "", ...rest] = words;
  const kind = KINDS.find((one) => one === first);
  const what = (kind === undefined ? words : rest).join(" ");
  return { do: "break", on: kind, what };
}

const KINDS: readonly Breakpoint["on"][] = ["rule", "thread", "message"];

function number(argument: string, text: string, otherwise?: number): number {
  if (argument === "" && otherwise !== undefined) return otherwise;
  if (!/^\d{1,15}$/.test(argument)) throw new Misuse(`"${text}" needs a number`);
  return Number(argument);
}
