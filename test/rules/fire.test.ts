/** Firing: choices, records, replay, turn numbers; what a record may not say. */
import { describe, expect, test } from "vitest";
import { type Choice, findRedex, fire, firingOf, NotARedex, replay } from "../../src/rules/fire.ts";
import { redexes } from "../../src/rules/redex.ts";
import { complete } from "../../src/rules/table.ts";
import { Edit } from "../../src/soup/edit.ts";
import { plainMessage } from "../../src/soup/parse.ts";
import { configurationFrom, everythingOf, redexesFor, stateOf, successors } from "./trace.ts";

const q = plainMessage("q");

describe("a choice is exactly the rule's", () => {
  const cases: readonly (readonly [
    rule: string,
    soup: string,
    choice: Choice | undefined,
    problem: string,
  ])[] = [
    ["send-step", "Run(A,t0,m)", undefined, "send-step takes the choice {ps}, but got {}"],
    ["send-step", "Run(A,t0,m)", { y: q }, "send-step takes the choice {ps}, but got {y}"],
    ["send-step", "Run(A,t0,m)", { ps: [], y: q }, "send-step takes the choice {ps}, but got {ps, y}"],
    ["nosend-step", "Run(A,t0,m)", { ps: [] }, "nosend-step takes the choice {}, but got {ps}"],
    ["ask-step", "Run(A,t0,m)", { e: "e1", x: q }, "ask-step takes the choice {e, x, π}, but got {e, x}"],
    ["wake", "Idle(A,t0) ‖ Mailbox(A,t0,[m])", { a: q }, "wake takes the choice {}, but got {a}"],
    ["escalate", "Proxy(A,t0,e,x,always,fresh)", {}, "escalate takes the choice {y}, but got {}"],
    ["human-reply", "AskHuman(A,t0,e,y,always)", { a: q }, "human-reply takes the choice {x'}, but got {a}"],
  ];

  test.each(cases)("%s in %s with %j", (rule, soup, choice, problem) => {
    const configuration = configurationFrom(soup);
    const [redex] = redexesFor(complete, configuration, rule);
    if (redex === undefined) expect.unreachable();
    expect(() => fire(configuration, redex, choice)).toThrow(new NotARedex(problem));
  });

  test("nosend-step is chosen without a value", () => {
    for (const choice of [undefined, {}]) {
      const [after] = successors(complete, configurationFrom("Run(A,t0,m)"), { rule: "nosend-step", choice });
      if (after === undefined) expect.unreachable();
      expect(stateOf(after).soup).toEqual(["Idle(A,t0)"]);
    }
  });

  test("the answer that respond delivers names its question", () => {
    const before = configurationFrom("Proxy(A,t0,e1,x,never,fresh) ‖ Mailbox(A,t0,[])");
    const [after] = successors(complete, before, { rule: "respond", choice: { a: { ...q, id: "m9" } } });
    expect(after?.cell("t0")?.mailboxes[0]?.messages.head).toEqual({
      ...q,
      id: "m9",
      kind: "answer",
      re: "e1",
    });
  });
});

describe("a record", () => {
  const soup = "Send(B,t0,[deliver(C,t1,x)]) ‖ Mailbox(C,t1,[]) ‖ Parent(t1,t0)";

  test("names rule, agents, threads, question and choice", () => {
    const [send] = redexesFor(complete, configurationFrom(soup), "send");
    if (send === undefined) expect.unreachable();
    expect(firingOf(send)).toEqual({ rule: "send", at: { A: "C", B: "B", t: "t0", "t'": "t1" } });
    const [escalate] = redexesFor(complete, configurationFrom("Proxy(A,t0,e1,x,always,fresh)"), "escalate");
    if (escalate === undefined) expect.unreachable();
    expect(firingOf(escalate, { y: q })).toEqual({
      rule: "escalate",
      at: { A: "A", t: "t0", e: "e1" },
      choice: { y: q },
    });
  });

  test("survives JSON and does the same again", () => {
    const before = configurationFrom(soup);
    for (const redex of redexes(complete, before)) {
      const record: unknown = JSON.parse(JSON.stringify(firingOf(redex)));
      expect(record).toEqual(firingOf(redex));
      expect(everythingOf(replay(complete, before, firingOf(redex)))).toEqual(
        everythingOf(fire(before, redex)),
      );
    }
  });

  test("of two interrupts on one thread it means the first", () => {
    const before = configurationFrom("Run(A,t0,m) ‖ Interrupt(t0,Y) ‖ Interrupt(t0,Z)");
    const after = replay(complete, before, { rule: "interrupt", at: { A: "A", t: "t0" } });
    expect(stateOf(after).soup).toEqual(["Interrupt(t0,Z)", "Run(A,t0,Y)"]);
  });

  const at = { A: "C", B: "B", t: "t0", "t'": "t1" };
  test.each([
    ["another thread", { rule: "send", at: { ...at, t: "t1" } }],
    ["another receiver", { rule: "send", at: { ...at, A: "D" } }],
    ["another target", { rule: "send", at: { ...at, "t'": "t2" } }],
    ["no sender", { rule: "send", at: { A: "C", t: "t0", "t'": "t1" } }],
    ["no thread", { rule: "send", at: { A: "C", B: "B", "t'": "t1" } }],
    ["a rule that does not match", { rule: "send-empty", at: { B: "B", t: "t0" } }],
    ["a rule whose guard fails", { rule: "refuse", at: { B: "B", t: "t0" } }],
    ["a rule that does not exist", { rule: "sned", at }],
    ["a thread that does not exist", { rule: "send", at: { ...at, t: "t9" } }],
  ])("with %s is no redex", (_what, firing) => {
    const configuration = configurationFrom(`${soup} ‖ Mailbox(B,t0,[])`);
    expect(findRedex(complete, configuration, firing)).toBe(undefined);
    expect(() => replay(complete, configuration, firing)).toThrow(NotARedex);
  });

  test("that does not match says what the rule needs", () => {
    const configuration = configurationFrom("Idle(A,t0)");
    expect(() => replay(complete, configuration, { rule: "wake", at: { A: "A", t: "t0" } })).toThrow(
      "wake does not match with A = A, t = t0: it needs Idle(A,t) ‖ Mailbox(A,t,m·q) when no Interrupt(t,_), live(t)",
    );
    expect(() => replay(complete, configuration, { rule: "sned", at: {} })).toThrow(
      'no rule "sned" in the table "complete"',
    );
  });
});

test("turn numbers of a thread go up at wake, wake-int and interrupt and are never reused", () => {
  let configuration = configurationFrom("Idle(A,t0) ‖ Mailbox(A,t0,[m,n])");
  const turns: number[] = [];
  const interrupt = () => {
    configuration = new Edit(configuration).add({ kind: "Interrupt", thread: "t0", message: q }).done();
  };
  const step = (rule: string) => {
    const [next] = successors(complete, configuration, { rule, choice: undefined });
    if (next === undefined) expect.unreachable(`${rule} does not fire`);
    configuration = next;
    for (const one of configuration.cell("t0")?.lifecycles ?? [])
      if (one.kind === "Run") turns.push(one.turn);
  };
  step("wake");
  interrupt();
  step("interrupt");
  step("nosend-step");
  interrupt();
  step("wake-int");
  step("nosend-step");
  step("wake");
  expect(turns).toEqual([1, 2, 3, 4]);
});
