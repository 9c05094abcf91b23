/**
 * Choices in notation, as docs/rules.md writes them behind a rule's id: `ps = [terminate(t1)]`, `e = e1, x = why?, π = never`.
 */
import { type Choice, NotARedex } from "../rules/fire.ts";
import { invariant } from "../soup/invariant.ts";
import type { Message, Payload, Policy } from "../soup/message.ts";
import { POLICIES } from "../soup/message.ts";
import { parseMolecule } from "../soup/parse.ts";

/** Parses one message: an atom, a JSON string, `ans(x)` or `refused(t)`. Throws NotationError. */
export function parseMessage(text: string): Message {
  const parsed = parseMolecule(`Interrupt(_,${text})`);
  invariant(parsed.kind === "Interrupt", "an Interrupt parses as one");
  return parsed.message;
}

/** Parses a broadcast: `[deliver(A,t,x),terminate(t),ask(e,x,π)]`. Throws NotationError. */
export function parsePayloads(text: string): Payload[] {
  const parsed = parseMolecule(`Send(_,_,${text})`);
  invariant(parsed.kind === "Send", "a Send parses as one");
  return [...parsed.payloads];
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"|[\s\S]/gu;

/** Splits at commas that stand outside brackets and strings. */
function partsOf(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "[" || token === "(") depth++;
    if (token === "]" || token === ")") depth--;
    if (token === "," && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${token}`);
  }
  return parts.map((part) => part.trim());
}

/** Removes the quotes of a JSON string; an atom stays as it is. */
function unquoted(text: string): string {
  return text.startsWith('"') ? parseMessage(text).body : text;
}

function policy(text: string): Policy {
  const known = POLICIES.find((one) => one === text);
  if (known === undefined) throw new NotARedex(`π is one of ${POLICIES.join(", ")}, not "${text}"`);
  return known;
}

function assigned(choice: Choice, name: string, value: string): Choice {
  switch (name) {
    case "ps":
      return { ...choice, ps: parsePayloads(value) };
    case "e":
      return { ...choice, e: unquoted(value) };
    case "π":
      return { ...choice, π: policy(value) };
    case "x":
    case "y":
    case "x'":
    case "a":
      return { ...choice, [name]: parseMessage(value) };
    default:
      throw new NotARedex(`"${name}" is no variable of a choice: those are ps, e, x, π, y, x' and a`);
  }
}

/**
 * Parses a choice in notation; empty text is the choice without a value.
 * @throws NotARedex for what is no choice, NotationError for a value that is not in the notation.
 */
export function parseChoice(text: string): Choice {
  let choice: Choice = {};
  if (text.trim() === "") return choice;
  for (const part of partsOf(text)) {
    const [, name = part, value = ""] = /^([^\s=]+)\s*=\s*([\s\S]*)$/u.exec(part) ?? [];
    choice = assigned(choice, name, value);
  }
  return choice;
}
