/** Random small scenarios: soups that no job would reach among them, and agents that address anybody. */
import fc from "fast-check";
import type { Scenario } from "../walk-scenario.ts";

const agent = fc.constantFrom("A", "B");
const thread = fc.constantFrom("t1", "t2", "t3");
const message = fc.constantFrom("m", "n", "$m");
const policy = fc.constantFrom("never" as const, "when_unsure" as const, "always" as const);
const question = fc.constantFrom("e1", "e2");
const ask = fc.record({ ask: fc.tuple(question, fc.constant("q"), policy) });
const payload = fc.oneof(
  { weight: 4, arbitrary: fc.record({ to: fc.tuple(agent, thread), msg: message }) },
  { weight: 2, arbitrary: fc.record({ terminate: thread }) },
  { weight: 1, arbitrary: ask },
);
const choice = fc.oneof(
  { weight: 1, arbitrary: fc.constant("nosend" as const) },
  { weight: 4, arbitrary: fc.record({ send: fc.array(payload, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: ask },
);

function notation(
  one: { to: [string, string]; msg: string } | { terminate: string } | { ask: string[] },
): string {
  if ("terminate" in one) return `terminate(${one.terminate})`;
  if ("ask" in one) return `ask(${one.ask.join(",")})`;
  return `deliver(${one.to[0]},${one.to[1]},${one.msg.replace("$", "")})`;
}

const molecule = fc.oneof(
  fc.tuple(agent, thread).map(([A, t]) => `Idle(${A},${t})`),
  fc
    .tuple(agent, thread, fc.subarray(["x", "y"]))
    .map(([A, t, ms]) => `Mailbox(${A},${t},[${ms.join(",")}])`),
  fc.tuple(agent, thread).map(([A, t]) => `Run(${A},${t},r)`),
  fc
    .tuple(agent, thread, fc.array(payload, { maxLength: 3 }))
    .map(([A, t, ps]) => `Send(${A},${t},[${ps.map(notation).join(",")}])`),
  fc.tuple(thread, thread).map(([c, t]) => `Parent(${c},${t})`),
  fc.tuple(thread, fc.constantFrom("", ",drop")).map(([t, mode]) => `Terminate(${t}${mode})`),
  fc.tuple(agent, thread, question, policy).map(([A, t, e, π]) => `AskQuestion(${A},${t},${e},q,${π})`),
  fc.tuple(agent, thread, question, policy).map(([A, t, e, π]) => `Proxy(${A},${t},${e},q,${π},fresh)`),
  fc.tuple(agent, thread, question).map(([A, t, e]) => `AskHuman(${A},${t},${e},q,always)`),
  thread.map((t) => `Interrupt(${t},stop)`),
);

const script = fc.record({
  agent,
  thread,
  run: fc.constantFrom(1, 2),
  choices: fc.array(choice, { minLength: 1, maxLength: 2 }),
});

const none = { reachableStates: 1, finalSoups: [], finalClosed: [], stuck: 0, violations: [] };

/** Any soup, in which few invariants hold. */
const wild: fc.Arbitrary<Scenario> = fc
  .record({
    rules: fc.constantFrom("complete" as const, "literal" as const),
    initial: fc.array(molecule, { maxLength: 5 }),
    closed: fc.constantFrom<string[][]>([], [], ["t3"]),
    roster: fc.constantFrom<Record<string, string[]>[]>({ A: ["A", "B"], B: ["A"] }, { A: ["B"] }),
    cap: fc.constantFrom(1, 2),
    scripts: fc.uniqueArray(script, { maxLength: 4, selector: (s) => `${s.agent} ${s.thread} ${s.run}` }),
  })
  .map((one) => ({ ...one, name: "wild", expected: none }));

/** Payloads that the agent of a thread may well send: to its parent, its children, a new thread; closes; a question. */
function likely(own: "t1" | "t2" | "t3") {
  const to = (A: string, t: string, msg: string) => ({ to: [A, t] as [string, string], msg });
  const payloads = {
    t1: [
      to("B", "t2", "x"),
      to("B", "t2", "y"),
      to("C", "t3", "z"),
      to("Z", "t9", "no"),
      { terminate: "t2" },
    ],
    t2: [to("A", "t1", "p"), to("A", "t1", "q"), to("C", "t3", "r"), { terminate: "t3" }],
    t3: [to("A", "t1", "u"), to("B", "t2", "v"), to("C", "t4", "w")],
  }[own];
  const ask = fc.record({ ask: fc.tuple(fc.constant(`e${own}`), fc.constantFrom("k", "$m"), policy) });
  const send = fc.record({
    send: fc.array(
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...payloads) }, { weight: 1, arbitrary: ask }),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
  });
  return fc.oneof(
    { weight: 4, arbitrary: send },
    { weight: 1, arbitrary: ask },
    { weight: 1, arbitrary: fc.constant("nosend" as const) },
  );
}

/** A tree of threads at work, some of it being withdrawn; t1 writes what it reads, in order, to a log. */
const orderly: fc.Arbitrary<Scenario> = fc
  .record({
    rules: fc.constantFrom("complete" as const, "complete" as const, "literal" as const),
    awake: fc.subarray(["t1", "t2"], { minLength: 1 }),
    third: fc.boolean(),
    more: fc.array(
      fc.constantFrom(
        "Terminate(t1)", "Terminate(t2)", "Interrupt(t1,stop)", "Interrupt(t2,stop)",
        "Proxy(A,t1,e1,k,when_unsure,fresh)", "Proxy(B,t2,e2,k,never,fresh)",
      ),
      { maxLength: 2 },
    ), // prettier-ignore
    one: fc.array(likely("t1"), { minLength: 1, maxLength: 2 }),
    two: fc.array(likely("t2"), { minLength: 1, maxLength: 2 }),
    three: fc.array(likely("t3"), { minLength: 1, maxLength: 2 }),
  })
  .map(({ rules, awake, third, more, one, two, three }) => {
    const mail = (t: string) => (awake.includes(t) ? "[go]" : "[]");
    const tree = [
      "Idle(A,t1)",
      `Mailbox(A,t1,${mail("t1")})`,
      "Idle(B,t2)",
      `Mailbox(B,t2,${mail("t2")})`,
      "Parent(t2,t1)",
    ];
    const child = third ? ["Run(C,t3,go)", "Mailbox(C,t3,[])", "Parent(t3,t2)"] : [];
    return {
      name: "orderly",
      rules,
      initial: [...tree, ...child, "Mailbox(L,log,[])", "Parent(log,t1)", ...more],
      closed: [],
      roster: { A: ["B", "C"], B: ["C"], C: ["C"] },
      cap: 2,
      scripts: [
        { agent: "A", thread: "t1", run: 1, choices: one },
        {
          agent: "A",
          thread: "t1",
          run: "*" as const,
          choices: [{ send: [{ to: ["L", "log"] as [string, string], msg: "$m" }] }],
        },
        { agent: "B", thread: "t2", run: 1, choices: two },
        { agent: "C", thread: "t3", run: 1, choices: three },
      ],
      expected: none,
    };
  });

/** Names that are members of every object, need quotes, look like numbers, or are not ASCII. */
const STRANGE: ReadonlyMap<string, string> = new Map([
  ["A", "constructor"],
  ["B", "__proto__"],
  ["C", "toString"],
  ["L", "Λ"],
  ["t1", "__proto__"],
  ["t2", "作业 2"],
  ["t3", "valueOf"],
  ["t9", "0"],
  ["e1", "constructor"],
]);
const strange = (name: string) => STRANGE.get(name) ?? name;

type Ask = { ask: [string, string, "never" | "when_unsure" | "always"] };
type Payload = { to: [string, string]; msg: string } | { terminate: string } | Ask;

const askRenamed = ({ ask: [e, x, π] }: Ask): Ask => ({ ask: [strange(e), x, π] });

function payloadRenamed(one: Payload): Payload {
  if ("terminate" in one) return { terminate: strange(one.terminate) };
  if ("ask" in one) return askRenamed(one);
  return { ...one, to: [strange(one.to[0]), strange(one.to[1])] };
}

/** The scenario under strange names, which are quoted in notation. */
function renamed(given: Scenario): Scenario {
  const quoted = (text: string) =>
    text.replace(/\w+/gu, (word) => (STRANGE.has(word) ? JSON.stringify(strange(word)) : word));
  return {
    ...given,
    initial: given.initial.map(quoted),
    closed: given.closed.map(strange),
    roster: Object.fromEntries(
      Object.entries(given.roster).map(([agent, others]) => [strange(agent), others.map(strange)]),
    ),
    scripts: given.scripts.map((script) => ({
      ...script,
      agent: strange(script.agent),
      thread: strange(script.thread),
      choices: script.choices.map((one) => {
        if (one === "nosend") return one;
        return "ask" in one ? askRenamed(one) : { send: one.send.map(payloadRenamed) };
      }),
    })),
  };
}

/** A scenario without expectation; few decisions, so that most are small. */
export const scenario: fc.Arbitrary<Scenario> = fc.oneof(
  { weight: 2, arbitrary: wild },
  { weight: 3, arbitrary: orderly },
  { weight: 1, arbitrary: fc.oneof(wild, orderly).map(renamed) },
);
