/** Single steps: rounds, firings by rule and bindings, choices in notation, outside moves; what their errors tell. */
import { describe, expect, test } from "vitest";
import {
  type At,
  fire,
  happen,
  literal,
  NotARedex,
  parseChoice,
  plainMessage,
  printConfiguration,
  type RuleId,
  soup,
  step,
  trace,
} from "../../src/testing.ts";

const two = "Idle(A,s) ‖ Mailbox(A,s,[m]) ‖ Idle(B,t) ‖ Mailbox(B,t,[n])";

test("a round fires all that is disjoint, a firing the first", () => {
  expect(trace(step(soup(two)).events)).toEqual([
    "wake: Idle(A,s) ‖ Mailbox(A,s,[m]) → Run(A,s,m) ‖ Mailbox(A,s,[])",
    "wake: Idle(B,t) ‖ Mailbox(B,t,[n]) → Run(B,t,n) ‖ Mailbox(B,t,[])",
  ]);
  const { configuration, events } = step(soup(two), { by: "firing" });
  expect(events.map(({ rule }) => rule)).toEqual(["wake"]);
  expect(printConfiguration(configuration)).toBe(
    "Idle(B,t) ‖ Mailbox(A,s,[]) ‖ Mailbox(B,t,[n]) ‖ Run(A,s,m)",
  );
});

test.each(["round", "firing"] as const)("by %s nothing happens in an inert soup", (by) => {
  const before = soup("Run(A,t,m)");
  expect(step(before, { by })).toEqual({ configuration: before, events: [] });
});

test("the table may be the literal one, in which something starts on a dying thread", () => {
  const dying = soup("Terminate(t) ‖ Parent(c,t) ‖ Send(C,c,[])");
  expect(step(dying, { table: literal }).events.map(({ rule }) => rule)).toEqual(["cascade"]);
  expect(
    printConfiguration(
      fire(soup("Terminate(t) ‖ Idle(A,t) ‖ Mailbox(A,t,[m])"), "wake", {}, undefined, literal),
    ),
  ).toBe("Mailbox(A,t,[]) ‖ Run(A,t,m) ‖ Terminate(t)");
});

describe("a trace shows what was taken and made, not what only had to be there", () => {
  test.each([
    ["Terminate(t1) ‖ Parent(t1,t0)", ["term-final: Terminate(t1) ‖ Parent(t1,t0) → ε ; closed t1"]],
    ["Terminate(t1) ‖ Idle(A,t1)", ["term-idle: Idle(A,t1) → ε"]],
    [
      "Terminate(t) ‖ Terminate(t,drop)",
      ["term-absorb: Terminate(t) ‖ Terminate(t,drop) → Terminate(t,drop)"],
    ],
    ["Run(A,t,m) ‖ Interrupt(t,m)", ["interrupt: Run(A,t,m) ‖ Interrupt(t,m) → Run(A,t,m)"]],
    [
      "Send(R,t,[terminate(c)]) ‖ Parent(c,t)",
      ["send-terminate: Send(R,t,[terminate(c)]) → Send(R,t,[]) ‖ Terminate(c)"],
    ],
  ])("%s", (before, lines) => {
    expect(trace(step(soup(before)).events)).toEqual(lines);
  });
});

describe("fire", () => {
  test.each<readonly [rule: RuleId, at: At, choice: string | undefined, before: string, after: string]>([
    ["wake", { t: "t" }, undefined, two, "Idle(A,s) ‖ Mailbox(A,s,[m]) ‖ Mailbox(B,t,[]) ‖ Run(B,t,n)"],
    ["wake", { A: "A" }, undefined, two, "Idle(B,t) ‖ Mailbox(A,s,[]) ‖ Mailbox(B,t,[n]) ‖ Run(A,s,m)"],
    ["nosend-step", {}, undefined, "Run(A,t,m)", "Idle(A,t)"],
    [
      "send-step",
      {},
      'ps = [deliver(B,s,"a, b"),terminate(s)]',
      "Run(A,t,m)",
      'Send(A,t,[deliver(B,s,"a, b"),terminate(s)])',
    ],
    [
      "ask-step",
      { t: "t" },
      'e = e1, x = "red, or blue?", π = always',
      "Run(A,t,m)",
      'AskQuestion(A,t,e1,"red, or blue?",always)',
    ],
    ["escalate", { e: "e1" }, "y = why?", "Proxy(A,t,e1,x,always,fresh)", "AskHuman(A,t,e1,why?,always)"],
    ["human-reply", {}, "x' = so", "AskHuman(A,t,e1,x,always)", "Proxy(A,t,e1,so,always,post-human)"],
    ["respond", {}, "a = no", "Proxy(A,t,e1,x,never,fresh) ‖ Mailbox(A,t,[])", "Mailbox(A,t,[ans(no)])"],
    [
      "interrupt",
      { t: "t" },
      undefined,
      "Run(A,t,m) ‖ Interrupt(t,X) ‖ Interrupt(t,Y)",
      "Interrupt(t,Y) ‖ Run(A,t,X)",
    ],
  ])("%s %j %s", (rule, at, choice, before, after) => {
    expect(printConfiguration(fire(soup(before), rule, at, choice))).toBe(after);
  });

  test("leaves the configuration before as it is", () => {
    const before = soup(two);
    fire(before, "wake", { t: "t" });
    expect(printConfiguration(before)).toBe(two.split(" ‖ ").sort().join(" ‖ "));
  });

  test.each<
    readonly [what: string, rule: RuleId, at: At, choice: string | undefined, before: string, problem: string]
  >([
    [
      "a rule that matches elsewhere names the places",
      "wake",
      { t: "u" },
      undefined,
      two,
      "wake does not match with t = u. It is Idle(A,t) ‖ Mailbox(A,t,m·q) → Run(A,t,m) ‖ Mailbox(A,t,q) when no Interrupt(t,_), live(t)\n" +
        "It matches\n" +
        "  with A = A, t = s: Idle(A,s) ‖ Mailbox(A,s,[m])\n" +
        "  with A = B, t = t: Idle(B,t) ‖ Mailbox(B,t,[n])",
    ],
    [
      "a rule that matches nowhere shows the soup",
      "send-empty",
      {},
      undefined,
      "Idle(A,t)",
      "send-empty does not match anywhere. It is Send(B,t,[]) → Idle(B,t) when live(t)\nIt matches nowhere in\n  Idle(A,t)",
    ],
    [
      "a rule that matches twice asks which is meant",
      "wake",
      {},
      undefined,
      two,
      "wake matches more than once anywhere; name the one that is meant:\n" +
        "  with A = A, t = s: Idle(A,s) ‖ Mailbox(A,s,[m])\n" +
        "  with A = B, t = t: Idle(B,t) ‖ Mailbox(B,t,[n])",
    ],
    [
      "no choice where one is due",
      "send-step",
      {},
      undefined,
      "Run(A,t,m)",
      "send-step takes the choice {ps}, but got {}",
    ],
    [
      "another rule's choice",
      "send-step",
      {},
      "a = x",
      "Run(A,t,m)",
      "send-step takes the choice {ps}, but got {a}",
    ],
  ])("%s", (_what, rule, at, choice, before, problem) => {
    expect(() => fire(soup(before), rule, at, choice)).toThrow(new NotARedex(problem));
  });

  test("a rule that the table lacks is named with those that it has", () => {
    expect(() => fire(soup("ε"), "refuse", {}, undefined, literal)).toThrow(
      /no rule "refuse" in the table "literal": send, spark, /u,
    );
  });
});

describe("choices in notation", () => {
  test.each([
    ["", {}],
    [" ps=[] ", { ps: [] }],
    ['e = "a b"', { e: "a b" }],
    ["a = ans(x)", { a: plainMessage("x", "answer") }],
  ])("%j", (text, choice) => {
    expect(parseChoice(text)).toEqual(choice);
  });

  test.each([
    ["z = x", '"z" is no variable of a choice: those are ps, e, x, π, y, x\' and a'],
    ["ps", 'expected "["'],
    ["π = sometimes", 'π is one of never, when_unsure, always, not "sometimes"'],
    ["ps = [close(t)]", "expected a payload (deliver, terminate, ask)"],
    ["a = f(x)", "only ans(…) and refused(…) take an argument"],
  ])("%j is refused", (text, problem) => {
    expect(() => parseChoice(text)).toThrow(problem);
  });
});

describe("outside moves", () => {
  const message = plainMessage("x", "human");

  test("an accepted one gives the next configuration", () => {
    const after = happen(soup("Idle(A,t)"), { kind: "interrupt", thread: "t", message });
    expect(printConfiguration(after)).toBe("Idle(A,t) ‖ Interrupt(t,x)");
  });

  test.each([
    [{ kind: "interrupt", thread: "t", message } as const, "interrupt of t: x: nobody is on t"],
    [
      { kind: "post", agent: "A", thread: "t", message, head: true } as const,
      "mail to t at the head: x: A has no mailbox on t",
    ],
    [{ kind: "terminate", thread: "t9", mode: "drop" } as const, "end of t9, drop: t9 has ended"],
    [{ kind: "rollback", thread: "t" } as const, "the turn on t is lost: nothing runs on t"],
    [
      { kind: "open", root: { agent: "A", thread: "t9" }, rosters: {}, cap: 1 } as const,
      "A opens t9: t9 is already open",
    ],
  ])("a refused %j is an error with its sentence", (move, sentence) => {
    expect(() => happen(soup("ε ; closed t9"), move)).toThrow(sentence);
  });
});
