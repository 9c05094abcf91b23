/** Building a table: what it refuses (K1), and the anchors that matching visits. */
import { expect, test } from "vitest";
import type { RuleText } from "../../src/rules/rule.ts";
import { compileTable, complete, literal } from "../../src/rules/table.ts";

const rule: RuleText = {
  id: "wake",
  section: "CfA §5",
  about: "Nothing.",
  left: "Idle(A,t)",
  right: "Idle(A,t)",
};

test.each<readonly [what: string, texts: readonly RuleText[], problem: string]>([
  ["a rule that does not say what it does", [{ ...rule, about: "" }], "it does not say what it does"],
  ["an id twice", [rule, rule], "a rule id stands twice"],
  ["a molecule that does not exist", [{ ...rule, left: "Ideal(A,t)" }], "is not a molecule of a rule"],
  [
    "a variable of another sort",
    [{ ...rule, left: "Idle(m,t)" }],
    '"m" is no variable of the sort that stands here',
  ],
  ["an unknown guard", [{ ...rule, when: ["lives(t)"] }], 'unknown guard "lives(t)"'],
  [
    "a guard about what the left does not bind",
    [{ ...rule, when: ["live(t')"] }],
    "reads t', which the left side does not bind",
  ],
  ["a product of what nothing binds", [{ ...rule, right: "Run(A,t,m)" }], "the right side reads m"],
  ["a choice that the right does not read", [{ ...rule, choice: ["m"] }], "the choice gives m"],
  ["a scan for a molecule", [{ ...rule, left: "Idle(A,t) ‖ Run(B,t',m)" }], "Run needs a scan"],
  ["a scan for an edge", [{ ...rule, left: "Idle(A,t) ‖ Parent(t',_)" }], "Parent needs a scan"],
  [
    "an anchor that matching never visits",
    [{ ...rule, left: "Mailbox(A,t,q)" }],
    "matching never starts at Mailbox",
  ],
  [
    "an optional molecule before another",
    [{ ...rule, left: "Idle(A,t) [‖ Parent(t,_)] ‖ Mailbox(A,t,q)" }],
    "only the last molecule may be optional",
  ],
])("refuses %s", (_what, texts, problem) => {
  expect(() => compileTable("custom", texts)).toThrow(problem);
});

test.each([complete, literal])("$name: a rule is structural exactly when it has no choice", ({ rules }) => {
  const choosing = rules.filter(({ structural }) => !structural).map(({ id }) => id);
  expect(choosing).toEqual(["send-step", "nosend-step", "ask-step", "escalate", "human-reply", "respond"]);
});

test("of complete, exactly the term rules and cascade are withdrawal", () => {
  const withdrawal = complete.rules.filter(({ text }) => text.withdrawal === true).map(({ id }) => id);
  expect(withdrawal).toEqual([
    "term-run", "term-idle", "term-mbox", "term-send", "term-ask", "term-proxy", "term-human", "term-int",
    "cascade", "term-absorb", "term-final",
  ]); // prettier-ignore
});

test("of complete, every rule that is not withdrawal fires only on live threads", () => {
  for (const { id, text } of complete.rules) {
    if (text.withdrawal !== true) expect([id, text.when?.includes("live(t)")]).toEqual([id, true]);
  }
});
