/** Exploration: counting, bounds, traces, invariants. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { brokenInvariants } from "../../../src/rules/invariants.ts";
import { LITERAL } from "../../../src/rules/literal.ts";
import { redexes } from "../../../src/rules/redex.ts";
import { compileTable, complete, literal } from "../../../src/rules/table.ts";
import type { Configuration } from "../../../src/soup/configuration.ts";
import type { Behaviour } from "../../../src/rules/explore/behaviour.ts";
import { explore } from "../../../src/rules/explore/explore.ts";
import { differences, runScenario, scripted } from "../../../src/rules/explore/run-scenario.ts";
import { parseScenario } from "../../../src/rules/explore/scenario.ts";
import { printTrace, type Trace } from "../../../src/rules/explore/trace.ts";
import { configurationFrom, parseTrace, stateOf, successors } from "../trace.ts";

const folder = new URL("../../scenarios/", import.meta.url);
const shipped = (name: string) => parseScenario(readFileSync(new URL(`${name}.json`, folder), "utf8"));
const silent = scripted([]);

/** Fires a trace rule by rule; returns the last configuration. */
function follow(rules: "literal" | "complete", trace: Trace, given: string): Configuration {
  const { before, steps } = parseTrace(printTrace(trace).join("\n"));
  return steps.reduce(
    (configuration, step) => {
      const wanted = JSON.stringify(stateOf(configurationFrom(step.after, given)));
      const found = successors(rules === "literal" ? literal : complete, configuration, step);
      const [next] = found.filter((one) => JSON.stringify(stateOf(one)) === wanted);
      if (next === undefined) throw new Error(`${step.rule} does not lead to ${step.after}`);
      return next;
    },
    configurationFrom(before, given),
  );
}

test("there are at least 25 scenarios, under both tables", () => {
  const names = readdirSync(folder);
  expect(names.length).toBeGreaterThanOrEqual(25);
  const rules = names.map((name) => shipped(name.replace(".json", "")).rules);
  expect(new Set(rules)).toEqual(new Set(["literal", "complete"]));
});

test("what can happen in Diagram 2 of the seed is exactly send, wake and send-step, disjoint from each other", () => {
  const scenario = shipped("l_s17_diagram2");
  const before = configurationFrom(
    "Run(A,t1,m1) ‖ Idle(B,t3) ‖ Send(C,t4,[deliver(D,t2,hi)]) ‖ Mailbox(B,t3,[reply]) ‖ Mailbox(D,t2,[])",
  );
  const behaviour = scripted(scenario.scripts);
  const possible = redexes(literal, before).filter((redex) => {
    const cell = before.cell(redex.bindings.t);
    return (
      redex.rule.structural ||
      (cell !== undefined && behaviour.choices(redex, { cell, decisions: [] }).length > 0)
    );
  });
  expect(possible.map(({ rule }) => rule.id).sort()).toEqual(["send", "send-step", "wake"]);
  const claimed = possible.flatMap(({ matched }) => matched);
  expect(new Set(claimed).size).toBe(claimed.length);
});

describe("counting", () => {
  test.each([
    ["nothing", "ε", 1],
    ["an inert soup", "Idle(A,t) ‖ Mailbox(A,t,[])", 1],
    ["a chain", "Idle(A,t) ‖ Mailbox(A,t,[m])", 3],
    ["two independent chains", "Idle(A,t) ‖ Mailbox(A,t,[m]) ‖ Idle(B,s) ‖ Mailbox(B,s,[m])", 9],
    ["equal molecules are interchangeable", "Terminate(t) ‖ Terminate(t)", 3],
    ["soups that differ in decisions alone are different", "Run(A,t,m) ‖ Mailbox(A,t,[m])", 4],
  ])("%s", (_what, soup, states) => {
    expect(explore(complete, configurationFrom(soup), silent).states).toBe(states);
  });

  test("an interrupt is no decision", () => {
    const before = configurationFrom("Run(A,t,m) ‖ Interrupt(t,a) ‖ Interrupt(t,a)");
    // An interrupt may hit a Run or an Idle: six Runs and six Idles, by interrupts left and decisions taken.
    const { states, finals } = explore(complete, before, silent);
    expect(finals.map(({ soup }) => soup)).toEqual([["Idle(A,t)"]]);
    expect(states).toBe(12);
  });

  test("a loop ends", () => {
    const { states, finals } = explore(complete, configurationFrom("Proxy(A,t,e,x,always,fresh)"), silent);
    expect([states, finals]).toEqual([3, []]);
  });

  test("the order in which children were opened makes no difference", () => {
    const soup = "Send(A,a,[deliver(C,c1,x)]) ‖ Send(B,b,[terminate(c9)]) ‖ Parent(b,a) ‖ Parent(c9,b)";
    const found = explore(literal, configurationFrom(soup), silent);
    expect(found.finals).toHaveLength(1);
  });
});

describe("stuck soups and broken invariants", () => {
  const files = readdirSync(folder).map((name) => name.replace(".json", ""));
  const telling = files.filter((name) => {
    const { expected } = shipped(name);
    return (expected?.stuck ?? 0) > 0 || (expected?.violations.length ?? 0) > 0;
  });

  test.each(telling)("%s: each trace can be followed, and ends where it says", (name) => {
    const scenario = shipped(name);
    for (const reduce of [false, true]) {
      const { violations, stuckTrace, finals } = runScenario(scenario, { reduce });
      const roster = Object.entries(scenario.roster).map(
        ([agent, others]) => `roster(${agent}: ${others.join(" ")})`,
      );
      const ready = scenario.scripts.flatMap(({ choices }) =>
        choices.flatMap((choice) =>
          typeof choice === "object" && choice.kind === "send"
            ? choice.payloads.flatMap((p) => (p.kind === "deliver" ? [`ready(${p.thread})`] : []))
            : [],
        ),
      );
      const given = `given ${[...roster, ...ready, `cap(${scenario.cap})`].join(", ")}`;
      for (const { invariant, trace } of violations) {
        const last = follow(scenario.rules, trace, given);
        expect(brokenInvariants(last).map((one) => one.invariant)).toContain(invariant);
      }
      if (stuckTrace === undefined) continue;
      const last = stateOf(follow(scenario.rules, stuckTrace, given));
      expect(
        finals.filter(({ stuck }) => stuck).map(({ soup, closed }) => ({ soup, closed })),
      ).toContainEqual(last);
    }
  });

  test("a trace is a shortest one", () => {
    const soup = "Proxy(A,t,e,x,never,fresh) ‖ Mailbox(A,t,[]) ‖ Idle(B,s) ‖ Mailbox(B,s,[m]) ‖ Terminate(t)";
    const { stuckTrace } = explore(literal, configurationFrom(soup), silent);
    expect(stuckTrace?.steps.map(({ rule }) => rule).sort()).toEqual([
      "nosend-step",
      "term-final",
      "term-mbox",
      "wake",
    ]);
  });

  test("a violation of the first configuration has a trace without steps", () => {
    const { violations } = explore(complete, configurationFrom("Parent(a,b) ‖ Parent(b,a)"), silent);
    expect(violations).toEqual([
      { invariant: "parent-cycle", trace: { start: "Parent(a,b) ‖ Parent(b,a)", steps: [] } },
    ]);
  });

  test("one question on two threads breaks question-twice, one on one thread nothing", () => {
    const found = (soup: string) =>
      explore(complete, configurationFrom(soup), silent).violations.map(({ invariant }) => invariant);
    expect(found("Proxy(A,t,e,x,never,fresh) ‖ Proxy(B,s,e,x,never,fresh)")).toEqual(["question-twice"]);
    expect(found("Proxy(A,t,e,x,never,fresh) ‖ Proxy(B,s,f,x,never,fresh)")).toEqual([]);
  });

  test("were a second Terminate(t) counted as a molecule of t, the two would block each other for ever", () => {
    const strict = compileTable(
      "custom",
      LITERAL.map((rule) => (rule.id === "term-final" ? { ...rule, when: ["alone(t)"] } : rule)),
    );
    const { initial } = shipped("l_f04_double_close_core");
    expect(initial).toHaveLength(5);
    const soup =
      "Send(R,t0,[terminate(t1),terminate(t1)]) ‖ Mailbox(R,t0,[]) ‖ Parent(t1,t0) ‖ Idle(C,t1) ‖ Mailbox(C,t1,[])";
    const found = explore(strict, configurationFrom(soup), silent);
    expect(
      found.finals
        .filter(({ stuck }) => stuck)
        .map(({ soup }) => soup.filter((one) => one.startsWith("Term"))),
    ).toEqual([["Terminate(t1)", "Terminate(t1)"]]);
  });
});

describe("bounds", () => {
  const scenario = shipped("c_fan_out");
  const full = runScenario(scenario);

  test("no bound: all of it", () => {
    expect([full.complete, full.cut, full.depth]).toEqual([true, undefined, 24]);
  });

  test.each([
    ["states", { maxStates: 100 }, 100],
    ["depth", { maxDepth: 7 }, 7],
    ["memory", { maxMemory: 900_000 }, 900_000],
  ] as const)("%s: says so, and what is proven", (bound, options, limit) => {
    const found = runScenario(scenario, options);
    expect([found.complete, found.cut?.bound, found.cut?.limit]).toEqual([false, bound, limit]);
    const proven = runScenario(scenario, { maxDepth: found.cut?.depth ?? 0 });
    expect(found.states).toBeGreaterThanOrEqual(proven.states);
    expect(found.states).toBeLessThan(full.states);
  });

  test.each([
    ["states", { maxStates: full.states }],
    ["depth", { maxDepth: full.depth }],
  ])("%s: a bound that is just reached cuts nothing", (_bound, options) => {
    const found = runScenario(scenario, options);
    expect([found.states, found.complete]).toEqual([full.states, true]);
  });
});

describe("behaviours", () => {
  test("may depend on the cell: an agent that closes its children", () => {
    const closer: Behaviour = {
      sees: "cell",
      choices: ({ rule }, { cell }) => {
        const children = [...cell.down.seats].map(({ child }) => ({
          kind: "terminate" as const,
          thread: child,
        }));
        if (rule.id === "send-step") return children.length > 0 ? [{ ps: children }] : [];
        return rule.id === "nosend-step" && children.length === 0 ? [{}] : [];
      },
    };
    const soup = "Run(R,r,go) ‖ Mailbox(R,r,[]) ‖ Parent(a,r) ‖ Idle(A,a) ‖ Parent(b,r) ‖ Idle(B,b)";
    const full = explore(complete, configurationFrom(soup), closer);
    const reduced = explore(complete, configurationFrom(soup), closer, { reduce: true });
    expect(full.finals).toEqual([
      { soup: ["Idle(R,r)", "Mailbox(R,r,[])"], closed: ["a", "b"], stuck: false },
    ]);
    expect(reduced.finals).toEqual(full.finals);
    expect(reduced.states).toBeLessThan(full.states);
  });

  test("may open threads that nobody has heard of, as many as they like", () => {
    const opener: Behaviour = {
      sees: "decisions",
      choices: ({ rule, bindings }, { decisions }) => {
        const taken = decisions[0]?.[1] ?? 0;
        if (rule.id === "nosend-step") return [{}];
        if (rule.id !== "send-step" || taken > 0 || bindings.t.length > 6) return [];
        const message = bindings.m;
        return [
          {
            ps: [0, 1].map((n) => ({
              kind: "deliver" as const,
              agent: "A",
              thread: `${bindings.t}${n}`,
              message,
            })),
          },
        ];
      },
    };
    const before = configurationFrom("Idle(A,t) ‖ Mailbox(A,t,[m])", "given roster(A: A), cap(2)");
    const reduced = explore(complete, before, opener, { reduce: true, maxStates: 50_000 });
    expect(reduced.cut?.bound).toBe("states");
    expect(reduced.violations).toEqual([]);
  });
});

test("differences name what was expected and what was found", () => {
  const scenario = shipped("l_f04_double_close_core");
  const expected = {
    reachableStates: 7,
    finalSoups: [["Idle(R,t0)"]],
    finalClosed: [["t1"]],
    stuck: 1,
    violations: ["two-parents"],
  };
  expect(differences(expected, runScenario(scenario))).toEqual([
    "configurations: expected 7, found 18",
    "stuck soups: expected 1, found 0",
    "violations: expected two-parents, found ",
    "this final was expected but not found: Idle(R,t0) ; closed t1",
    "this final was not expected: Idle(R,t0) ‖ Mailbox(R,t0,[]) ‖ Parent(t1,t0)",
  ]);
});
