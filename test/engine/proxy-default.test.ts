/** A default answer whose time comes while the proxy works on the question (docs/human.md, docs/escalation.md). */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import { bodies, EXECUTE, finish, gate, inExecute, type Keys, namesIn, reached, shell } from "./fixture.ts";
import { startTimed } from "./timed.ts";

const job = (escalation: string, more: Keys = {}): Keys => ({
  ...EXECUTE,
  agents: { lead: shell("cat"), proxy: shell("cat") },
  ...more,
  states: { EXECUTE: { escalation } },
});

/** Asks with a default answer for a minute later, and approves with what it is told. */
const lead: Script = inExecute(
  async (turn) => void (await turn.ask("red or blue?", { answer: "blue", millis: 60_000 })),
  async (turn) => turn.outcome("APPROVED_WORK", turn.message.body),
);

const stages = (entries: readonly Entry[]): readonly string[] =>
  bodies(entries, "fire").flatMap(({ rule }) =>
    ["escalate", "human-reply", "respond"].includes(rule) ? [rule] : [],
  );

/** What the asker was told. */
const told = (entries: readonly Entry[]): string | undefined =>
  bodies(entries, "fire").findLast(({ rule }) => rule === "respond")?.choice?.a?.body;

const stopped = (turn: ScriptTurn): Promise<undefined> =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve(undefined)));

test("counts, and stops the turn of the proxy: the question is put to the human as it stands first", async () => {
  const began = gate();
  const proxy: Script = (turn) => {
    began.open();
    return stopped(turn);
  };
  const { clock, ...started } = await startTimed(job("when_unsure"), { lead, proxy });
  await reached(started.run, began);
  clock.advance(60_000);
  const { entries, run } = await finish(started);
  expect(told(entries)).toBe("blue");
  expect(stages(entries)).toEqual(["escalate", "human-reply", "respond"]);
  const turns = bodies(entries, "turn").filter(({ thread }) => thread.startsWith("escalation:"));
  expect(turns.map(({ result }) => result)).toEqual(["aborted"]);
  expect(namesIn(join(started.place.top, ".cfa/jobs", run.id, "work"))).toEqual([]);
});

test.each<readonly [string, Keys]>([
  ["under never", job("never")],
  ["with human: none", job("when_unsure", { human: "none" })],
])(
  "%s the answer stays with the proxy: there is nobody whom the question could be put to",
  async (_where, keys) => {
    const [began, late] = [gate(), gate()];
    const proxy: Script = async (turn) => {
      began.open();
      await late.passed;
      return turn.respond("red");
    };
    const { clock, ...started } = await startTimed(keys, { lead, proxy });
    await reached(started.run, began);
    clock.advance(60_000);
    late.open();
    const { entries } = await finish(started);
    expect(told(entries)).toBe("red");
    expect(stages(entries)).toEqual(["respond"]);
  },
);

test("what the human has said to the proxy goes before it", async () => {
  const [began, late] = [gate(), gate()];
  const proxy: Script = async (turn) => {
    if (turn.turn === 1) return turn.ask("which colour?");
    began.open();
    await late.passed;
    return turn.respond(turn.message.body);
  };
  const { clock, ...started } = await startTimed(job("when_unsure"), { lead, proxy });
  for await (const entry of started.run) {
    if (entry.kind !== "fire" || entry.body.rule !== "escalate") continue;
    await started.run.answer("q1.1.1", "green");
    break;
  }
  await reached(started.run, began);
  clock.advance(60_000);
  late.open();
  const { entries } = await finish(started);
  expect(told(entries)).toBe("green");
  expect(stages(entries)).toEqual(["escalate", "human-reply", "respond"]);
});
