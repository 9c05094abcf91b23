/** Questions to the human, under every policy (CfA §7). */
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/persistence/entry.ts";
import { openEngine } from "../../src/engine/engine.ts";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  EXECUTE,
  finish,
  inExecute,
  type Keys,
  makeEngine,
  makePlace,
  runJob,
  startJob,
  until,
} from "./fixture.ts";

const policy = (escalation: string, more: Keys = {}): Keys => ({
  ...EXECUTE,
  ...more,
  states: { EXECUTE: { escalation } },
});

/** A lead that asks once and approves with the answer as reason. */
const asker: Script = async (turn) => {
  if (turn.message.kind === "answer") return turn.outcome("APPROVED_WORK", turn.message.body);
  await turn.ask("red or blue?");
  return undefined;
};

/** Ids of the questions in the order in which the human was asked. */
const asked = (entries: readonly Entry[]): readonly string[] =>
  bodies(entries, "fire").flatMap(({ rule, at }) => (rule === "escalate" ? [at["e"] ?? ""] : []));

const reasonOf = (entries: readonly Entry[]): string | undefined =>
  bodies(entries, "transition").at(-1)?.reason;

describe.concurrent("the policy", () => {
  test("never: nobody is asked, the answer is an explicit refusal", async () => {
    const { entries, end } = await runJob(policy("never"), { lead: asker });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(asked(entries)).toEqual([]);
    expect(reasonOf(entries)).toMatch(/^Nobody is asked in this state.*Decide yourself/u);
  });

  test("human: none: the answer says that there is nobody", async () => {
    const { entries } = await runJob(policy("when_unsure", { human: "none" }), { lead: asker });
    expect(asked(entries)).toEqual([]);
    expect(reasonOf(entries)).toMatch(/^There is nobody to ask/u);
  });

  for (const word of ["when_unsure", "always"]) {
    test(`${word}: the human gets the question as it stands, and the asker the human's words`, async () => {
      const started = await startJob(policy(word), { lead: asker });
      const { at, choice } = await until(started.run, "fire", ({ rule }) => rule === "escalate");
      expect(choice?.y?.body).toBe("red or blue?");
      await started.run.answer(at["e"] ?? "", "blue");
      const { entries, end, job } = await finish(started);
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(reasonOf(entries)).toBe("blue");
      expect([...job.ledger.questions.values()]).toEqual([
        expect.objectContaining({
          policy: word,
          text: "red or blue?",
          answer: "blue",
          ended: true,
          asking: false,
        }),
      ]);
    });
  }

  test("is bound when the question is asked, in the state of the asker", async () => {
    const started = await startJob(
      { ...EXECUTE, states: { INTENT: { escalation: "never" }, EXECUTE: { escalation: "always" } } },
      {
        lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
        worker: async (turn) => {
          if (turn.message.kind === "answer") return turn.message.body;
          await turn.ask("may I?");
          return undefined;
        },
      },
    );
    const { at, choice } = await until(started.run, "fire", ({ rule }) => rule === "ask-step");
    expect(choice).toMatchObject({ π: "always" });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.answer(choice?.e ?? "", "yes");
    expect(at["t"]).toBe("dispatch:1.1.1");
    expect((await finish(started)).end).toEqual({ kind: "ended", state: "DONE" });
  });
});

describe.concurrent("answers", () => {
  test("the first wins; later ones, and those to unknown questions, are told so", async () => {
    const started = await startJob(policy("always"), { lead: asker });
    const { at } = await until(started.run, "fire", ({ rule }) => rule === "escalate");
    const question = at["e"] ?? "";
    await started.run.answer("q9.9.9", "what?");
    await started.run.answer(question, "blue");
    await started.run.answer(question, "red");
    const { entries } = await finish(started);
    expect(reasonOf(entries)).toBe("blue");
    const results = bodies(entries, "act").map(({ result }) => result);
    expect(results.slice(0, 2)).toEqual(["there is no question q9.9.9", "answered"]);
    // The third may come when the job has ended already.
    for (const result of results.slice(2))
      expect(result).toBe(`question ${question} has been answered already`);
  });

  test("to two questions of one turn may come in reverse, each at its own question", async () => {
    const heard: string[] = [];
    const started = await startJob(policy("always"), {
      lead: async (turn) => {
        if (turn.turn === 1) {
          await turn.ask("first?");
          return void (await turn.ask("second?"));
        }
        heard.push(`${turn.message.re ?? ""} ${turn.message.body}`);
        return heard.length === 2 ? approve(turn) : "one more";
      },
    });
    await until(started.run, "fire", ({ rule, at }) => rule === "escalate" && at["e"] === "q1.1.2");
    await started.run.answer("q1.1.2", "two");
    await until(started.run, "fire", ({ rule, at }) => rule === "respond" && at["e"] === "q1.1.2");
    await started.run.answer("q1.1.1", "one");
    const { end } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toEqual(["q1.1.2 two", "q1.1.1 one"]);
  });

  test("to a question whose asker has ended changes nothing", async () => {
    const started = await startJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn === 1) {
          const child = await turn.send({ to: "worker", message: "ask" });
          await turn.send({ to: "worker", message: "reply" });
          return void child;
        }
        if (turn.message.kind !== "human") return "wait";
        await turn.close("dispatch:1.1.1");
        return turn.message.body === "approve" ? approve(turn) : "closed";
      },
      worker: async (turn) => (turn.message.body === "ask" ? void (await turn.ask("may I?")) : "done"),
    });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.tell("close it");
    await until(started.run, "release");
    await started.run.answer("q2.1.1", "late");
    await until(started.run, "act", ({ verb }) => verb === "answer");
    await started.run.tell("approve");
    const { entries, end } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "act").find(({ verb }) => verb === "answer")?.result).toBe(
      "question q2.1.1 has ended without an answer",
    );
  });
});

describe.concurrent("asking and sending", () => {
  test("one question and nothing else is ask-step", async () => {
    const { entries } = await runJob(policy("never"), { lead: asker });
    const lead = bodies(entries, "fire").filter(({ at }) => at["t"]?.startsWith("state:"));
    expect(lead.map(({ rule }) => rule).slice(0, 3)).toEqual(["wake", "ask-step", "ask"]);
  });

  test("a question beside a send is part of the broadcast, in the order of the calls", async () => {
    const { entries, end } = await runJob(policy("never"), {
      lead: async (turn) => {
        if (turn.turn > 1) return approve(turn);
        await turn.ask("red or blue?");
        await turn.send({ to: "worker", message: "go" });
        return undefined;
      },
      worker: () => "done",
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const rules = bodies(entries, "fire")
      .filter(({ at }) => at["t"]?.startsWith("state:"))
      .map(({ rule }) => rule);
    expect(rules.filter((rule) => rule !== "respond").slice(0, 4)).toEqual([
      "wake",
      "send-step",
      "send-ask",
      "spark",
    ]);
  });

  test("an open question keeps the state pending: nobody is nudged", async () => {
    const started = await startJob(policy("always"), { lead: asker });
    const { at } = await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.answer(at["e"] ?? "", "blue");
    const { entries } = await finish(started);
    expect(bodies(entries, "violation")).toEqual([]);
  });
});

describe("a run that does not wait for the human", () => {
  test("ends as waiting, and another engine that resumes it goes on with the answer", async () => {
    const place = makePlace();
    const first = openEngine();
    const started = await startJob(
      policy("always"),
      { lead: asker },
      { place, engine: first, waitForHuman: false },
    );
    expect(await started.run.end).toEqual({ kind: "waiting", questions: ["q1.1.1"] });
    await first.close();

    const engine = makeEngine({});
    const options = { agents: adapters({ lead: asker }), waitForHuman: false };
    const idle = await engine.resume(place.top, started.run.id, options);
    expect(await idle.end).toEqual({ kind: "waiting", questions: ["q1.1.1"] });

    await idle.answer("q1.1.1", "blue");
    const run = await engine.resume(place.top, started.run.id, options);
    const { end, entries } = await finish({ place, engine, run });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(reasonOf(entries)).toBe("blue");
    expect(bodies(entries, "turn")).toHaveLength(2);
  });
});
