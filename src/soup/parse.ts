/**
 * Parsing the notation of docs/rules.md: the inverse of print.ts.
 *
 * N1. parse(print(x)) prints as x again; bodies, agents, threads and policies survive, ids and senders do not.
 * N2. Malformed text is refused with line, column and what was expected there.
 */
import type { Message, MessageKind, Payload, Policy } from "./message.ts";
import { POLICIES } from "./message.ts";
import type { Molecule } from "./molecule.ts";
import { LONG_BODY, printMessage } from "./print.ts";
import { Queue } from "./queue.ts";

/** Text that is not in the notation; the message says where and what was expected. */
export class NotationError extends Error {
  override readonly name = "NotationError";
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;

  constructor(text: string, offset: number, expected: string) {
    const before = text.slice(0, offset).split("\n");
    const line = before.length;
    const column = (before.at(-1)?.length ?? 0) + 1;
    const found =
      offset < text.length ? `found ${JSON.stringify(text.slice(offset, offset + 12))}` : "found the end";
    super(`line ${line}, column ${column}: expected ${expected}, ${found}`);
    this.line = line;
    this.column = column;
  }
}

const WORD = /[\p{L}\p{N}_$#@%+\-./:~'!?*]+/uy;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const BLANK = /\s*/y;

class Reader {
  readonly text: string;
  offset = 0;

  constructor(text: string) {
    this.text = text;
    this.blank();
  }

  fail(expected: string): never {
    throw new NotationError(this.text, this.offset, expected);
  }

  blank(): void {
    BLANK.lastIndex = this.offset;
    BLANK.exec(this.text);
    this.offset = BLANK.lastIndex;
  }

  at(symbol: string): boolean {
    return this.text.startsWith(symbol, this.offset);
  }

  take(symbol: string): void {
    if (!this.at(symbol)) this.fail(`"${symbol}"`);
    this.offset += symbol.length;
    this.blank();
  }

  /** An atom or a JSON string. */
  atom(what: string): string {
    STRING.lastIndex = this.offset;
    const quoted = STRING.exec(this.text);
    if (quoted !== null) {
      const value = this.json(quoted[0]);
      this.offset = STRING.lastIndex;
      this.blank();
      return value;
    }
    WORD.lastIndex = this.offset;
    const word = WORD.exec(this.text);
    if (word === null) this.fail(what);
    this.offset = WORD.lastIndex;
    this.blank();
    return word[0];
  }

  json(quoted: string): string {
    try {
      return String(JSON.parse(quoted));
    } catch (error) {
      return this.fail(`a JSON string (${error instanceof Error ? error.message : String(error)})`);
    }
  }

  oneOf<T extends string>(words: readonly T[], what: string): T {
    const start = this.offset;
    const word = this.atom(what);
    const known = words.find((one) => one === word);
    if (known === undefined) {
      this.offset = start;
      this.fail(`${what} (${words.join(", ")})`);
    }
    return known;
  }

  list<T>(item: () => T): Queue<T> {
    this.take("[");
    const items: T[] = [];
    while (!this.at("]")) {
      if (items.length > 0) this.take(",");
      items.push(item());
    }
    this.take("]");
    return Queue.from(items);
  }
}

/** A message without id or sender. */
export function plainMessage(body: string, kind: MessageKind = "task", re?: string): Message {
  return re === undefined ? { id: "", from: null, kind, body } : { id: "", from: null, kind, body, re };
}

function message(reader: Reader): Message {
  const quoted = reader.at('"');
  const word = reader.atom("a message");
  if (quoted || !reader.at("(")) return plainMessage(word);
  if (word !== "ans" && word !== "refused")
    reader.fail('"," or ")" (only ans(…) and refused(…) take an argument)');
  reader.take("(");
  const inner = word === "ans" ? bodyOf(reader) : reader.atom("a thread");
  reader.take(")");
  return word === "ans" ? plainMessage(inner, "answer") : plainMessage("", "refusal", inner);
}

/** Deeper, an answer is longer than a body that is printed as it stands. */
const DEPTH_MAX = LONG_BODY / "ans()".length;

/** The text that is answered: an atom, a JSON string, or an answer or refusal as it is printed. */
function bodyOf(reader: Reader, depth = 1): string {
  const quoted = reader.at('"');
  const word = reader.atom("an atom, a JSON string, ans(…) or refused(…)");
  if (quoted || !reader.at("(")) return word;
  if (word !== "ans" && word !== "refused") reader.fail('")" (only ans(…) and refused(…) take an argument)');
  if (depth === DEPTH_MAX) reader.fail(`an answer in at most ${DEPTH_MAX} others`);
  reader.take("(");
  const inner = word === "ans" ? bodyOf(reader, depth + 1) : reader.atom("a thread");
  reader.take(")");
  return printMessage(word === "ans" ? plainMessage(inner, "answer") : plainMessage("", "refusal", inner));
}

function policy(reader: Reader): Policy {
  return reader.oneOf(POLICIES, "a policy");
}

function payload(reader: Reader): Payload {
  const kind = reader.oneOf(["deliver", "terminate", "ask"], "a payload");
  reader.take("(");
  const result = payloadOf(kind, reader);
  reader.take(")");
  return result;
}

function payloadOf(kind: Payload["kind"], reader: Reader): Payload {
  switch (kind) {
    case "deliver": {
      const agent = reader.atom("an agent");
      reader.take(",");
      const thread = reader.atom("a thread");
      reader.take(",");
      return { kind, agent, thread, message: message(reader) };
    }
    case "terminate":
      return { kind, thread: reader.atom("a thread") };
    case "ask": {
      const question = reader.atom("a question id");
      reader.take(",");
      const text = message(reader);
      reader.take(",");
      return { kind, question, text, policy: policy(reader) };
    }
  }
}

const KINDS = [
  "Idle",
  "Run",
  "Send",
  "Mailbox",
  "Parent",
  "Terminate",
  "AskQuestion",
  "Proxy",
  "AskHuman",
  "Interrupt",
] as const;

function molecule(reader: Reader): Molecule {
  const kind = reader.oneOf(KINDS, "a molecule");
  reader.take("(");
  const result = moleculeOf(kind, reader);
  reader.take(")");
  return result;
}

function moleculeOf(kind: Molecule["kind"], reader: Reader): Molecule {
  if (kind === "Terminate") {
    const thread = reader.atom("a thread");
    if (!reader.at(",")) return { kind, thread, mode: "merge" };
    reader.take(",");
    return { kind, thread, mode: reader.oneOf(["drop", "merge"], "an end mode") };
  }
  if (kind === "Parent" || kind === "Interrupt") {
    const first = reader.atom("a thread");
    reader.take(",");
    if (kind === "Interrupt") return { kind, thread: first, message: message(reader) };
    return { kind, child: first, thread: reader.atom("a thread") };
  }
  const agent = reader.atom("an agent");
  reader.take(",");
  const thread = reader.atom("a thread");
  if (kind === "Idle") return { kind, agent, thread };
  reader.take(",");
  switch (kind) {
    case "Run":
      return { kind, agent, thread, message: message(reader), turn: 0 };
    case "Send":
      return { kind, agent, thread, payloads: reader.list(() => payload(reader)) };
    case "Mailbox":
      return { kind, agent, thread, messages: reader.list(() => message(reader)) };
    default: {
      const question = reader.atom("a question id");
      reader.take(",");
      const text = message(reader);
      reader.take(",");
      const bound = policy(reader);
      if (kind !== "Proxy") return { kind, agent, thread, question, text, policy: bound };
      reader.take(",");
      const phase = reader.oneOf(["fresh", "post-human"], "a phase");
      return { kind, agent, thread, question, text, policy: bound, phase };
    }
  }
}

/**
 * Parses molecules separated by `‖` or white space; `ε` and nothing are the empty soup.
 * @throws NotationError with line, column and what was expected.
 */
export function parseSoup(text: string): Molecule[] {
  const reader = new Reader(text);
  if (text.trim() === "ε" || text.trim() === "") return [];
  const molecules = [molecule(reader)];
  while (reader.offset < text.length) {
    if (reader.at("‖")) reader.take("‖");
    else if (!/\s/u.test(text.charAt(reader.offset - 1))) reader.fail('"‖" or white space');
    molecules.push(molecule(reader));
  }
  return molecules;
}

/** Parses exactly one molecule. See {@link parseSoup}. */
export function parseMolecule(text: string): Molecule {
  const reader = new Reader(text);
  const result = molecule(reader);
  if (reader.offset < text.length) reader.fail("the end");
  return result;
}

/** Parses exactly one message. See {@link parseSoup}. */
export function parseMessage(text: string): Message {
  const reader = new Reader(text);
  const result = message(reader);
  if (reader.offset < text.length) reader.fail("the end");
  return result;
}
