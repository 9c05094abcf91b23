/** Runs with scripted agents: who is called with what, how a run ends, what its schedule depends on. */
import { describe, expect, test } from "vitest";
import {
  ask,
  cfaMatchers,
  deliver,
  type Play,
  printConfiguration,
  run,
  type ScriptedAgent,
  soup,
  terminate,
  trace,
  type Turn,
} from "../../src/testing.ts";

expect.extend(cfaMatchers);

const one = soup("Idle(A,t) ‖ Mailbox(A,t,[go])");
const roster = { A: ["B"] };
const open = soup("Idle(A,t) ‖ Mailbox(A,t,[go])", { roster });
const silent: ScriptedAgent = () => undefined;

function rulesOf(play: Play, configuration = one): string[] {
  return run(configuration, play).events.map((event) =>
    event.kind === "fired" ? event.rule : event.move.kind,
  );
}

describe("what a turn decides is the choice of its Run", () => {
  test.each<readonly [what: string, agent: ScriptedAgent, rules: readonly string[]]>([
    ["nothing", silent, ["wake", "nosend-step"]],
    ["an empty broadcast", () => [], ["wake", "send-step", "send-empty"]],
    [
      "one question",
      () => [ask("e1", "why?", "never")],
      ["wake", "ask-step", "ask", "respond", "wake", "nosend-step"],
    ],
    [
      "a question in a broadcast",
      () => [terminate("t9"), "ask(e1,why?,never)"],
      ["wake", "send-step", "refuse", "send-ask", "send-empty"],
    ],
  ])("%s", (_what, first, rules) => {
    const turns: ScriptedAgent = (message, turn) => (turn.turn === 1 ? first(message, turn) : undefined);
    expect(rulesOf({ agents: { A: turns } }).slice(0, rules.length)).toEqual(rules);
  });
});

test("an agent sees its message with id and sender, and its place in the tree", () => {
  const seen: [string, string, string, Turn][] = [];
  const A: ScriptedAgent = (message, turn) => {
    seen.push([message.id, message.kind, message.body, turn]);
    return message.body === "go" ? [deliver("B", "b", "x"), "deliver(B,b,y)"] : undefined;
  };
  const B: ScriptedAgent = (message, turn) => {
    seen.push([message.id, message.kind, message.body, turn]);
    return message.body === "y" ? [deliver("A", "t", "done")] : undefined;
  };
  run(open, { agents: { A, B } });
  const a = { agent: "A", thread: "t", parent: undefined };
  const b = { agent: "B", thread: "b", parent: "t", children: [] };
  expect(seen).toEqual([
    ["", "task", "go", { ...a, turn: 1, children: [] }],
    ["t.1.1", "task", "x", { ...b, turn: 1 }],
    ["t.1.2", "task", "y", { ...b, turn: 2 }],
    ["b.2.1", "reply", "done", { ...a, turn: 2, children: ["b"] }],
  ]);
});

describe("questions", () => {
  const asking =
    (policy: "never" | "when_unsure" | "always"): ScriptedAgent =>
    ({ kind, body }) =>
      kind === "answer"
        ? [deliver("A", "nowhere", body)]
        : body === "go"
          ? [ask("e1", "why?", policy)]
          : undefined;
  const mail = (play: Omit<Play, "agents">, policy: "never" | "when_unsure" | "always") => {
    const { events, end } = run(one, { ...play, agents: { A: asking(policy) } });
    const answers = trace(events).flatMap((line) => /ans\([^)]*\)/u.exec(line)?.[0] ?? []);
    return [end, answers[0]];
  };

  test.each<
    readonly [
      what: string,
      policy: "never" | "when_unsure" | "always",
      play: Omit<Play, "agents">,
      end: string,
      answer: string | undefined,
    ]
  >([
    ["under never nobody is asked", "never", { human: () => "so" }, "rest", 'ans("nobody may be asked")'],
    ["without a human the run waits", "when_unsure", {}, "waiting", undefined],
    ["the human answers", "always", { human: ({ text }) => `${text.body}!` }, "rest", "ans(why?!)"],
    ["the proxy answers", "when_unsure", { proxy: () => "mine" }, "rest", "ans(mine)"],
    [
      "the proxy asks the human first",
      "always",
      { proxy: ({ phase, text }) => (phase === "fresh" ? undefined : `${text.body}?`), human: () => "so" },
      "rest",
      "ans(so?)",
    ],
  ])("%s", (_what, policy, play, end, answer) => {
    expect(mail(play, policy)).toEqual([end, answer]);
  });

  test("what a policy forbids is no choice", () => {
    expect(() => mail({ proxy: () => "mine" }, "always")).toThrow(
      "respond is not possible for Proxy(A,t,e1,why?,always,fresh)",
    );
    expect(() => mail({ proxy: () => undefined }, "never")).toThrow(
      "escalate is not possible for Proxy(A,t,e1,why?,never,fresh)",
    );
  });
});

describe("a run ends", () => {
  test("where its condition holds, before the next step", () => {
    const { configuration, end } = run(one, {
      agents: {},
      until: (now) => now.cell("t")?.lifecycles[0]?.kind === "Run",
    });
    expect([printConfiguration(configuration), end]).toEqual(["Mailbox(A,t,[]) ‖ Run(A,t,go)", "until"]);
  });

  test("at once, without a step, where nothing is to be done", () => {
    const rest = soup("Idle(A,t)");
    expect(run(rest, { agents: {} })).toEqual({ configuration: rest, events: [], end: "rest" });
  });

  test("at rest, when its condition never held", () => {
    expect(run(one, { agents: { A: silent }, until: () => false }).end).toBe("rest");
  });

  test("with an error that names the agent whom nobody plays", () => {
    expect(() => run(one, { agents: { B: silent } })).toThrow(
      "nobody plays A, whose turn it is: Run(A,t,go); add it to `agents`",
    );
  });

  test("with an error that shows the last steps, when it does not rest", () => {
    const A: ScriptedAgent = ({ kind, body }, { children }) =>
      kind === "reply" || body === "go" ? [deliver("B", children[0] ?? "b", "ping")] : undefined;
    const B: ScriptedAgent = () => [deliver("A", "t", "pong")];
    expect(() => run(open, { agents: { A, B }, limit: 100 })).toThrow(
      /^the run has not come to rest after 100 steps; the last ones were\n(?: {2}\S+: .+\n){5} {2}\S+: .+$/u,
    );
  });
});

describe("workspaces", () => {
  const A: ScriptedAgent = ({ body }) => (body === "go" ? [deliver("B", "b", "x")] : undefined);

  test("are there when they are needed", () => {
    const { events } = run(open, { agents: { A, B: silent } });
    expect(trace(events).slice(2, 4)).toEqual([
      "(workspace of b is ready)",
      "spark: Send(A,t,[deliver(B,b,x)]) → Send(A,t,[]) ‖ Mailbox(B,b,[x]) ‖ Idle(B,b) ‖ Parent(b,t)",
    ]);
  });

  test("or refused, and the sender gets its message back", () => {
    const { events, configuration } = run(open, {
      agents: { A },
      refuse: (thread) => `no room for ${thread}`,
    });
    expect(trace(events)).toContain("(workspace of b is refused: no room for b)");
    expect(trace(events)).toContain(
      "refuse: Send(A,t,[deliver(B,b,x)]) ‖ Mailbox(A,t,[]) → Send(A,t,[]) ‖ Mailbox(A,t,[refused(b)])",
    );
    expect(printConfiguration(configuration)).toBe("Idle(A,t) ‖ Mailbox(A,t,[])");
  });
});

describe("the schedule", () => {
  const start = soup("Idle(A,t) ‖ Mailbox(A,t,[go])", { roster, cap: 3 });
  const agents: Play["agents"] = {
    A: ({ body }) => (body === "go" ? ["b", "c", "d"].map((thread) => deliver("B", thread, "x")) : undefined),
    B: ({ body }) => [deliver("A", "t", body)],
  };
  const replies = (seed?: number) => {
    const { events } = run(start, seed === undefined ? { agents } : { agents, seed });
    return events.flatMap((event) =>
      event.kind === "fired" && event.rule === "send-step" && event.firing.at["A"] === "B"
        ? [event.firing.at["t"]]
        : [],
    );
  };

  test("without a seed is the engine's: rounds, then every choice in the order of the threads", () => {
    expect(replies()).toEqual(["b", "c", "d"]);
  });

  test("with a seed is the same for the same seed, and others come of others", () => {
    const all = Array.from({ length: 80 }, (_, seed) => replies(seed).join(""));
    expect(Array.from({ length: 80 }, (_, seed) => replies(seed).join(""))).toEqual(all);
    expect(new Set(all)).toEqual(new Set(["bcd", "bdc", "cbd", "cdb", "dbc", "dcb"]));
  });

  test.each(Array.from({ length: 10 }, (_, seed) => seed))("and ends alike here: seed %d", (seed) => {
    expect(run(start, { agents, seed })).toReduceTo(
      `Idle(A,t) ‖ Mailbox(A,t,[]) ${["b", "c", "d"].map((t) => `‖ Parent(${t},t) ‖ Idle(B,${t}) ‖ Mailbox(B,${t},[])`).join(" ")}`,
    );
  });
});
