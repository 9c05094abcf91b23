/** The notation: what prints how, that it parses back, and what is refused where. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configurationOf } from "../../src/soup/edit.ts";
import { Configuration } from "../../src/soup/configuration.ts";
import { NotationError, parseMolecule, parseSoup, plainMessage } from "../../src/soup/parse.ts";
import { LONG_BODY, printMessage, printMolecule, printSoup } from "../../src/soup/print.ts";
import { molecules, name } from "./arbitraries.ts";

test("every molecule prints as text that parses and prints as itself", () => {
  fc.assert(
    fc.property(molecules(name), (molecule) => {
      const text = printMolecule(molecule);
      expect(printMolecule(parseMolecule(text))).toBe(text);
      expect(text).not.toMatch(/\n/u);
    }),
    { numRuns: 500 },
  );
});

test("a soup parses to its molecules, in order, whatever separates them", () => {
  fc.assert(
    fc.property(
      fc.array(molecules(name), { maxLength: 6 }),
      fc.constantFrom(" ‖ ", "‖", "\n", " ", "\n‖ "),
      (all, separator) => {
        const lines = all.map(printMolecule);
        expect(parseSoup(lines.join(separator)).map(printMolecule)).toEqual(lines);
      },
    ),
  );
});

test("molecules with short bodies survive whole", () => {
  const short = fc.string({ unit: "binary", maxLength: 20 });
  fc.assert(
    fc.property(short, short, short, (agent, thread, text) => {
      const molecule = { kind: "Run", agent, thread, message: plainMessage(text), turn: 0 } as const;
      expect(parseMolecule(printMolecule(molecule))).toEqual(molecule);
    }),
  );
});

test.each([
  "Idle(A,t)",
  "Run(A,t,m)",
  'Run(A,t,"two words")',
  'Run("a b","t,1","")',
  "Send(A,t,[])",
  "Send(A,t,[deliver(B,dispatch:0.1,ans(x)),terminate(t'),ask(e1,colour?,always)])",
  "Mailbox(A,t,[])",
  'Mailbox(A,t,[m,ans(a),ans("a b"),refused(t1),refused("t 1"),ans,refused])',
  "Parent(c,t)",
  "Terminate(t)",
  "Terminate(t,drop)",
  "AskQuestion(A,t,e1,x,never)",
  "Proxy(A,t,e1,x,when_unsure,fresh)",
  "Proxy(A,t,e1,x,always,post-human)",
  "AskHuman(A,t,e1,y,always)",
  'Mailbox(A,t,[ans(ans(a)),ans(refused(t1)),ans(ans("a b")),ans(ans(ans(a))),ans("ans(a b)"),ans("ans()"),ans("x(a)")])',
  "Interrupt(t,Y)",
])("%s is canonical", (text) => {
  expect(printMolecule(parseMolecule(text))).toBe(text);
});

test.each([
  [" Idle ( A , t ) ", "Idle(A,t)"],
  ["Terminate(t,merge)", "Terminate(t)"],
  ['Idle("A","t")', "Idle(A,t)"],
  ["Mailbox(A,t,[ m ,\n n ])", "Mailbox(A,t,[m,n])"],
  ['Run(A,t,ans("ans(a)"))', "Run(A,t,ans(ans(a)))"],
])("%j is read as %s", (text, canonical) => {
  expect(printMolecule(parseMolecule(text))).toBe(canonical);
});

describe("bodies", () => {
  const long = "x".repeat(LONG_BODY + 1);

  test.each([
    ["a word", "word", "word"],
    ["words", "two words", '"two words"'],
    ["nothing", "", '""'],
    ["something that looks like an answer", "ans(x)", '"ans(x)"'],
    ["lines", "a\nb", '"a\\nb"'],
    ["the longest that prints as itself", "x".repeat(LONG_BODY), "x".repeat(LONG_BODY)],
  ])("%s", (_what, body, printed) => {
    expect(printMessage(plainMessage(body))).toBe(printed);
  });

  test("a longer one prints as the beginning of its SHA-256", () => {
    const hash = createHash("sha256").update(long).digest("hex");
    expect(printMessage(plainMessage(long))).toBe(`#${hash.slice(0, 16)}`);
  });

  test("two long bodies print alike exactly when they are equal", () => {
    expect(printMessage(plainMessage(long))).toBe(printMessage(plainMessage(long)));
    expect(printMessage(plainMessage(long))).not.toBe(printMessage(plainMessage(`${long}x`)));
  });

  test("ids, senders, kinds and turn numbers are not part of the notation", () => {
    const message = { id: "7", from: { agent: "B", thread: "s" }, kind: "human", body: "m" } as const;
    expect(printMolecule({ kind: "Run", agent: "A", thread: "t", message, turn: 4 })).toBe("Run(A,t,m)");
  });
});

test("a soup prints sorted, so its text does not depend on how it came about", () => {
  fc.assert(
    fc.property(fc.array(molecules(fc.constantFrom("a", "b", "c")), { maxLength: 8 }), (all) => {
      const printed = printSoup(configurationOf(Configuration.empty(), all));
      expect(printed).toEqual(all.map(printMolecule).sort());
      expect(printSoup(configurationOf(Configuration.empty(), all.toReversed()))).toEqual(printed);
    }),
  );
});

describe("what is not in the notation is refused where it goes wrong", () => {
  test.each<readonly [text: string, line: number, column: number, message: string]>([
    [
      "Ideal(A,t)",
      1,
      1,
      'expected a molecule (Idle, Run, Send, Mailbox, Parent, Terminate, AskQuestion, Proxy, AskHuman, Interrupt), found "Ideal(A,t)"',
    ],
    ["Idle A,t)", 1, 6, 'expected "(", found "A,t)"'],
    ["Idle(,t)", 1, 6, 'expected an agent, found ",t)"'],
    ["Idle(A)", 1, 7, 'expected ",", found ")"'],
    ["Idle(A,)", 1, 8, 'expected a thread, found ")"'],
    ["Idle(A,t", 1, 9, 'expected ")", found the end'],
    ["Idle(A,t,m)", 1, 9, 'expected ")", found ",m)"'],
    ["Idle(A ‖ t)", 1, 8, 'expected ",", found "‖ t)"'],
    ["Run(A,t)", 1, 8, 'expected ",", found ")"'],
    ["Run(A,t,)", 1, 9, 'expected a message, found ")"'],
    [
      "Run(A,t,f(x))",
      1,
      10,
      'expected "," or ")" (only ans(…) and refused(…) take an argument), found "(x))"',
    ],
    ["Run(A,t,ans())", 1, 13, 'expected an atom, a JSON string, ans(…) or refused(…), found "))"'],
    [
      "Run(A,t,ans(f(x)))",
      1,
      14,
      'expected ")" (only ans(…) and refused(…) take an argument), found "(x)))"',
    ],
    [`Run(A,t,${"ans(".repeat(30)}x`, 1, 108, "expected an answer in at most 24 others"],
    ['Run(A,t,"x)', 1, 9, 'expected a message, found "\\"x)"'],
    ['Run(A,t,"\\x")', 1, 9, "expected a JSON string (Bad escaped character in JSON at position 2"],
    ["Send(A,t,terminate(s))", 1, 10, 'expected "[", found "terminate(s)"'],
    ["Send(A,t,[close(s)])", 1, 11, 'expected a payload (deliver, terminate, ask), found "close(s)])"'],
    ["Send(A,t,[terminate(s) terminate(r)])", 1, 24, 'expected ",", found "terminate(r)"'],
    ["Send(A,t,[terminate(s),])", 1, 24, 'expected a payload, found "])"'],
    ["Send(A,t,[deliver(B,s)])", 1, 22, 'expected ",", found ")])"'],
    ["Mailbox(A,t,[m", 1, 15, 'expected ",", found the end'],
    ["Mailbox(A,t,[m,])", 1, 16, 'expected a message, found "])"'],
    ["Terminate(t,keep)", 1, 13, 'expected an end mode (drop, merge), found "keep)"'],
    [
      "AskHuman(A,t,e,x,sometimes)",
      1,
      18,
      'expected a policy (never, when_unsure, always), found "sometimes)"',
    ],
    ["Proxy(A,t,e,x,never,stale)", 1, 21, 'expected a phase (fresh, post-human), found "stale)"'],
    ["Idle(A,t) ‖\nIdle(B)", 2, 7, 'expected ",", found ")"'],
    ["Idle(A,t)\n\n  x", 3, 3, "expected a molecule (Idle"],
    ["Idle(A,t) ‖", 1, 12, "expected a molecule, found the end"],
    ["‖ Idle(A,t)", 1, 1, 'expected a molecule, found "‖ Idle(A,t)"'],
    ["Idle(A,t) ‖ ‖ Idle(A,t)", 1, 13, 'expected a molecule, found "‖ Idle(A,t)"'],
    ["Idle(A,t)Idle(B,t)", 1, 10, 'expected "‖" or white space, found "Idle(B,t)"'],
  ])("%j", (text, line, column, message) => {
    const problem = refusal(() => parseSoup(text));
    expect(problem.message).toContain(message);
    expect(problem.message).toContain(`line ${line}, column ${column}: `);
    expect([problem.line, problem.column]).toEqual([line, column]);
  });

  test("more than one molecule where one is wanted", () => {
    expect(refusal(() => parseMolecule("Idle(A,t) ‖ Idle(B,t)")).message).toContain("expected the end");
  });

  test.each(["", " \n ", "ε", " ε "])("%j is the empty soup", (text) => {
    expect(parseSoup(text)).toEqual([]);
  });
});

function refusal(parse: () => unknown): NotationError {
  try {
    parse();
  } catch (error) {
    if (error instanceof NotationError) return error;
    throw error;
  }
  return expect.unreachable("it was accepted");
}
