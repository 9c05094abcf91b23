/** Answers that do not reach who has asked, because an interrupt takes the place of the turn on them (docs/escalation.md). */
import { describe, expect, test } from "vitest";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  bodies,
  EXECUTE,
  finish,
  type Finished,
  gate,
  type Gate,
  makeEngine,
  makePlace,
  notes,
  reached,
  shell,
  startJob,
} from "./fixture.ts";

const KEYS = { ...EXECUTE, agents: { lead: shell("cat"), proxy: shell("cat") } };

/** Answers with a number that goes up. */
function counting(): { readonly proxy: Script; readonly asked: () => number } {
  let asked = 0;
  return { proxy: (turn) => turn.respond(`answer ${++asked}`), asked: () => asked };
}

const untilStopped = ({ signal }: ScriptTurn, begun: Gate | undefined): Promise<void> => {
  begun?.open();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
};

/** Asks; is stuck on the first answer; on any other message does as `then` says, and ends with the answer that it reads. */
const asker =
  (stuck: Gate, then: Script): Script =>
  async (turn) => {
    const { kind, body } = turn.message;
    if (kind === "task") return void (await turn.ask("which?"));
    if (kind !== "answer") return then(turn);
    if (turn.turn === 2) return untilStopped(turn, stuck);
    return turn.outcome("APPROVED_WORK", body);
  };

const reasonOf = ({ entries }: Finished) => bodies(entries, "transition").at(-1)?.reason;

describe.concurrent("an answer whose turn an interrupt has taken the place of", () => {
  test("comes again to who asks the same; nobody is asked twice", async () => {
    const stuck = gate();
    const { proxy, asked } = counting();
    const lead = asker(stuck, async (turn) => void (await turn.ask("which?")));
    const started = await startJob(KEYS, { lead, proxy });
    await reached(started.run, stuck);
    await started.run.interrupt("look here");
    const finished = await finish(started);
    expect(reasonOf(finished)).toBe("answer 1");
    expect(asked()).toBe(1);
    expect(finished.job.ledger.questions.size).toBe(1);
    expect(notes(finished.entries)).toEqual([
      "it asks again what was answered as q1.1.1: the stored answer is delivered once more",
    ]);
  });

  test("comes again after a second interrupt and a failed turn, too", async () => {
    const [stuck, again] = [gate(), gate()];
    const { proxy, asked } = counting();
    const lead = asker(stuck, async (turn) => {
      if (turn.turn === 3) return untilStopped(turn, again);
      if (turn.turn === 4) throw new Error("killed");
      return void (await turn.ask("which?"));
    });
    const started = await startJob(KEYS, { lead, proxy });
    await reached(started.run, stuck);
    await started.run.interrupt("look here");
    await reached(started.run, again);
    await started.run.interrupt("no, there");
    expect(reasonOf(await finish(started))).toBe("answer 1");
    expect(asked()).toBe(1);
  });

  test.each<[string, Script]>([
    ["who asks something else", async (turn) => void (await turn.ask("which one?"))],
    [
      "who has ended a turn well since, and asks the same then",
      async (turn) => {
        if (turn.message.body !== "and now") return "done";
        return void (await turn.ask("which?"));
      },
    ],
  ])("does not come to %s", async (_, then) => {
    const stuck = gate();
    const { proxy, asked } = counting();
    const started = await startJob(KEYS, { lead: asker(stuck, then), proxy });
    await reached(started.run, stuck);
    await started.run.interrupt("look here");
    await started.run.tell("and now");
    const finished = await finish(started);
    expect(reasonOf(finished)).toBe("answer 2");
    expect(asked()).toBe(2);
  });
});

test("an answer that waits, its turn lost with cfa, is read by who asks the same before: nobody is asked twice", async () => {
  const place = makePlace();
  const engine = makeEngine({});
  const stuck = gate();
  const { proxy, asked } = counting();
  const lead = asker(stuck, async (turn) => void (await turn.ask("which?")));
  const first = await startJob(KEYS, { lead, proxy }, { place, engine });
  await reached(first.run, stuck);
  first.run.stop();
  await first.run.end;
  await first.run.interrupt("look here");
  const run = await engine.resume(place.top, first.run.id, { agents: adapters({ lead, proxy }) });
  const finished = await finish({ place, engine, run });
  expect(reasonOf(finished)).toBe("answer 1");
  expect(asked()).toBe(1);
  expect(notes(finished.entries)).toEqual([
    "it asks again what was answered as q1.1.1: the answer is in its mailbox",
  ]);
});
