/** The matchers: what passes, and what a failure prints, word by word. */
import { describe, expect, test } from "vitest";
import { cfaMatchers, difference, soup, step } from "../../src/testing.ts";

expect.extend(cfaMatchers);

/** What a failing expectation says. */
function failure(fails: () => void): string {
  try {
    fails();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return expect.unreachable("it passed");
}

const mail = "Idle(A,t) ‖ Mailbox(A,t,[m])";

describe("toReduceTo", () => {
  test.each([
    ["a soup in notation", mail],
    ["a configuration", soup(mail)],
    ["what step returned", step(soup(mail))],
  ])("takes %s", (_what, matched) => {
    expect(matched).toReduceTo("Run(A,t,m) ‖ Mailbox(A,t,[])");
    expect(matched).not.toReduceTo(mail);
  });

  test("compares closed threads only where the notation names them", () => {
    const going = soup("Terminate(t) ‖ Idle(A,t)");
    expect(going).toReduceTo("ε");
    expect(going).toReduceTo("ε ; closed t");
    expect(going).not.toReduceTo("ε ; closed s");
    expect(going).not.toReduceTo("ε ; closed");
  });

  test("prints both sides, the difference, and how it came about", () => {
    expect(failure(() => expect(mail).toReduceTo("Run(A,t,m) ‖ Mailbox(A,t,[m]) ; closed s"))).toBe(
      `expected the soup to reduce to
  Mailbox(A,t,[m]) ‖ Run(A,t,m) ; closed s
found
  Mailbox(A,t,[]) ‖ Run(A,t,m)
difference (- expected, + found)
  - Mailbox(A,t,[m])
  - closed s
  + Mailbox(A,t,[])
by
  wake: Idle(A,t) ‖ Mailbox(A,t,[m]) → Run(A,t,m) ‖ Mailbox(A,t,[])`,
    );
  });

  test("says so when nothing fired, and when it should not have come to that", () => {
    expect(failure(() => expect("Idle(A,t)").toReduceTo("ε"))).toMatch(
      /\n {2}\+ Idle\(A,t\)\nno rule fired$/u,
    );
    expect(failure(() => expect("Idle(A,t)").not.toReduceTo("Idle(A,t)"))).toMatch(
      /^expected the soup not to reduce to\n/u,
    );
  });

  test("of a long way shows the end", () => {
    const children = Array.from({ length: 60 }, (_, at) => `Idle(C,c${at}) ‖ Parent(c${at},t)`).join(" ‖ ");
    const lines = failure(() => expect(`${children} ‖ Terminate(t)`).toReduceTo("Idle(A,t)")).split("\n");
    expect(lines).toContain("  (141 steps before)");
    expect(lines.slice(lines.indexOf("by") + 2)).toHaveLength(40);
  });
});

describe("toBeInert", () => {
  test.each(["ε", "Run(A,t,m)", "AskHuman(A,t,e,x,always)", "Idle(A,t) ‖ Mailbox(A,t,[])"])(
    "%s",
    (notation) => {
      expect(notation).toBeInert();
    },
  );

  test("prints what matches", () => {
    expect(failure(() => expect(`${mail} ‖ Send(B,s,[])`).toBeInert())).toBe(
      `expected the soup to be inert
  Idle(A,t) ‖ Mailbox(A,t,[m]) ‖ Send(B,s,[])
but these match
  wake: Idle(A,t) ‖ Mailbox(A,t,[m])
  send-empty: Send(B,s,[])`,
    );
    expect(failure(() => expect("ε").not.toBeInert())).toMatch(
      /^expected the soup not to be inert\n {2}ε\n/u,
    );
  });
});

describe("toSatisfyInvariants", () => {
  test("passes where none is broken", () => {
    expect(mail).toSatisfyInvariants();
    expect("Parent(t,t)").not.toSatisfyInvariants();
  });

  test("prints those that are", () => {
    expect(failure(() => expect("Idle(A,t) ‖ Run(A,t,m) ‖ Parent(t,t)").toSatisfyInvariants())).toBe(
      `expected the soup to satisfy the invariants
  Idle(A,t) ‖ Parent(t,t) ‖ Run(A,t,m)
but it breaks
  two-lifecycle: t: A is more than one of Idle, Run and Send
  parent-cycle: t: it is its own ancestor`,
    );
    expect(failure(() => expect("ε").not.toSatisfyInvariants())).toBe(
      "expected the soup not to satisfy the invariants\n  ε",
    );
  });
});

test.each([[7], [undefined], [{ configuration: 7 }]])("%j is nothing that can be matched", (matched) => {
  expect(failure(() => expect(matched).toBeInert())).toBe(
    "expected a Configuration, a soup in notation, or the result of step() or run()",
  );
});

test.each<readonly [expected: readonly string[], found: readonly string[], difference: readonly string[]]>([
  [[], [], []],
  [["a", "b"], ["b", "a"], []],
  [["a", "a"], ["a"], ["- a"]],
  [["a"], ["a", "a", "b"], ["+ a", "+ b"]],
])("the difference of %j and %j counts", (expected, found, lines) => {
  expect(difference(expected, found)).toEqual(lines);
});
