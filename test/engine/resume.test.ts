/** A job goes on from its log in another engine, with the same result (CfA §11). SQLite throughout. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  firings,
  gate,
  git,
  inExecute,
  type Keys,
  makeEngine,
  makePlace,
  namesIn,
  outboxes,
  type Place,
  reached,
  read,
  refsBelow,
  runJob,
  type Scripts,
  shell,
  startJob,
  until,
  write,
} from "./fixture.ts";

/** Works until the turn is stopped. */
const forever = (turn: ScriptTurn): Promise<string> =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));

/** Goes on with a job in an engine of its own. */
async function resume(place: Place, id: string, scripts: Scripts) {
  const engine = makeEngine({});
  const run = await engine.resume(place.top, id, { agents: adapters(scripts) });
  return { engine, place, run };
}

/** Two workers write a file each, the lead closes them as they reply and puts the parts together. */
const TEAM: Scripts = {
  lead: async (turn) => {
    if (turn.state !== "EXECUTE") return approve(turn);
    const parts = () => ["a", "b"].filter((name) => existsSync(join(turn.workspace, `${name}.txt`)));
    if (parts().length === 2) {
      write(
        turn.workspace,
        "all.txt",
        parts()
          .map((name) => read(turn.workspace, `${name}.txt`))
          .join(""),
      );
      return approve(turn);
    }
    if (turn.message.kind === "task")
      for (const task of ["a", "b"]) await turn.send({ to: "worker", message: task });
    if (turn.message.kind === "reply") await turn.close(turn.message.from?.thread ?? "");
    return "on it";
  },
  worker: (turn) => {
    write(turn.workspace, `${turn.message.body}.txt`, `part ${turn.message.body}\n`);
    return `wrote ${turn.message.body}`;
  },
};

describe.concurrent(
  "stopped at any entry of its log, a job is finished by another engine with the same result",
  () => {
    test.each([1, 9, 17, 25, 33, 41, 49, 57])("entry %i", async (at) => {
      const place = makePlace();
      const started = await startJob(EXECUTE, TEAM, { place, engine: makeEngine({}) });
      for await (const entry of started.run) if (entry.seq >= at) started.run.stop();
      const first = await started.run.end;
      await started.engine.close();
      const { end, run, entries } = await finish(await resume(place, started.run.id, TEAM));
      expect(["stopped", "ended"]).toContain(first.kind);
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(git(place.top, "show", `cfa/${run.id}:all.txt`)).toBe("part a\npart b");
      const merged = bodies(entries, "release").filter(({ result }) => result === "merged");
      expect(merged.map(({ thread }) => thread).sort()).toEqual(
        [...new Set(merged.map(({ thread }) => thread))].sort(),
      );
    });

    test("also when it is stopped again and again", async () => {
      const place = makePlace();
      const started = await startJob(EXECUTE, TEAM, { place, engine: makeEngine({}) });
      const { id } = started.run;
      let { engine, run } = started;
      let seen = 0;
      for (;;) {
        let steps = 0;
        for await (const entry of run) if (entry.seq > seen && ++steps >= 9) run.stop();
        const end = await run.end;
        for await (const entry of run) seen = entry.seq;
        await engine.close();
        if (end.kind === "ended") break;
        ({ engine, run } = await resume(place, id, TEAM));
      }
      const { end } = await finish(await resume(place, id, TEAM));
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(git(place.top, "show", `cfa/${id}:all.txt`)).toBe("part a\npart b");
    });
  },
);

describe("a turn that is lost", () => {
  test("is rolled back and run again; its edits are on a ref, its outbox and record aside", async () => {
    const place = makePlace();
    const begun = gate();
    const first: Script = async (turn) => {
      write(turn.workspace, "text.txt", "spoilt\n");
      write(turn.workspace, "half.txt", "half\n");
      await turn.send({ to: "worker", message: "never" });
      await turn.outcome("REPLAN", "never");
      begun.open();
      return forever(turn);
    };
    const started = await startJob(EXECUTE, { lead: first }, { place, engine: makeEngine({}) });
    await reached(started.run, begun);
    started.run.stop();
    expect(await started.run.end).toEqual({ kind: "stopped" });
    await started.engine.close();

    const seen: unknown[] = [];
    const lead: Script = (turn) => {
      const text = read(turn.workspace, "text.txt");
      seen.push([turn.turn, turn.message.kind, text, existsSync(join(turn.workspace, "half.txt"))]);
      seen.push(existsSync(join(turn.workspace, ".cfa/outcome.json")), read(turn.workspace, "INTENT.md"));
      return approve(turn);
    };
    const { end, entries, run } = await finish(await resume(place, started.run.id, { lead }));
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(seen).toEqual([[2, "task", "one\ntwo\nthree\n", false], false, "the intent\n"]);
    expect(bodies(entries, "rollback")).toEqual([
      {
        thread: `state:${run.id}:EXECUTE:1`,
        turn: 1,
        reason: "the process that ran this turn has died, or stood still past its lease",
      },
    ]);
    const [lost = ""] = refsBelow(place.top, `refs/cfa/${run.id}/lost`);
    expect(git(place.top, "show", `refs/cfa/${run.id}/lost/${lost}:half.txt`)).toBe("half");
    expect(outboxes(place, run.id, 1)).toEqual(["1.lost-1", "2"]);
    expect(namesIn(join(place.top, ".cfa/jobs", run.id, "turns/1/1.lost-1"))).toEqual([
      "0001.json",
      "outcome.json",
      "turn-ended.json",
    ]);
    expect(firings(entries).filter((rule) => rule === "spark")).toHaveLength(1);
  });

  test("of a child goes back to what its tree held after its last good turn", async () => {
    const place = makePlace();
    const begun = gate();
    const lead = inExecute(
      async (turn) => void (await turn.send({ to: "worker", message: "one" })),
      async (turn) =>
        void (await turn.send({ to: "worker", thread: turn.children[0]?.thread, message: "two" })),
      approve,
    );
    const worker =
      (wait: boolean): Script =>
      (turn) => {
        const before = turn.turn === 1 ? "" : read(turn.workspace, "log.txt");
        write(turn.workspace, "log.txt", `${before}${turn.message.body}\n`);
        if (!wait || turn.message.body === "one") return "done";
        begun.open();
        return forever(turn);
      };
    const started = await startJob(
      EXECUTE,
      { lead, worker: worker(true) },
      { place, engine: makeEngine({}) },
    );
    await reached(started.run, begun);
    started.run.stop();
    await started.run.end;
    await started.engine.close();
    const { end, run } = await finish(await resume(place, started.run.id, { lead, worker: worker(false) }));
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(git(place.top, "show", `cfa/${run.id}:log.txt`)).toBe("one\ntwo");
  });

  test("of a program leaves no process behind", async () => {
    const place = makePlace();
    const keys: Keys = {
      agents: {
        lead: shell('test -e go || { touch go; echo "$CFA_TURN" > turn; sleep 1000 & wait; }; exit 1'),
      },
      limits: { retries: 0 },
    };
    const started = await startJob(keys, {}, { place, engine: makeEngine({}) });
    const { pid } = await until(started.run, "start", ({ pid }) => pid !== null);
    started.run.stop();
    expect(await started.run.end).toEqual({ kind: "stopped" });
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    await started.engine.close();
    const again = await resume(place, started.run.id, {});
    await until(again.run, "rollback");
    await again.run.withdraw("enough");
    expect((await finish(again)).end.kind).toBe("ended");
  });
});

describe("who runs a job", () => {
  test("one engine at a time: the second is told who has it, and reads along", async () => {
    const place = makePlace();
    const begun = gate();
    const lead: Script = async (turn) => {
      begun.open();
      return forever(turn);
    };
    const started = await startJob({}, { lead }, { place, engine: makeEngine({}) });
    await reached(started.run, begun);
    const second = await resume(place, started.run.id, { lead: approve });
    const end = await second.run.end;
    expect(end).toMatchObject({ kind: "owned", owner: { pid: process.pid, expired: false } });
    const seen: string[] = [];
    for await (const entry of second.run) seen.push(entry.kind);
    expect(seen[0]).toBe("open");
    await second.run.withdraw("from elsewhere");
    const finished = await finish(started);
    expect(finished.end).toEqual({ kind: "ended", state: "WITHDRAWN" });
  });

  test("the same engine, asked again while the job runs, hands out the same run", async () => {
    const begun = gate();
    const scripts: Scripts = {
      lead: async (turn) => {
        begun.open();
        return forever(turn);
      },
    };
    const started = await startJob({}, scripts);
    await reached(started.run, begun);
    const again = await started.engine.start(definitionOf(started.place), { agents: adapters(scripts) });
    expect(again).toBe(started.run);
    await again.withdraw("enough");
    expect((await finish(started)).end).toEqual({ kind: "ended", state: "WITHDRAWN" });
  });

  test("fresh: true starts another job beside it, with a number", async () => {
    const first = await runJob(EXECUTE, { lead: approve });
    const second = await runJob(
      EXECUTE,
      { lead: approve },
      { place: first.place, engine: first.engine, fresh: true },
    );
    expect(second.run.id).toBe(`${first.run.id}-2`);
    expect(second.end).toEqual({ kind: "ended", state: "DONE" });
  });
});

describe("the entries of a run", () => {
  test("come from the first on, in order, as they happen, and end with the run", async () => {
    const place = makePlace();
    const { run } = await startJob(EXECUTE, { lead: approve }, { place, engine: makeEngine({}) });
    const live: number[] = [];
    for await (const entry of run) live.push(entry.seq);
    expect(await run.end).toEqual({ kind: "ended", state: "DONE" });
    expect(live).toEqual(live.map((_, at) => at + 1));
    const again: number[] = [];
    for await (const entry of run) again.push(entry.seq);
    expect(again).toEqual(live);
  });

  test("may be read by several at once", async () => {
    const { run } = await startJob(EXECUTE, { lead: approve });
    const read = async () => {
      const kinds: string[] = [];
      for await (const entry of run) kinds.push(entry.kind);
      return kinds;
    };
    const [one, two] = await Promise.all([read(), read()]);
    expect(one).toEqual(two);
    expect(one.at(0)).toBe("open");
  });
});
