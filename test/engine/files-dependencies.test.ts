/** Agents that wait for their siblings before their first turn (docs/files-dependencies.md), as real programs. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  finish,
  gate,
  mailOf,
  makeEngine,
  makePlace,
  reached,
  read,
  runJob,
  startJob,
  until,
} from "./fixture.ts";
import {
  dispatching,
  filesAgent,
  homeOf,
  jobOf,
  sendAll,
  statusOf,
  threadsOf,
  workOf,
} from "./files-fixture.ts";

const COLLECTOR = filesAgent("echo '[1,2]' > outbox/data.json; echo here > outbox/sources.md");
const VALIDATOR = filesAgent("echo valid > outbox/report.md");
const ANALYST = filesAgent("cp inbox/source_data/data.json outbox/copied.json", {
  depends_on: [
    { agent: "collector", outputs: ["outbox/data.json", "outbox/sources.md"], copy_to: "inbox/source_data/" },
  ],
  wait_for: ["collector", "validator"],
});
const TEAM = { collector: COLLECTOR, validator: VALIDATOR, analyst: ANALYST };

describe("agents that need each other", () => {
  test("opened in any order, each starts after what it needs, with its outputs; independent ones at once", async () => {
    // Each of the two ends only when the other has begun.
    const meeting = (own: string, other: string) =>
      `touch ../${own}; until [ -e ../${other} ]; do sleep 0.02; done`;
    const team = {
      collector: filesAgent(
        `${meeting("c", "v")}; echo '[1,2]' > outbox/data.json; echo here > outbox/sources.md`,
      ),
      validator: filesAgent(`${meeting("v", "c")}; echo valid > outbox/report.md`),
      analyst: ANALYST,
    };
    const done = await runJob(jobOf(team), { lead: dispatching("analyst", "collector", "validator") });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(workOf(done.entries).slice(-2)).toEqual(["start analyst", "ok analyst"]);
    const home = homeOf(done, done.entries, "analyst");
    expect(read(home, "outbox/copied.json")).toBe("[1,2]\n");
    expect(read(home, "inbox/source_data/sources.md")).toBe("here\n");
    expect(JSON.parse(read(home, "inbox/dependencies.json"))).toEqual({
      depends_on: ANALYST["depends_on"],
      wait_for: ["collector", "validator"],
      states: { collector: "completed", validator: "completed" },
    });
  });

  test("a turn that waits takes no slot", async () => {
    const done = await runJob(jobOf(TEAM, { limits: { concurrency: 1 } }), {
      lead: dispatching("analyst", "validator", "collector"),
    });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(workOf(done.entries)).toEqual([
      "start validator",
      "ok validator",
      "start collector",
      "ok collector",
      "start analyst",
      "ok analyst",
    ]);
  });

  test("an approval waits until they have all had their turns", async () => {
    const lead: Script = async (turn) => {
      if (turn.turn === 1) await sendAll(turn, ["analyst", "collector", "validator"]);
      return approve(turn);
    };
    const done = await runJob(jobOf(TEAM), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(workOf(done.entries).at(-1)).toBe("ok analyst");
  });

  test("inside a boundary, too, where the inbox cannot be written", async () => {
    const confined = filesAgent(
      "echo x > inbox/source_data/data.json 2>workspace/why && exit 1; cp inbox/source_data/data.json outbox/copied.json",
      { depends_on: ANALYST["depends_on"], wait_for: ANALYST["wait_for"], sandbox: "required" },
    );
    const team = {
      collector: { ...COLLECTOR, sandbox: "required" },
      validator: VALIDATOR,
      analyst: confined,
    };
    const done = await runJob(jobOf(team), { lead: dispatching("analyst", "collector", "validator") });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(read(homeOf(done, done.entries, "analyst"), "outbox/copied.json")).toBe("[1,2]\n");
  });

  test("an agent of another adapter counts when it has replied", async () => {
    const team = {
      checker: { run: ["echo", "checked"], sandbox: "advisory" },
      analyst: filesAgent("echo > outbox/x", { wait_for: ["checker"] }),
    };
    const done = await runJob(jobOf(team), { lead: dispatching("analyst", "checker") });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(workOf(done.entries)).toEqual(["start checker", "ok checker", "start analyst", "ok analyst"]);
  });
});

describe("when one of them does not complete", () => {
  const FAILING = filesAgent('fail "no data"', { recovery: { unrecoverable: "skip" } });
  const WRITER = filesAgent("cp inbox/dependencies.json outbox/states.json", {
    depends_on: [{ agent: "collector", outputs: ["outbox/data.json"], copy_to: "inbox/" }],
  });

  test("the others wait until its failure is acknowledged; then they go on without it, and are told", async () => {
    const held: string[] = [];
    const lead: Script = async (turn) => {
      if (turn.turn === 1) return sendAll(turn, ["writer", "collector"]);
      const failed = /collector on (\S+) has failed/u.exec(turn.message.body)?.[1];
      if (failed === undefined) return approve(turn);
      held.push(turn.message.body);
      return turn.close(failed);
    };
    const done = await runJob(jobOf({ collector: FAILING, writer: WRITER }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(held).toHaveLength(1);
    const states = JSON.parse(read(homeOf(done, done.entries, "writer"), "outbox/states.json"));
    expect(states).toMatchObject({ states: { collector: "skipped" } });
    const acknowledged = done.entries.findIndex(
      ({ kind, body }) => kind === "fire" && "rule" in body && body.rule === "send-closed",
    );
    const started = done.entries.findIndex(
      ({ kind, body }) => kind === "start" && "agent" in body && body.agent === "writer",
    );
    expect(acknowledged).toBeGreaterThan(0);
    expect(started).toBeGreaterThan(acknowledged);
  });

  test("closed and opened again in one turn, they wait for the new one", async () => {
    const SECOND = filesAgent(
      '[ -e ../tried ] || { touch ../tried; fail "no data"; }; echo "[3]" > outbox/data.json',
      { recovery: { unrecoverable: "skip" } },
    );
    const lead: Script = async (turn) => {
      if (turn.turn === 1) return sendAll(turn, ["writer", "collector"]);
      const failed = /collector on (\S+) has failed/u.exec(turn.message.body)?.[1];
      if (failed === undefined)
        return turn.message.from?.agent === "writer" ? approve(turn) : turn.sendNone();
      await turn.close(failed);
      return sendAll(turn, ["collector"]);
    };
    const done = await runJob(jobOf({ collector: SECOND, writer: WRITER }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(workOf(done.entries).slice(-4)).toEqual([
      "start collector",
      "ok collector",
      "start writer",
      "ok writer",
    ]);
    expect(read(homeOf(done, done.entries, "writer"), "inbox/data.json")).toBe("[3]\n");
  });

  test("a lead that leaves it at that is told who waits for whom, and the job does not stand still", async () => {
    const heard: string[] = [];
    const lead: Script = async (turn) => {
      if (turn.turn === 1) return sendAll(turn, ["writer", "collector"]);
      heard.push(turn.message.body);
      return turn.sendNone();
    };
    const done = await runJob(jobOf({ collector: FAILING, writer: WRITER }, { limits: { retries: 1 } }), {
      lead,
    });
    expect(done.end).toEqual({ kind: "ended", state: "FAILURE" });
    const [collector, writer] = [
      threadsOf(done.entries, "collector")[0],
      threadsOf(done.entries, "writer")[0],
    ];
    expect(heard[1]).toContain(
      `writer on ${writer} has not begun, it waits for collector (${collector} has failed, and has not been closed)`,
    );
    expect(workOf(done.entries)).not.toContain("start writer");
  });

  test("one that was never opened fails the turn at once, by name; opened later, it is waited for", async () => {
    const lead: Script = async (turn) => {
      if (turn.turn === 1) return sendAll(turn, ["writer"]);
      const lacking = turn.message.body.includes(
        "it needs collector, and whoever opened it has not opened it beside it",
      );
      if (lacking) {
        await sendAll(turn, ["collector"]);
        return void (await turn.send({ to: "writer", thread: turn.children[0]?.thread, message: "now" }));
      }
      return turn.message.from?.agent === "writer" ? approve(turn) : turn.sendNone();
    };
    const done = await runJob(jobOf({ collector: COLLECTOR, writer: WRITER }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(workOf(done.entries)).toEqual([
      "failed writer",
      "start collector",
      "ok collector",
      "start writer",
      "ok writer",
    ]);
    expect(bodies(done.entries, "turn").find(({ result }) => result === "failed")).toMatchObject({
      agent: "writer",
      failure:
        "it needs collector, and whoever opened it has not opened it beside it: open it in the same turn",
    });
  });

  test("an output that is missing fails the turn, which names it", async () => {
    const silent = filesAgent("echo > outbox/other.json");
    const lead: Script = async (turn) => {
      if (turn.turn === 1) return sendAll(turn, ["writer", "collector"]);
      const [failed] = /dispatch:\S+(?= has failed)/u.exec(turn.message.body) ?? [];
      if (failed === undefined) return turn.sendNone();
      await turn.close(failed);
      return approve(turn);
    };
    const done = await runJob(jobOf({ collector: silent, writer: WRITER }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(mailOf(done.entries, `state:${done.run.id}:EXECUTE:1`)[0]).toContain(
      "it needs outbox/data.json of collector, and there is no such file",
    );
    expect(workOf(done.entries)).not.toContain("start writer");
  });
});

/** Agents of which each needs only earlier ones; the order in which they are opened, and the one in which they end. */
const graphs = fc.integer({ min: 4, max: 5 }).chain((size) => {
  const names = Array.from({ length: size }, (_, n) => `a${n}`);
  const needs = fc.tuple(...names.map((_, n) => fc.subarray(names.slice(0, n))));
  return fc.record({
    names: fc.constant(names),
    needs,
    opened: fc.shuffledSubarray(names, { minLength: size }),
    picks: fc.array(fc.nat(), { minLength: size, maxLength: size }),
  });
});

describe.concurrent(
  "over any graph without a circle, whatever the order in which agents are opened and end",
  () => {
    test.each(fc.sample(graphs, { numRuns: 2, seed: 5 }))(
      "each starts as soon as all that it needs have completed, and not before: $needs",
      async ({ names, needs, opened, picks }) => {
        const needed = new Map(names.map((name, n) => [name, needs[n] ?? []]));
        const begun = new Map(names.map((name) => [name, gate()]));
        const released = new Map(names.map((name) => [name, gate()]));
        const running = new Set<string>();
        const agents = Object.fromEntries(
          names.map((name) => [name, filesAgent("", { wait_for: needed.get(name) })]),
        );
        const work: Script = async ({ agent }) => {
          running.add(agent);
          begun.get(agent)?.open();
          await released.get(agent)?.passed;
          return `${agent} is done`;
        };
        const scripts = Object.fromEntries(names.map((name) => [name, work]));
        const limits = { fan_out: names.length, concurrency: names.length };
        const { run, ...rest } = await startJob(jobOf(agents, { limits }), {
          ...scripts,
          lead: dispatching(...opened),
        });
        const ended = new Set<string>();
        for (const pick of picks) {
          const ready = names.filter(
            (name) => !ended.has(name) && needed.get(name)?.every((one) => ended.has(one)),
          );
          for (const name of ready) await reached(run, begun.get(name) ?? gate());
          expect([...running].sort()).toEqual([...ended, ...ready].sort());
          const next = ready[pick % ready.length] ?? "";
          ended.add(next);
          released.get(next)?.open();
        }
        expect((await finish({ ...rest, run })).end).toEqual({ kind: "ended", state: "DONE" });
      },
    );
  },
);

test("a job that is stopped while a turn waits goes on waiting when it is resumed; status says for whom", async () => {
  const place = makePlace();
  const slow = filesAgent(`[ -e "${place.files}/go" ] || sleep 600; echo '[1]' > outbox/data.json`);
  const writer = filesAgent("cp inbox/data.json outbox/copied.json", {
    depends_on: [{ agent: "collector", outputs: ["outbox/data.json"], copy_to: "inbox/" }],
  });
  const keys = jobOf({ collector: slow, writer });
  const scripts = () => ({ lead: dispatching("writer", "collector") });
  const started = await startJob(keys, scripts(), { place, engine: makeEngine({}) });
  await until(started.run, "start", ({ agent }) => agent === "collector");
  started.run.stop();
  await started.run.end;
  const entries = [];
  for await (const entry of started.run) entries.push(entry);
  expect(statusOf(entries, "writer")).toBe("queued: waits for collector");
  await started.engine.close();

  writeFileSync(join(place.files, "go"), "");
  const engine = makeEngine({});
  const lead: Script = (turn) => (turn.message.from?.agent === "writer" ? approve(turn) : turn.sendNone());
  const run = await engine.resume(place.top, started.run.id, { agents: adapters({ lead }) });
  const done = await finish({ engine, place, run });
  expect(done.end).toEqual({ kind: "ended", state: "DONE" });
  expect(workOf(done.entries)).toEqual([
    "start collector",
    "start collector",
    "ok collector",
    "start writer",
    "ok writer",
  ]);
  expect(existsSync(join(homeOf(done, done.entries, "writer"), "outbox/copied.json"))).toBe(true);
});
