/** The scenario file: what it may hold, and what is said of what it may not. */
import { describe, expect, test } from "vitest";
import { complete } from "../../../src/rules/table.ts";
import { redexes, type Redex } from "../../../src/rules/redex.ts";
import { scripted } from "../../../src/rules/explore/run-scenario.ts";
import { parseScenario } from "../../../src/rules/explore/scenario.ts";
import { ScenarioError } from "../../../src/rules/explore/scenario-mistakes.ts";
import { printChoice } from "../../../src/rules/explore/trace.ts";
import { configurationFrom } from "../trace.ts";

function mistakesIn(text: string): readonly string[] {
  try {
    parseScenario(text);
  } catch (error) {
    if (error instanceof ScenarioError) return error.mistakes;
    throw error;
  }
  return [];
}

const script = (choices: string, run = "1") =>
  `{"name":"x","initial":[],"scripts":[{"agent":"A","thread":"t","run":${run},"choices":[${choices}]}]}`;

describe("a file that is not JSON, or nobody's, is refused at its first wrong character", () => {
  test.each([
    ["nothing", "", "line 1, column 1: not JSON: expected a JSON value, found the end"],
    ["a comma too many", '{"a": [1,]}', 'line 1, column 10: not JSON: expected a JSON value, found "]}"'],
    [
      "a comma too few",
      '{"a": 1\n "b": 2}',
      'line 2, column 2: not JSON: expected "," or "}", found "\\"b\\": 2}"',
    ],
    [
      "a key without quotes",
      "{a: 1}",
      'line 1, column 2: not JSON: expected a key in double quotes, on one line, with valid escapes, found "a: 1}"',
    ],
    ["a colon too few", '{"a" 1}', 'line 1, column 6: not JSON: expected ":", found "1}"'],
    ["an open list", "[1,\n\n2", 'line 3, column 2: not JSON: expected "," or "]", found the end'],
    [
      "an open string",
      '["a\n"]',
      'line 1, column 2: not JSON: expected a string in double quotes, on one line, with valid escapes, found "\\"a\\n\\"]"',
    ],
    [
      "a bad escape",
      String.raw`["\x"]`,
      String.raw`line 1, column 2: not JSON: expected a string in double quotes, on one line, with valid escapes, found "\"\\x\"]"`,
    ],
    ["a number with a leading zero", "[01]", 'line 1, column 3: not JSON: expected "," or "]", found "1]"'],
    [
      "something after the end",
      "{} {}",
      'line 1, column 4: not JSON: expected the end of the file, found "{}"',
    ],
    [
      "a key twice",
      '{"cap": 1,\n "name": "x", "cap": 2}',
      'line 2, column 15: the key "cap" is given twice; keep one of them',
    ],
    [
      "a key twice in a roster, once with an escape",
      String.raw`{"roster": {"A": [], "\u0041": []}}`,
      'line 1, column 22: the key "A" is given twice; keep one of them',
    ],
    [
      "no end of lists in lists",
      `{"name":\n${"[".repeat(100_000)}`,
      "line 2, column 1000: more than 1000 objects and arrays lie inside one another here, and no scenario needs that",
    ],
  ])("%s", (_what, text, mistake) => {
    expect(mistakesIn(text)).toEqual([mistake]);
  });
});

describe("a file of another form is refused with all its mistakes", () => {
  test.each([
    ["no object", "[]", ["line 1, column 1: the file: expected object, received array"]],
    ["no soup", '{"name":"x"}', ["line 1, column 1: initial: expected array, received undefined"]],
    [
      "an unknown key",
      '{"name":"x","initial":[],"script":[]}',
      ["line 1, column 35: script: this key is not known here"],
    ],
    [
      "an unknown table",
      '{"name":"x","initial":[],"rules":"strict"}',
      ['line 1, column 34: rules: expected "literal" or "complete"'],
    ],
    [
      "a roster that is none",
      '{"name":"x","initial":[],\n"roster":["A"]}',
      ["line 2, column 10: roster: expected an object of lists of agents"],
    ],
    [
      "rosters with what is no agent, whatever theirs is called",
      '{"name":"x","initial":[],\n"roster":{"__proto__":[1],"A":"B"}}',
      [
        "line 2, column 24: roster.__proto__[0]: expected a name",
        "line 2, column 31: roster.A: expected array, received string",
      ],
    ],
    [
      "a key that is no key of ours",
      '{"name":"x","initial":[],"__proto__":1}',
      ["line 1, column 38: __proto__: this key is not known here"],
    ],
    ["a negative cap", '{"name":"x","initial":[],\n"cap":-1}', ["line 2, column 7: cap: expected 0 or more"]],
    [
      "decision 0",
      script("", "0"),
      ['line 1, column 69: scripts[0].run: expected a decision number from 1, or "*"'],
    ],
    [
      "an unknown choice",
      script('"send"'),
      [
        'line 1, column 82: scripts[0].choices[0]: expected "nosend", {"send": […]} or {"ask": [id, text, policy]}',
      ],
    ],
    [
      "an unknown policy",
      script('{"ask":["e","x","maybe"]}'),
      ["line 1, column 98: scripts[0].choices[0].ask[2]: expected a policy: never, when_unsure, always"],
    ],
    [
      "an unknown payload",
      script('{"send":[{"close":"t"}]}'),
      [
        'line 1, column 91: scripts[0].choices[0].send[0]: expected {"to": [agent, thread], "msg": …}, {"terminate": thread} or {"ask": [id, text, policy]}',
      ],
    ],
    [
      "a receiver without thread",
      script('{"send":[{"to":["A"],"msg":"m"}]}'),
      ["line 1, column 97: scripts[0].choices[0].send[0].to: expected [agent, thread]"],
    ],
    [
      "several",
      '{"name":1,\n"initial":[2],\n"closed":"t"}',
      [
        "line 1, column 9: name: expected string, received number",
        "line 2, column 12: initial[0]: expected string, received number",
        "line 3, column 10: closed: expected array, received string",
      ],
    ],
    [
      "a decision that is scripted twice",
      '{"name":"x","initial":[],"scripts":[{"agent":"A","thread":"t","run":1,"choices":[]},\n{"agent":"A","thread":"t","run":1,"choices":[]}]}',
      [
        "line 2, column 1: scripts[1]: a second script for run 1 of A on t; give it as one, with more choices",
      ],
    ],
  ])("%s", (_what, text, mistakes) => {
    expect(mistakesIn(text)).toEqual(mistakes);
  });
});

test("malformed notation is refused with its place in the file and in the notation", () => {
  const text = `{"name": "x",
    "initial": ["Idle(A,t)", "Mailbox(A,t,[go)", "Wait(A,t)"],
    "scripts": [{"agent": "A", "thread": "t", "run": 1, "choices": [
      {"send": [{"to": ["B", "s"], "msg": "ans(x"}]}, {"ask": ["e", "refused(t) ", "never"]}]}],
    "expected": {"reachableStates": 1, "finalSoups": [["Idle(A)"]], "finalClosed": [], "stuck": 0, "violations": []}}`;
  expect(mistakesIn(text)).toEqual([
    'line 2, column 30: initial[1]: in the notation, line 1, column 16: expected ",", found ")"',
    'line 2, column 50: initial[2]: in the notation, line 1, column 1: expected a molecule (Idle, Run, Send, Mailbox, Parent, Terminate, AskQuestion, Proxy, AskHuman, Interrupt), found "Wait(A,t)"',
    'line 4, column 43: scripts[0].choices[0].send[0].msg: in the notation, line 1, column 6: expected ")", found the end',
    'line 5, column 56: expected.finalSoups[0][0]: in the notation, line 1, column 7: expected ",", found ")"',
    "line 5, column 84: expected.finalClosed: expected one closed set for each of finalSoups, in the same order",
  ]);
});

test("what is left out has a default", () => {
  expect(parseScenario('{"name":"x","initial":["Idle(A,t)"]}')).toMatchObject({
    rules: "complete",
    closed: [],
    roster: {},
    cap: 3,
    scripts: [],
    expected: undefined,
  });
});

describe("scripts", () => {
  const scenario = parseScenario(
    JSON.stringify({
      name: "x",
      initial: [],
      scripts: [
        { agent: "A", thread: "t", run: "*", choices: ["nosend"] },
        {
          agent: "A",
          thread: "t",
          run: 2,
          choices: [
            {
              send: [
                { to: ["B", "s"], msg: "$m" },
                { to: ["B", "s"], msg: "two words" },
                { ask: ["e", "ans(y)", "never"] },
              ],
            },
            { ask: ["f", "$m", "always"] },
            { send: [] },
          ],
        },
      ],
    }),
  );
  const behaviour = scripted(scenario.scripts);
  const chosen = (soup: string, rule: string, decisions: number): string[] => {
    const before = configurationFrom(soup);
    const redex = redexes(complete, before).find((one): one is Redex => one.rule.id === rule);
    const cell = before.cell("t");
    if (redex === undefined || cell === undefined) throw new Error(`${rule} does not match ${soup}`);
    const choices = behaviour.choices(redex, { cell, decisions: decisions === 0 ? [] : [["A", decisions]] });
    return choices.map(printChoice);
  };

  test.each([
    ["a decision without a number follows the star", "Run(A,t,m)", "nosend-step", 0, [""]],
    ["a number goes before the star", "Run(A,t,m)", "nosend-step", 1, []],
    [
      "each alternative belongs to one rule; $m is the message at hand",
      "Run(A,t,ans(b))",
      "send-step",
      1,
      ['ps = [deliver(B,s,ans(b)),deliver(B,s,"two words"),ask(e,ans(y),never)]', "ps = []"],
    ],
    [
      "a question alone is an ask-step",
      "Run(A,t,refused(s))",
      "ask-step",
      1,
      ["e = f, x = refused(s), π = always"],
    ],
    ["no script: nothing is sent", "Run(B,t,m)", "nosend-step", 0, [""]],
    ["the proxy puts the question as it stands", "Proxy(A,t,e,x,always,fresh)", "escalate", 0, ["y = x"]],
    ["the human leaves it as it is", "AskHuman(A,t,e,x,always)", "human-reply", 0, ["x' = x"]],
    ["the answer to x is ans(x)", "Proxy(A,t,e,x,never,fresh) ‖ Mailbox(A,t,[])", "respond", 0, ["a = x"]],
    [
      "an answer in an answer is quoted",
      "Proxy(A,t,e,ans(x),never,fresh) ‖ Mailbox(A,t,[])",
      "respond",
      0,
      ['a = "ans(x)"'],
    ],
  ])("%s", (_what, soup, rule, decisions, choices) => {
    expect(chosen(soup, rule, decisions)).toEqual(choices);
  });
});
