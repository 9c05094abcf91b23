/** Random small scenarios: soups that no job would reach among them, and agents that address anybody. */
import fc from "fast-check";
import type { Scenario } from "../walk.ts";

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

/** A soup like that of a job: t1 with children, all awake; now and then a termination, an interrupt or a question. */
const orderly = fc
  .record({
    start: fc.constantFrom("[go]", "[go,on]"),
    child: fc.constantFrom([], ["Idle(B,t2)", "Mailbox(B,t2,[m])", "Parent(t2,t1)"]),
    more: fc.array(
      fc.constantFrom(
        "Terminate(t2)",
        "Interrupt(t1,stop)",
        "Terminate(t1)",
        "Proxy(A,t1,e1,q,when_unsure,fresh)",
      ),
      { maxLength: 1 },
    ),
  })
  .map(({ start, child, more }) => ["Idle(A,t1)", `Mailbox(A,t1,${start})`, ...child, ...more]);

const script = fc.record({
  agent,
  thread,
  run: fc.constantFrom(1, 2),
  choices: fc.array(choice, { minLength: 1, maxLength: 2 }),
});

/** A scenario without expectation; each instance decides something in at most two of its turns. */
export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    rules: fc.constantFrom("complete" as const, "literal" as const),
    initial: fc.oneof(
      { weight: 3, arbitrary: orderly },
      { weight: 2, arbitrary: fc.array(molecule, { maxLength: 5 }) },
    ),
    closed: fc.constantFrom<string[][]>([], [], ["t3"]),
    roster: fc.constantFrom<Record<string, string[]>[]>({ A: ["A", "B"], B: ["A"] }, { A: ["B"] }),
    cap: fc.constantFrom(1, 2),
    scripts: fc.uniqueArray(script, { maxLength: 4, selector: (s) => `${s.agent} ${s.thread} ${s.run}` }),
  })
  .map((one) => ({
    ...one,
    name: "random",
    expected: { reachableStates: 1, finalSoups: [], finalClosed: [], stuck: 0, violations: [] },
  }));
