/** Configurations from notation and back: the options, templates, closed threads, and what is refused where. */
import { describe, expect, test } from "vitest";
import { NotationError, printConfiguration, printSoup, soup } from "../../src/testing.ts";

test.each([
  "ε",
  "ε ; closed t1",
  "Idle(A,t) ‖ Mailbox(A,t,[m])",
  "Idle(A,t) ; closed a, b",
  'Mailbox(A,t,["; closed t1"]) ; closed "a, b", c',
])("%s prints as itself", (notation) => {
  expect(printConfiguration(soup(notation))).toBe(notation);
});

test.each([
  ["", "ε"],
  ["ε;closed t1", "ε ; closed t1"],
  ["ε ; closed", "ε"],
  ["Idle(B,s)\nIdle(A,t) ; closed b a", "Idle(A,t) ‖ Idle(B,s) ; closed a, b"],
])("%j is read as %s", (notation, canonical) => {
  expect(printConfiguration(soup(notation))).toBe(canonical);
});

test.each(["plain", "two words", "a,b", '"]) ‖ Idle(X,x)', "ans(x)", "; closed t", "", 7])(
  "the value %j in a template is one atom or string, whatever is in it",
  (value) => {
    const made = soup`Mailbox(A,t,[${value}]) ‖ Idle(A,t)`;
    expect(made.cell("t")?.mailboxes.map(({ messages }) => [...messages].map(({ body }) => body))).toEqual([
      [String(value)],
    ]);
    expect(printSoup(made)).toHaveLength(2);
  },
);

test("the options are what guards read", () => {
  const made = soup("Idle(A,t) ; closed t8", {
    closed: ["t9"],
    roster: { A: ["B"] },
    cap: 1,
    ready: ["t1"],
    refused: { t2: "disk full" },
  });
  expect([...made.closed()].sort()).toEqual(["t8", "t9"]);
  expect(made.facts).toEqual({ rosters: { A: ["B"] }, cap: 1 });
  expect(made.cell("t1")?.workspace?.ready).toBe(true);
  expect(made.cell("t2")?.workspace).toEqual({ ready: false, because: "disk full" });
});

test("without options nobody may spark anybody, and the cap is 3", () => {
  expect(soup("ε").facts).toEqual({ rosters: {}, cap: 3 });
});

describe("refused", () => {
  test.each([
    ["Idle(A,t) ; close t1", 'line 1, column 11: expected "; closed" and thread ids, found "; close t1"'],
    ["Idle(A,t) ; closedt1", 'expected "; closed" and thread ids'],
    ["Idle(A,t) ; closed t1,, t2", "line 1, column 22: expected a thread"],
    ['Idle(A,t)\n; closed "a', "line 2, column 9: expected a thread"],
    ['Idle(A,t) ; closed "\\x"', "expected a JSON string"],
    ["Idle(A)", 'line 1, column 7: expected ","'],
  ])("%j", (notation, problem) => {
    expect(() => soup(notation)).toThrow(NotationError);
    expect(() => soup(notation)).toThrow(problem);
  });
});
