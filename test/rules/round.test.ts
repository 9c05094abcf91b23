/** Rounds: disjointness, withdrawal first, one deterministic order, any order of one round's firings. */
import { describe, expect, test } from "vitest";
import { findRedex, fire, firingOf, replay } from "../../src/rules/fire.ts";
import { redexes } from "../../src/rules/redex.ts";
import { fullAgenda, isInert, nextRound, reduce } from "../../src/rules/round.ts";
import { complete, literal, type RuleTable } from "../../src/rules/table.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import { configurationFrom, everythingOf, stateOf } from "./trace.ts";

function firedIn(configuration: Configuration, table: RuleTable = complete): string[] {
  const { fired } = nextRound(table, configuration, fullAgenda(configuration));
  return fired.map(({ rule, bindings }) => `${rule.id} ${bindings.t}`);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

const disjoint: readonly (readonly [what: string, soup: string, given: string, fired: readonly string[]])[] =
  [
    [
      "two sparks of one fresh id: the first thread's goes",
      "Send(A,a,[deliver(C,new,x)]) ‖ Send(B,b,[deliver(C,new,y)])",
      "roster(A: C), roster(B: C), ready(new)",
      ["spark a"],
    ],
    [
      "two sparks of different ids",
      "Send(A,a,[deliver(C,n1,x)]) ‖ Send(B,b,[deliver(C,n2,y)])",
      "roster(A: C), roster(B: C), ready(n1, n2)",
      ["spark a", "spark b"],
    ],
    [
      "two sends to one mailbox",
      "Send(A,a,[deliver(P,p,x)]) ‖ Parent(a,p) ‖ Send(B,b,[deliver(P,p,y)]) ‖ Parent(b,p) ‖ Mailbox(P,p,[])",
      "",
      ["send a"],
    ],
    [
      "two sends to two mailboxes",
      "Send(A,a,[deliver(C,c,x)]) ‖ Parent(c,a) ‖ Mailbox(C,c,[]) ‖ Send(B,b,[deliver(D,d,y)]) ‖ Parent(d,b) ‖ Mailbox(D,d,[])",
      "",
      ["send a", "send b"],
    ],
    [
      "a send to a thread and the close of that thread",
      "Send(G,g,[deliver(C,c,x)]) ‖ Parent(g,c) ‖ Send(P,p,[terminate(c)]) ‖ Parent(c,p) ‖ Mailbox(C,c,[])",
      "",
      ["send g"],
    ],
    [
      "a close and what happens on the closed thread",
      "Send(P,p,[terminate(c)]) ‖ Parent(c,p) ‖ Send(C,c,[]) ‖ Mailbox(C,c,[])",
      "",
      ["send-terminate p"],
    ],
    [
      "a send to a waking thread: the mailbox goes to the first",
      "Send(P,p,[deliver(C,c,x)]) ‖ Parent(c,p) ‖ Idle(C,c) ‖ Mailbox(C,c,[m])",
      "",
      ["send p"],
    ],
    [
      "a refused close of a thread whose parent closes it",
      "Send(P,p,[terminate(c)]) ‖ Parent(c,p) ‖ Idle(C,c) ‖ Send(B,b,[terminate(c)]) ‖ Mailbox(B,b,[])",
      "",
      ["send-terminate p"],
    ],
    [
      "a refused delivery to a thread whose parent closes it",
      "Send(P,p,[terminate(c)]) ‖ Parent(c,p) ‖ Idle(C,c) ‖ Send(B,b,[deliver(C,c,x)]) ‖ Mailbox(B,b,[])",
      "",
      ["send-terminate p"],
    ],
    [
      "a refused spark of an id that another thread sparks",
      "Send(A,a,[deliver(C,new,x)]) ‖ Send(B,b,[deliver(C,new,y)]) ‖ Mailbox(B,b,[])",
      "roster(A: C), ready(new)",
      ["spark a"],
    ],
    [
      "an interrupt goes before waiting mail",
      "Idle(A,a) ‖ Mailbox(A,a,[m]) ‖ Interrupt(a,Y)",
      "",
      ["wake-int a"],
    ],
    ["one interrupt a round", "Run(A,a,m) ‖ Interrupt(a,Y) ‖ Interrupt(a,Z)", "", ["interrupt a"]],
    [
      "withdrawal first: nothing else starts anywhere",
      "Idle(A,a) ‖ Mailbox(A,a,[m]) ‖ Terminate(z) ‖ Idle(Z,z)",
      "",
      ["term-idle z"],
    ],
    [
      "a withdrawal rule relies on its Terminate: one a thread and round",
      "Terminate(y) ‖ Idle(Y,y) ‖ Mailbox(Y,y,[]) ‖ Terminate(z) ‖ Idle(Z,z)",
      "",
      ["term-idle y", "term-idle z"],
    ],
    [
      "choices are nobody's but the agent's",
      "Run(A,a,m) ‖ Proxy(A,a,e,x,never,fresh) ‖ AskHuman(A,a,f,y,always)",
      "",
      [],
    ],
  ];

describe("one round", () => {
  test.each(disjoint)("%s", (_what, soup, given, fired) => {
    expect(firedIn(configurationFrom(soup, given))).toEqual(fired);
  });

  test.each(disjoint)("%s: replaying the firings in any order gives the same", (_what, soup, given) => {
    const before = configurationFrom(soup, given);
    const { configuration, fired } = nextRound(complete, before, fullAgenda(before));
    for (const order of permutations(fired.map((redex) => firingOf(redex)))) {
      const after = order.reduce((c, firing) => replay(complete, c, firing), before);
      expect(everythingOf(after)).toEqual(everythingOf(configuration));
    }
  });

  test("many rules at once, in every order of 120", () => {
    const before = configurationFrom(
      `Send(A,a,[deliver(C,n1,x)]) ‖ Send(B,b,[deliver(D,d,y)]) ‖ Parent(d,b) ‖ Mailbox(D,d,[])
       ‖ Send(E,e,[]) ‖ Idle(F,f) ‖ Mailbox(F,f,[m]) ‖ Send(G,g,[terminate(nobody)]) ‖ Mailbox(G,g,[])`,
      "roster(A: C), ready(n1)",
    );
    const { configuration, fired } = nextRound(complete, before, fullAgenda(before));
    expect(fired.map(({ rule }) => rule.id)).toEqual(["spark", "send", "send-empty", "wake", "refuse"]);
    for (const order of permutations(fired)) {
      const after = order.reduce((c, redex) => fire(c, redex), before);
      expect(everythingOf(after)).toEqual(everythingOf(configuration));
    }
  });
});

describe("order", () => {
  test("by the number of the thread, which is the order of first appearance, not of names", () => {
    const soup = ["z", "a", "m"].map((t) => `Idle(A,${t}) ‖ Mailbox(A,${t},[x])`).join(" ‖ ");
    expect(firedIn(configurationFrom(soup))).toEqual(["wake z", "wake a", "wake m"]);
  });

  test("the order of the agenda does not matter", () => {
    const configuration = configurationFrom("Send(A,a,[]) ‖ Send(B,b,[]) ‖ Send(C,c,[])");
    const rounds = permutations(["a", "b", "c"]).map((agenda) =>
      nextRound(complete, configuration, new Set(agenda)).fired.map(({ bindings }) => bindings.t),
    );
    for (const round of rounds) expect(round).toEqual(["a", "b", "c"]);
  });

  test("interrupts of one thread are taken in the order in which they came", () => {
    const { configuration } = reduce(
      complete,
      configurationFrom("Idle(A,a) ‖ Interrupt(a,one) ‖ Interrupt(a,two) ‖ Interrupt(a,three)"),
      ["a"],
      2,
    );
    expect(stateOf(configuration).soup).toEqual(["Interrupt(a,three)", "Run(A,a,two)"]);
  });

  test.each([
    "Terminate(t,drop) ‖ Terminate(t,merge) ‖ Terminate(t,merge)",
    "Terminate(t,merge) ‖ Terminate(t,merge) ‖ Terminate(t,drop) ‖ Terminate(t,merge)",
    "Terminate(t,merge) ‖ Terminate(t,drop) ‖ Terminate(t,merge) ‖ Parent(c,t) ‖ Parent(d,t)",
  ])("replaying the records of a round of %s fires the very same redexes", (soup) => {
    const before = configurationFrom(`${soup} ‖ Idle(A,t) ‖ Mailbox(A,t,[])`);
    const { fired, configuration } = nextRound(complete, before, fullAgenda(before));
    let replayed = before;
    for (const redex of fired) {
      const record = firingOf(redex);
      expect(findRedex(complete, replayed, record)?.matched).toEqual(redex.matched);
      replayed = replay(complete, replayed, record);
    }
    expect(stateOf(replayed)).toEqual(stateOf(configuration));
  });

  test("a maximal set: every redex left out overlaps with one that fired", () => {
    const before = configurationFrom(
      "Send(A,a,[deliver(P,p,x)]) ‖ Parent(a,p) ‖ Send(B,b,[deliver(P,p,y)]) ‖ Parent(b,p) ‖ Idle(P,p) ‖ Mailbox(P,p,[m])",
    );
    const all = redexes(complete, before).map(({ rule, bindings }) => `${rule.id} ${bindings.t}`);
    expect(all.sort()).toEqual(["send a", "send b", "wake p"]);
    expect(firedIn(before)).toEqual(["send a"]);
  });
});

describe("CfA §5, diagram 2", () => {
  const soup =
    "Run(A,t1,m1) ‖ Idle(B,t3) ‖ Send(C,t4,[deliver(D,t2,hi)]) ‖ Mailbox(B,t3,[reply]) ‖ Mailbox(D,t2,[])";

  test("its redexes are send, wake and the choice of Run", () => {
    const found = redexes(literal, configurationFrom(soup)).map(
      ({ rule, bindings }) => `${rule.id} ${bindings.t}`,
    );
    expect(found.sort()).toEqual(["ask-step t1", "nosend-step t1", "send t4", "send-step t1", "wake t3"]);
  });

  test("one round fires send and wake; with send-step of Run nothing is consumed twice", () => {
    const before = configurationFrom(soup);
    const { fired } = nextRound(literal, before, fullAgenda(before));
    const step = redexes(literal, before).find(({ rule }) => rule.id === "send-step");
    if (step === undefined) expect.unreachable();
    const all = [...fired, step];
    expect(all.map(({ rule }) => rule.id).sort()).toEqual(["send", "send-step", "wake"]);
    const consumed = all.flatMap(({ matched }) => matched);
    expect(new Set(consumed).size).toBe(consumed.length);
    for (const order of permutations(all)) {
      const after = order.reduce(
        (c, redex) => fire(c, redex, redex === step ? { ps: [] } : undefined),
        before,
      );
      expect(stateOf(after).soup).toEqual([
        "Mailbox(B,t3,[])", "Mailbox(D,t2,[hi])", "Run(B,t3,reply)", "Send(A,t1,[])", "Send(C,t4,[])",
      ]); // prettier-ignore
    }
  });
});

describe("to the end", () => {
  const tree = `Send(A,a,[deliver(C,c1,x),deliver(C,c2,y),terminate(c1)]) ‖ Mailbox(A,a,[])`;
  const given = "roster(A: C), ready(c1, c2)";

  test("rounds and single firings reach the same inert soup", () => {
    const before = configurationFrom(tree, given);
    let round = nextRound(complete, before, fullAgenda(before));
    let rounds = 1;
    for (; round.fired.length > 0; rounds++) round = nextRound(complete, round.configuration, round.agenda);
    expect(isInert(complete, round.configuration)).toBe(true);
    expect(stateOf(round.configuration)).toEqual(stateOf(reduce(complete, before).configuration));
    expect(stateOf(round.configuration)).toEqual({
      soup: ["Idle(A,a)", "Mailbox(A,a,[])", "Mailbox(C,c2,[])", "Parent(c2,a)", "Run(C,c2,y)"],
      closed: ["c1"],
    });
  });

  test("a round looks only at its agenda and leaves behind what its firings touched", () => {
    const before = configurationFrom(`${tree} ‖ Send(B,b,[])`, given);
    const { fired, agenda } = nextRound(complete, before, new Set(["a"]));
    expect(fired.map(({ rule }) => rule.id)).toEqual(["spark"]);
    expect([...agenda].sort()).toEqual(["a", "c1"]);
  });

  test("reduce stops at its limit and reports each firing", () => {
    const seen: string[] = [];
    const before = configurationFrom(tree, given);
    const { count } = reduce(complete, before, ["a"], 3, ({ rule }) => seen.push(rule.id));
    expect(count).toBe(3);
    expect(seen).toHaveLength(3);
  });

  test("an inert soup is not always at rest: a Run waits for its agent", () => {
    expect(isInert(complete, configurationFrom("Run(A,a,m)"))).toBe(true);
    expect(isInert(complete, configurationFrom("Idle(A,a) ‖ Mailbox(A,a,[m])"))).toBe(false);
  });
});
