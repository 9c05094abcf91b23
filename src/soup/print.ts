/**
 * Printing molecules in the notation of docs/rules.md, the text format of logs, docs, errors and tests.
 *
 * P1. Printing shows no ids, senders or turn numbers; equal notation is equality for exploration.
 * P2. A body longer than {@link LONG_BODY} prints as its hash, so a line stays a line.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Configuration } from "./configuration.ts";
import type { Message, Payload } from "./message.ts";
import type { Molecule } from "./molecule.ts";

/** Longest body, in UTF-16 units, that prints as itself. */
export const LONG_BODY = 120;

/** What an atom looks like: an id or a word without quotes. */
export const ATOM = /^[\p{L}\p{N}_$#@%+\-./:~'!?*]+$/u;

/** Prints text as an atom where it is one, otherwise as a JSON string. */
export function printAtom(text: string): string {
  return ATOM.test(text) ? text : JSON.stringify(text);
}

function printBody(body: string): string {
  if (body.length <= LONG_BODY) return printAtom(body);
  return `#${bytesToHex(sha256(utf8ToBytes(body))).slice(0, 16)}`;
}

/** The text is how an answer or a refusal is printed: what an agent makes of it when it passes such a message on. */
function isFramed(text: string): boolean {
  const [, word, inner] = /^(ans|refused)\(([^]*)\)$/u.exec(text) ?? [];
  if (inner === undefined || text.length > LONG_BODY) return false;
  if (word === "ans" && isFramed(inner)) return true;
  return inner === printAtom(unquoted(inner));
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    // Then it is no JSON string, and prints as another text.
    return "";
  }
}

/** Prints a message: its body, `ans(body)` or `refused(thread)`; the body of an answer may be an answer or a refusal, too. */
export function printMessage(message: Message): string {
  if (message.kind === "answer")
    return `ans(${isFramed(message.body) ? message.body : printBody(message.body)})`;
  if (message.kind === "refusal") return `refused(${printAtom(message.re ?? "")})`;
  return printBody(message.body);
}

/** Prints a payload: `deliver(A,t,x)`, `terminate(t)` or `ask(e,x,π)`. */
export function printPayload(payload: Payload): string {
  switch (payload.kind) {
    case "deliver":
      return `deliver(${printAtom(payload.agent)},${printAtom(payload.thread)},${printMessage(payload.message)})`;
    case "terminate":
      return `terminate(${printAtom(payload.thread)})`;
    case "ask":
      return `ask(${printAtom(payload.question)},${printMessage(payload.text)},${payload.policy})`;
  }
}

function list<T>(items: Iterable<T>, print: (item: T) => string): string {
  return `[${[...items].map(print).join(",")}]`;
}

/** Prints a molecule. */
export function printMolecule(molecule: Molecule): string {
  const at = (...rest: readonly string[]) =>
    `${molecule.kind}(${"agent" in molecule ? `${printAtom(molecule.agent)},` : ""}${[printAtom(molecule.thread), ...rest].join(",")})`;
  switch (molecule.kind) {
    case "Idle":
      return at();
    case "Run":
      return at(printMessage(molecule.message));
    case "Send":
      return at(list(molecule.payloads, printPayload));
    case "Mailbox":
      return at(list(molecule.messages, printMessage));
    case "Parent":
      return `Parent(${printAtom(molecule.child)},${printAtom(molecule.thread)})`;
    case "Terminate":
      return molecule.mode === "drop" ? at("drop") : at();
    case "AskQuestion":
    case "AskHuman":
      return at(printAtom(molecule.question), printMessage(molecule.text), molecule.policy);
    case "Proxy":
      return at(printAtom(molecule.question), printMessage(molecule.text), molecule.policy, molecule.phase);
    case "Interrupt":
      return at(printMessage(molecule.message));
  }
}

/** The molecules of a configuration in notation, sorted: the canonical form of a soup. */
export function printSoup(configuration: Configuration): string[] {
  return [...configuration.molecules()].map(printMolecule).sort();
}
