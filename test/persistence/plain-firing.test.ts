/** What is taken for a plain firing fits the schema as it stands; what does not fit it is never taken for one. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { firingSchema } from "../../src/persistence/entry.ts";
import { isPlainFiring } from "../../src/persistence/plain-firing.ts";

const message = { id: "m1", from: { agent: "a", thread: "t" }, kind: "task", body: "" };
const deliver = { kind: "deliver", agent: "b", thread: "u", message };
const broadcast = (ps: readonly unknown[]) => ({ rule: "send-step", at: { A: "a", t: "t" }, choice: { ps } });

test.each<[string, unknown, boolean]>([
  ["without a choice", { rule: "wake", at: { A: "a", t: "t" } }, true],
  [
    "a broadcast that delivers",
    broadcast([deliver, { ...deliver, message: { ...message, from: null } }]),
    true,
  ],
  ["an empty broadcast", broadcast([]), true],
  ["a broadcast that closes", broadcast([{ kind: "terminate", thread: "u" }]), false],
  ["a message about another", broadcast([{ ...deliver, message: { ...message, re: "q1" } }]), false],
  ["a message of no kind", broadcast([{ ...deliver, message: { ...message, kind: "mail" } }]), false],
  ["a delivery to nobody", broadcast([{ ...deliver, agent: "" }]), false],
  ["no rule", { rule: "", at: {} }, false],
  ["a place that is no text", { rule: "wake", at: { t: 1 } }, false],
  ["a list of places", { rule: "wake", at: [] }, false],
  ["one member more", { rule: "wake", at: {}, also: 1 }, false],
  ["a choice of something else", { rule: "ask-step", at: {}, choice: { e: "q1" } }, false],
  ["nothing", null, false],
])("%s", (_, body, plain) => {
  expect(isPlainFiring(body)).toBe(plain);
});

test("property: of values like firings none is taken for one that its schema refuses or changes", () => {
  const odd = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.string(), fc.constant([]));
  const or = (value: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: odd });
  const record = (members: Record<string, fc.Arbitrary<unknown>>) =>
    or(fc.record(members, { requiredKeys: Object.keys(members).slice(1) }));
  const name = or(fc.constantFrom("a", "b", ""));
  const envelope = record({
    id: name,
    from: record({ agent: name, thread: name }),
    kind: or(fc.constantFrom("task", "reply", "mail")),
    body: name,
  });
  const payload = record({
    kind: or(fc.constantFrom("deliver", "ask")),
    agent: name,
    thread: name,
    message: envelope,
  });
  const firing = record({
    choice: record({ e: name, ps: or(fc.array(payload, { maxLength: 2 })) }),
    rule: name,
    at: or(fc.dictionary(fc.constantFrom("A", "t", "t'"), name)),
  });
  fc.assert(
    fc.property(firing, (value) => {
      const body: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value));
      if (isPlainFiring(body)) expect(firingSchema.parse(body)).toEqual(body);
    }),
    { numRuns: 2_000 },
  );
});
