/** The analysis of rule tables: nothing in those that ship, everything in bad ones. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { analyse, buildTable, type FindingKind } from "../../src/rules/analysis.ts";
import { COMPLETE } from "../../src/rules/complete.ts";
import { LITERAL } from "../../src/rules/literal.ts";
import type { RuleText } from "../../src/rules/rule.ts";
import { compileTable } from "../../src/rules/table.ts";

const documented = new Set(
  [
    ...readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8").matchAll(/^### ([a-z-]+)$/gmu),
  ].map(([, id = ""]) => id),
);

test("complete has no finding", () => {
  expect(analyse(COMPLETE, documented)).toEqual([]);
});

test("literal has no finding: it sticks because of guards that it lacks, not of its shape", () => {
  expect(analyse(LITERAL, documented)).toEqual([]);
});

const rule = (id: RuleText["id"], left: string, right: string, more: Partial<RuleText> = {}): RuleText => ({
  id,
  section: "CfA §5",
  about: "It does something.",
  left,
  right,
  ...more,
});
const wake = rule("wake", "Idle(A,t) ‖ Mailbox(A,t,m·q)", "Run(A,t,m) ‖ Mailbox(A,t,q)", {
  when: ["live(t)"],
});
const rest = rule("nosend-step", "Run(A,t,m)", "Idle(A,t)", { choice: [] });
const empty = rule("send-empty", "Send(B,t,[])", "Idle(B,t)");

test.each<
  readonly [what: string, texts: readonly RuleText[], kind: FindingKind, culprits: readonly string[]]
>([
  ["an id that stands twice", [wake, rest, { ...empty, id: "wake" }], "duplicate", ["wake"]],
  [
    "the same rule with other names",
    [
      wake,
      rest,
      { ...wake, id: "wake-int", left: "Idle(B,t) ‖ Mailbox(B,t,x·q)", right: "Run(B,t,x) ‖ Mailbox(B,t,q)" },
    ],
    "duplicate",
    ["wake-int"],
  ],
  [
    "the same rule with its molecules in another order",
    [wake, rest, { ...wake, id: "wake-int", left: "Mailbox(A,t,m·q) ‖ Idle(A,t)" }],
    "duplicate",
    ["wake-int"],
  ],
  [
    "a rule that asks more than an earlier one",
    [wake, rest, { ...wake, id: "wake-int", when: ["live(t)", "no Interrupt(t,_)"], right: "Run(A,t,m)" }],
    "shadowed",
    ["wake-int"],
  ],
  [
    "a rule of one payload after the rule of any",
    [
      rule("refuse", "Send(B,t,p·ms)", "Send(B,t,ms)"),
      rule("send-closed", "Send(B,t,terminate(t')·ms)", "Send(B,t,ms) ‖ Idle(B,t)"),
      empty,
      rule("term-idle", "Idle(A,t)", "ε"),
    ],
    "shadowed",
    ["send-closed"],
  ],
  [
    "a product that nothing takes",
    [wake, rest, rule("escalate", "Proxy(A,t,e,x,π,h)", "AskHuman(A,t,e,x,π)")],
    "unconsumed",
    ["escalate"],
  ],
  [
    "a product that is only taken in another phase",
    [
      rule("ask", "AskQuestion(A,t,e,x,π)", "Proxy(A,t,e,x,π,fresh)"),
      rule("respond", "Proxy(A,t,e,x,π,post-human)", "ε"),
    ],
    "unconsumed",
    ["ask"],
  ],
  [
    "a product that is only looked at",
    [
      rest,
      wake,
      rule("term-run", "Terminate(t,k) ‖ Run(A,t,m)", "Terminate(t,k)"),
      rule("cascade", "Idle(A,t)", "Terminate(t,drop)"),
    ],
    "unconsumed",
    ["cascade"],
  ],
  [
    "a molecule of a thread that nothing leads to",
    [wake, rest, { ...empty, left: "Send(B,t,[]) ‖ Idle(A,t')", right: "Idle(A,t)" }],
    "scan",
    ["send-empty"],
  ],
  [
    "an edge between threads that nothing leads to",
    [wake, rest, { ...empty, left: "Send(B,t,[]) ‖ Parent(t',_)" }],
    "scan",
    ["send-empty"],
  ],
  [
    "two rules that undo each other",
    [
      rule("wake", "Idle(A,t) ‖ Mailbox(A,t,m·q)", "Run(A,t,m) ‖ Mailbox(A,t,q)"),
      rule("interrupt", "Run(A,t,m) ‖ Mailbox(A,t,q)", "Idle(A,t) ‖ Mailbox(A,t,q·m)"),
    ],
    "livelock",
    ["wake", "interrupt"],
  ],
  [
    "a rule that feeds itself",
    [wake, rest, rule("send", "Mailbox(A,t,q)", "Mailbox(A,t,q·x)")],
    "livelock",
    ["send"],
  ],
  [
    "a rule that gets smaller only if an optional molecule is there",
    [rule("term-final", "Terminate(t,k) [‖ Parent(t,_)]", "Terminate(t,k)")],
    "livelock",
    ["term-final"],
  ],
])("finds %s", (_what, texts, kind, culprits) => {
  const found = analyse(texts).filter((one) => one.kind === kind);
  expect(found.map((one) => one.rule)).toEqual(culprits);
});

test("finds a rule without documentation", () => {
  expect(analyse([wake, rest], new Set(["wake"]))).toEqual([
    { kind: "undocumented", rule: "nosend-step", what: "the document of the rules does not have it" },
  ]);
});

test.each([[{ about: "" }], [{ about: " \n" }]])(
  "finds a rule that does not say what it does: %j",
  (more) => {
    const what = "it does not say what it does; give it `about`, a sentence";
    const texts = [wake, { ...rest, ...more }];
    expect(analyse(texts)).toEqual([{ kind: "undocumented", rule: "nosend-step", what }]);
    expect(() => buildTable(texts)).toThrow(`nosend-step: ${what}`);
    expect(() => compileTable("custom", texts)).toThrow(`rule nosend-step: ${what}`);
  },
);

test("rules that somebody chooses from do not shadow each other", () => {
  const silent = rule("send-step", "Run(A,t,m)", "Send(A,t,ps)", { choice: ["ps"] });
  expect(analyse([wake, rest, silent, empty])).toEqual([]);
});

test("a table with findings is not built", () => {
  expect(() => buildTable([wake])).toThrow("wake: no rule takes Run(A,t,m)");
  expect(buildTable([wake, rest]).rules.map(({ id }) => id)).toEqual(["wake", "nosend-step"]);
});

test.each(COMPLETE.map(({ id }) => id))("complete without %s is still found to come to rest", (id) => {
  expect(analyse(COMPLETE.filter((one) => one.id !== id)).filter(({ kind }) => kind === "livelock")).toEqual(
    [],
  );
});
