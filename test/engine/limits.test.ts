/** Budgets, time-outs, deadlines and bounds, on a clock that moves when the test says so (docs/job.md). */
import { describe, expect, test } from "vitest";
import { JobViewer } from "../../src/cli/view/job-view.ts";
import type { Draft } from "../../src/persistence/entry.ts";
import { memoryBus } from "../../src/persistence/memory.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  reached,
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  type Finished,
  gate,
  inExecute,
  type Keys,
  mailOf,
  makeEngine,
  record,
  runJob,
  type Scripts,
  startJob,
  transitions,
  until,
} from "./fixture.ts";
import { ManualClock, startTimed } from "./timed.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Resumes a parked job with a larger budget. */
async function resume(
  { engine, place }: Finished,
  keys: Keys,
  scripts: Scripts,
  budget: Record<string, number>,
) {
  const first: readonly Draft[] = [
    { kind: "configure", body: { budget, origin: "human" } },
    { kind: "park", body: { parked: false, why: "resumed", origin: "human" } },
  ];
  const run = await engine.start(definitionOf(place, keys), { agents: adapters(scripts), first });
  return finish({ engine, place, run });
}

const forever = (turn: ScriptTurn): Promise<string> =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));

describe.concurrent("a spent budget parks the job, and a larger one goes on", () => {
  test("turns: no turn starts beyond it", async () => {
    const keys = { budget: { turns: 2 } };
    const scripts = { lead: approve };
    const parked = await runJob(keys, scripts);
    expect(parked.end).toEqual({ kind: "parked", why: "the budget of 2 turns is spent" });
    expect(bodies(parked.entries, "turn")).toHaveLength(2);
    expect(parked.job.record.machine.state).toBe("EXECUTE");

    const again = await resume(parked, keys, scripts, { turns: 3 });
    expect(again.end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(again.entries, "turn")).toHaveLength(3);
    expect(bodies(again.entries, "park").map(({ parked }) => parked)).toEqual([true, false]);
  });

  test("turns: children that could start together do not start together beyond it", async () => {
    const keys = { ...EXECUTE, budget: { turns: 3 } };
    const scripts = {
      lead: inExecute(async (turn) => {
        for (const task of ["a", "b", "c"]) await turn.send({ to: "worker", message: task });
      }, approve),
      worker: (turn: ScriptTurn) => turn.message.body,
    };
    const parked = await runJob(keys, scripts);
    expect(parked.end.kind).toBe("parked");
    expect(bodies(parked.entries, "turn")).toHaveLength(3);
    expect((await resume(parked, keys, scripts, { turns: 30 })).end).toEqual({
      kind: "ended",
      state: "DONE",
    });
  });

  test("resumed without a larger one, it is parked again at once", async () => {
    const keys = { budget: { turns: 1 } };
    const parked = await runJob(keys, { lead: approve });
    const run = await parked.engine.start(definitionOf(parked.place, keys), {
      agents: adapters({ lead: approve }),
    });
    const again = await finish({ ...parked, run });
    expect(again.end).toEqual({ kind: "parked", why: "the budget of 1 turns is spent" });
    expect(bodies(again.entries, "turn")).toHaveLength(1);
  });

  test("wall: a turn that runs goes on, the next one does not start; time spent parked does not count", async () => {
    const [begun, go] = [gate(), gate()];
    const keys = { ...EXECUTE, budget: { wall: "1h" } };
    const lead: Script = async (turn) => {
      if (turn.turn > 1) return approve(turn);
      begun.open();
      await go.passed;
      await turn.send({ to: "worker", message: "x" });
      return undefined;
    };
    const scripts = { lead, worker: () => "done" };
    const started = await startTimed(keys, scripts);
    await reached(started.run, begun);
    started.clock.advance(2 * HOUR);
    go.open();
    const parked = await finish(started);
    expect(parked.end).toEqual({ kind: "parked", why: "the budget of 60 minutes is spent" });
    expect(bodies(parked.entries, "turn")).toHaveLength(1);
    started.clock.advance(100 * HOUR);
    const again = await resume(parked, keys, scripts, { wall: 3 * HOUR });
    expect(again.end).toEqual({ kind: "ended", state: "DONE" });
  });
});

test("wall and state_timeout do not count the time in which no process runs the job", async () => {
  const clock = new ManualClock();
  const engine = makeEngine({ clock, bus: (job) => memoryBus(job, { clock: () => clock.now() }) });
  const states = { INTENT: { escalation: "always", state_timeout: "30m" } };
  const keys = { budget: { wall: "90s" }, states, limits: { retries: 0 } };
  const lead: Script = (turn) =>
    turn.turn === 1 && turn.state === "INTENT" ? turn.ask("may I?").then(() => undefined) : approve(turn);
  const started = await startJob(keys, { lead }, { engine, waitForHuman: false });
  expect((await finish(started)).end).toMatchObject({ kind: "waiting" });
  clock.advance(100 * HOUR);
  const run = await engine.start(definitionOf(started.place, keys), { agents: adapters({ lead }) });
  await until(run, "resume");
  await run.answer("q1.1.1", "yes");
  const { end, entries } = await finish({ ...started, run });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(bodies(entries, "resume")).toEqual([{ since: "2026-01-01T00:00:00.000Z" }]);
});

describe.concurrent("deadline", () => {
  test("passed in the middle of a turn: the turn is stopped, the job is FAILURE", async () => {
    const started = await startTimed({ deadline: "24h" }, { lead: forever });
    await until(started.run, "start");
    started.clock.advance(25 * HOUR);
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(transitions(entries)).toEqual(["INTENT FAILURE FAILURE (orchestrator)"]);
    expect(bodies(entries, "transition")[0]?.reason).toBe("the deadline of the job has passed");
  });

  test("passed while the human is asked: FAILURE, the question ends", async () => {
    const started = await startTimed(
      { deadline: "24h" },
      { lead: async (turn) => void (await turn.ask("may I?")) },
    );
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    started.clock.advance(25 * HOUR);
    const { end, job } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect([...job.ledger.questions.values()]).toEqual([
      expect.objectContaining({ ended: true, answer: undefined }),
    ]);
  });

  test("not passed, it changes nothing", async () => {
    const started = await startTimed({ deadline: "24h" }, { lead: approve });
    expect((await finish(started)).end).toEqual({ kind: "ended", state: "DONE" });
  });
});

describe.concurrent("state_timeout", () => {
  const keys = (retries: number): Keys => ({
    limits: { retries },
    states: { INTENT: { state_timeout: "30m" } },
  });

  test("passed, with retries: 0, is FAILURE of the state", async () => {
    const started = await startTimed(keys(0), { lead: forever });
    await until(started.run, "start");
    started.clock.advance(31 * MINUTE);
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "violation")).toEqual([
      expect.objectContaining({
        state: "INTENT",
        failures: 1,
        problem: expect.stringContaining("longer than its time-out"),
      }),
    ]);
  });

  test("passed, with retries: 1, tells the lead; passed again, is FAILURE", async () => {
    const started = await startTimed(keys(1), { lead: forever });
    await until(started.run, "start");
    started.clock.advance(31 * MINUTE);
    await until(started.run, "violation");
    started.clock.advance(31 * MINUTE);
    const { end, entries, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "violation").map(({ failures }) => failures)).toEqual([1, 2]);
    expect(mailOf(entries, `state:${run.id}:INTENT:1`)).toEqual([
      expect.stringContaining("longer than its time-out"),
    ]);
  });

  test("runs on when the lead is told of a violation", async () => {
    const started = await startTimed(keys(1), {
      lead: (turn) => {
        if (turn.turn > 1) return forever(turn);
        started.clock.advance(20 * MINUTE);
        return record(turn, "no JSON");
      },
    });
    await until(started.run, "violation");
    await until(started.run, "start", ({ turn }) => turn === 2);
    started.clock.advance(11 * MINUTE);
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "violation").at(-1)?.problem).toContain("longer than its time-out");
  });

  test("does not run while the job is parked", async () => {
    const timed = { ...keys(1), budget: { turns: 1 } };
    const lead: Script = async (turn) =>
      turn.state === "INTENT" && turn.turn === 1 ? undefined : approve(turn);
    const started = await startTimed(timed, { lead });
    const parked = await finish(started);
    expect(parked.end.kind).toBe("parked");
    started.clock.advance(100 * HOUR);
    const again = await resume(parked, timed, { lead }, { turns: 30 });
    expect(again.end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(again.entries, "violation")).toHaveLength(1);
  });

  test("bounds the wait of an approval for its children", async () => {
    const started = await startTimed(
      { ...EXECUTE, limits: { retries: 0 }, states: { EXECUTE: { state_timeout: "30m" } } },
      {
        lead: inExecute(async (turn) => {
          await turn.send({ to: "worker", message: "x" });
          return approve(turn);
        }),
        worker: forever,
      },
    );
    await until(started.run, "hold");
    started.clock.advance(31 * MINUTE);
    const { end } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
  });

  test("begins anew with each entry into the state", async () => {
    const started = await startTimed(keys(0), {
      lead: (turn) => {
        started.clock.advance(20 * MINUTE);
        return turn.state === "PLAN" && turn.thread.endsWith(":1")
          ? turn.outcome("REALIGN", "again")
          : approve(turn);
      },
    });
    expect((await finish(started)).end).toEqual({ kind: "ended", state: "DONE" });
  });
});

describe.concurrent("bounds", () => {
  test("max_turns: a lead that is woken once more fails its state", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { max_turns: 2 } },
      {
        lead: async (turn) => void (await turn.send({ to: "worker", ...going(turn), message: "more" })),
        worker: () => "here",
      },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "turn").filter(({ agent }) => agent === "lead")).toHaveLength(2);
    expect(bodies(entries, "transition").at(-1)?.reason).toContain("2 turns were not enough");
  });

  test("max_turns: an outcome in the last turn still counts", async () => {
    const { end } = await runJob(
      { ...EXECUTE, limits: { max_turns: 2 } },
      {
        lead: (turn) => (turn.turn === 1 ? "thinking" : approve(turn)),
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
  });

  for (const concurrency of [1, 2]) {
    test(`concurrency: ${concurrency} is the most programs at a time`, async () => {
      let [running, most] = [0, 0];
      const { end } = await runJob(
        { ...EXECUTE, limits: { concurrency } },
        {
          lead: inExecute(async (turn) => {
            for (const task of ["a", "b", "c"]) await turn.send({ to: "worker", message: task });
          }, approve),
          worker: async () => {
            running += 1;
            most = Math.max(most, running);
            // The other one, where there may be one, starts before this ends.
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return "done";
          },
        },
      );
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(most).toBeLessThanOrEqual(concurrency);
    });
  }
});

/** The conversation to go on with, where there is one. */
const going = (turn: ScriptTurn) => ({ thread: turn.children[0]?.thread });

describe.concurrent("a stall: a turn of which nothing is heard for limits.stall", () => {
  const keys = { ...EXECUTE, limits: { stall: "1m", retries: 1 } };

  test("is ended and counts as an error; until another begins, its thread has stalled", async () => {
    const { clock, ...started } = await startTimed(keys, {
      lead: (turn) => (turn.turn === 1 ? forever(turn) : approve(turn)),
    });
    await until(started.run, "start");
    clock.advance(59_000);
    clock.advance(2000);
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").map(({ result, failure }) => [result, failure])).toEqual([
      ["failed", "nothing was heard of it for 60 s"],
      ["ok", null],
    ]);
    expect(bodies(entries, "violation").map(({ failures }) => failures)).toEqual([1]);
    const viewer = new JobViewer();
    const seen = entries.map((entry) => {
      viewer.apply(entry);
      return viewer.view().threads.children[0]?.state;
    });
    const after = seen.slice(entries.findIndex(({ kind }) => kind === "turn") + 1);
    expect(after.indexOf("stalled")).toBeGreaterThanOrEqual(0);
    expect(after.lastIndexOf("stalled")).toBeLessThan(after.indexOf("running"));
  });

  test("is none while a question of the thread is open", async () => {
    const [begun, go] = [gate(), gate()];
    const { clock, ...started } = await startTimed(keys, {
      lead: inExecute(
        async (turn) => void (await turn.ask("may I?")),
        async (turn) => {
          begun.open();
          await go.passed;
          return approve(turn);
        },
      ),
    });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.tell("by the way");
    await reached(started.run, begun);
    clock.advance(3 * MINUTE);
    go.open();
    await until(started.run, "turn", ({ turn }) => turn === 2);
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").map(({ result }) => result)).toEqual(["ok", "ok"]);
  });
});
