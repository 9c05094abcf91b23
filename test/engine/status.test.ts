/** The status file in a job: a soft stop of a lead parks the job, that of a child reaches its parent (docs/status-file.md). */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Draft } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  type Finished,
  inExecute,
  type Keys,
  mailOf,
  notes,
  runJob,
  type Scripts,
  shell,
  transitions,
  write,
} from "./fixture.ts";

/** What an agent's shell would do. */
const signal = (turn: ScriptTurn, word: string): void => write(turn.workspace, ".sortie/status", `${word}\n`);

/** What `cfa resume` does with a parked job. */
async function resume({ engine, place }: Finished, keys: Keys, scripts: Scripts): Promise<Finished> {
  const first: readonly Draft[] = [
    { kind: "park", body: { parked: false, why: "resumed", origin: "human" } },
  ];
  const run = await engine.start(definitionOf(place, keys), { agents: adapters(scripts), first });
  return finish({ engine, place, run });
}

describe.concurrent("a lead", () => {
  test.each([
    ["blocked", "lead cannot go on without a person: blocked in .sortie/status, turn 1 of state:"],
    ["needs-human-review", "lead has work that a person should review: needs-human-review in .sortie/status"],
  ])("that writes %s parks the job; resumed, it is told so and goes on", async (word, why) => {
    const heard: string[] = [];
    const lead: Script = async (turn) => {
      heard.push(turn.message.body);
      if (turn.state === "INTENT" && turn.turn === 1) return signal(turn, word);
      return approve(turn);
    };
    const parked = await runJob({}, { lead });
    expect(parked.end).toEqual({ kind: "parked", why: expect.stringContaining(why) });
    expect(bodies(parked.entries, "turn")).toEqual([expect.objectContaining({ result: "ok", status: word })]);
    expect(notes(parked.entries)).toEqual([`.sortie/status says ${word}`]);

    const again = await resume(parked, {}, { lead });
    expect(again.end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard[1]).toBe(
      `You stopped with ${word}; a person has resumed the job. Go on, and end the state with an outcome.`,
    );
    expect(bodies(again.entries, "violation")).toEqual([]);
    expect(bodies(again.entries, "park").map(({ parked, origin }) => [parked, origin])).toEqual([
      [true, "skill"],
      [false, "human"],
    ]);
  });

  test("that also left an outcome: the word first, the outcome when the job is resumed", async () => {
    const lead: Script = async (turn) => {
      if (turn.state === "INTENT") signal(turn, "needs-human-review");
      return approve(turn);
    };
    const parked = await runJob({}, { lead });
    expect(parked.end.kind).toBe("parked");
    expect(transitions(parked.entries)).toEqual([]);
    const again = await resume(parked, {}, { lead });
    expect(again.end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(again.entries, "turn")).toHaveLength(3);
  });

  test("that sent before it stopped: the broadcast is done, no turn starts until the job is resumed", async () => {
    const lead = inExecute(async (turn) => {
      await turn.send({ to: "worker", message: "go" });
      signal(turn, "blocked");
    }, approve);
    const scripts = { lead, worker: () => "done" };
    const parked = await runJob(EXECUTE, scripts);
    expect(parked.end.kind).toBe("parked");
    expect(bodies(parked.entries, "turn").map(({ agent }) => agent)).toEqual(["lead"]);
    expect(bodies(parked.entries, "fire").map(({ rule }) => rule)).toContain("spark");
    const again = await resume(parked, EXECUTE, scripts);
    expect(again.end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(again.entries, "turn").map(({ agent }) => agent)).toEqual(["lead", "worker", "lead"]);
  });

  test("that stops again after it was resumed parks the job again", async () => {
    const lead: Script = (turn) => (turn.turn <= 2 ? signal(turn, "blocked") : approve(turn));
    const parked = await runJob({ start: "EXECUTE", given: EXECUTE["given"] }, { lead });
    const again = await resume(parked, EXECUTE, { lead });
    expect(again.end).toMatchObject({ kind: "parked", why: expect.stringContaining("turn 2 of") });
    expect((await resume(again, EXECUTE, { lead })).end).toEqual({ kind: "ended", state: "DONE" });
  });
});

describe.concurrent("what is no word changes nothing", () => {
  test.each<[string, (turn: ScriptTurn) => void, RegExp]>([
    ["an unknown word", (turn) => signal(turn, "finished"), /says "finished", which is none of blocked/],
    ["an empty file", (turn) => signal(turn, ""), /says "", which is none/],
    ["a directory", (turn) => write(turn.workspace, ".sortie/status/x", ""), /ignored: .*no regular file/],
    [
      "a pipe",
      (turn) => {
        write(turn.workspace, ".sortie/x", "");
        execFileSync("mkfifo", [join(turn.workspace, ".sortie/status")]);
      },
      /ignored: .*no regular file/,
    ],
  ])("%s", async (_what, leave, note) => {
    const lead: Script = async (turn) => {
      if (turn.state === "INTENT") leave(turn);
      return approve(turn);
    };
    const { end, entries } = await runJob({}, { lead });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)[0]).toMatch(note);
  });

  test("the word of an earlier turn", async () => {
    const words: string[] = [];
    const lead: Script = async (turn) => {
      if (turn.state === "INTENT" && turn.turn === 1) return signal(turn, "unknown");
      execFileSync("sh", ["-c", "test ! -e .sortie/status"], { cwd: turn.workspace });
      words.push(turn.state);
      return approve(turn);
    };
    expect((await runJob({}, { lead })).end).toEqual({ kind: "ended", state: "DONE" });
    expect(words).toEqual(["INTENT", "PLAN", "EXECUTE"]);
  });

  test("the word of a turn that failed", async () => {
    const lead: Script = async (turn) => {
      if (turn.state !== "INTENT" || turn.turn > 1) return approve(turn);
      signal(turn, "blocked");
      throw new Error("slipped");
    };
    const { end, entries } = await runJob({}, { lead });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)).toContain(".sortie/status says blocked: not honoured, the turn has failed");
  });
});

test("a child that writes one rests, and its parent is told; mail to it is a new start", async () => {
  const { end, entries } = await runJob(EXECUTE, {
    lead: async (turn) => {
      const thread = turn.children[0]?.thread;
      if (turn.message.kind === "task") return void (await turn.send({ to: "worker", message: "go" }));
      if (turn.message.kind === "control")
        return void (await turn.send({ to: "worker", thread, message: "here is the key" }));
      return approve(turn);
    },
    worker: (turn) => {
      if (turn.turn > 1) return "done";
      signal(turn, "blocked");
      return undefined;
    },
  });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(mailOf(entries, bodies(entries, "turn")[0]?.thread ?? "")[0]).toBe(
    "worker on dispatch:1.1.1 has stopped itself: blocked (it cannot go on without a person). It rests until you write to it (cfa send --to worker --thread dispatch:1.1.1) or close it (cfa close dispatch:1.1.1).",
  );
  expect(bodies(entries, "park")).toEqual([]);
});

test("the word of a turn that has ended is none of the next one, which had not begun when the run ended", async () => {
  const scripts: Scripts = {
    lead: async (turn) => {
      const thread = turn.children[0]?.thread;
      if (turn.message.kind === "task") return void (await turn.send({ to: "worker", message: "go" }));
      if (turn.message.kind === "control")
        return void (await turn.send({ to: "worker", thread, message: "here is the key" }));
      return approve(turn);
    },
    worker: (turn) => {
      if (turn.turn > 1) return "done";
      signal(turn, "blocked");
      return undefined;
    },
  };
  // The third turn is the lead's: the worker's second is asked for, and does not begin.
  const parked = await runJob({ ...EXECUTE, budget: { turns: 3 } }, scripts);
  expect(parked.end).toEqual({ kind: "parked", why: "the budget of 3 turns is spent" });
  const { engine, place } = parked;
  const first: readonly Draft[] = [
    { kind: "configure", body: { budget: { turns: 30 }, origin: "human" } },
    { kind: "park", body: { parked: false, why: "resumed", origin: "human" } },
  ];
  const keys = { ...EXECUTE, budget: { turns: 3 } };
  const run = await engine.start(definitionOf(place, keys), { agents: adapters(scripts), first });
  const again = await finish({ engine, place, run });
  expect(again.end).toEqual({ kind: "ended", state: "DONE" });
  expect(bodies(again.entries, "park").map(({ why }) => why)).toEqual([
    "the budget of 3 turns is spent",
    "resumed",
  ]);
});

test("a shell one-liner as the whole agent", async () => {
  const line = 'mkdir -p .sortie && echo "blocked" > .sortie/status';
  const { end } = await runJob({ agents: { lead: shell(line) } }, {});
  expect(end).toMatchObject({ kind: "parked", why: expect.stringContaining("blocked in .sortie/status") });
});
