/** Random molecules, messages and names. */
import fc from "fast-check";
import type { Message, Payload } from "../../src/soup/message.ts";
import { POLICIES } from "../../src/soup/message.ts";
import type { Molecule } from "../../src/soup/molecule.ts";
import { plainMessage } from "../../src/soup/parse.ts";
import { Queue } from "../../src/soup/queue.ts";

/** Names that are atoms, that need quotes, and that look like syntax. */
export const name: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "A",
    "t0",
    "dispatch:0.1",
    "ans",
    "refused",
    "drop",
    "Idle",
    "ε",
    "x'",
    "constructor",
    "__proto__",
    "toString",
    "作业",
    "0",
    "1e3",
    "a,b",
    "[",
    '"',
    "‖",
    "",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 4 }),
);

/** Bodies, long ones among them. */
export const body: fc.Arbitrary<string> = fc.oneof(name, fc.string({ minLength: 100, maxLength: 200 }));

const policy = fc.constantFrom(...POLICIES);

/** A message without id and sender, as notation carries it. */
export const message: fc.Arbitrary<Message> = fc.oneof(
  body.map((text) => plainMessage(text)),
  body.map((text) => plainMessage(text, "answer")),
  name.map((re) => plainMessage("", "refusal", re)),
);

/** Any payload. */
export const payload: fc.Arbitrary<Payload> = fc.oneof(
  fc.record({ kind: fc.constant("deliver" as const), agent: name, thread: name, message }),
  fc.record({ kind: fc.constant("terminate" as const), thread: name }),
  fc.record({ kind: fc.constant("ask" as const), question: name, text: message, policy }),
);

function queue<T>(items: fc.Arbitrary<T>): fc.Arbitrary<Queue<T>> {
  return fc.array(items, { maxLength: 4 }).map((all) => Queue.from(all));
}

/** Any molecule, its agents and threads drawn from `names`. */
export function molecules(names: fc.Arbitrary<string>): fc.Arbitrary<Molecule> {
  const at = { agent: names, thread: names };
  const question = { ...at, question: name, text: message, policy };
  return fc.oneof(
    fc.record({ kind: fc.constant("Idle" as const), ...at }),
    fc.record({ kind: fc.constant("Run" as const), ...at, message, turn: fc.constant(0) }),
    fc.record({ kind: fc.constant("Send" as const), ...at, payloads: queue(payload) }),
    fc.record({ kind: fc.constant("Mailbox" as const), ...at, messages: queue(message) }),
    fc.record({ kind: fc.constant("Parent" as const), child: names, thread: names }),
    fc.record({
      kind: fc.constant("Terminate" as const),
      thread: names,
      mode: fc.constantFrom("merge" as const, "drop" as const),
    }),
    fc.record({ kind: fc.constant("AskQuestion" as const), ...question }),
    fc.record({ kind: fc.constant("AskHuman" as const), ...question }),
    fc.record({
      kind: fc.constant("Proxy" as const),
      ...question,
      phase: fc.constantFrom("fresh" as const, "post-human" as const),
    }),
    fc.record({ kind: fc.constant("Interrupt" as const), thread: names, message }),
  );
}
