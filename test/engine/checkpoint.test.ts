/** Checkpoints: caches of all folds. With one, without one, with a bad one: the job is the same (docs/log.md). */
import { createHash } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { checkpointOf, openFolds, readCheckpoint } from "../../src/engine/checkpoint.ts";
import { JobReader } from "../../src/engine/read-job.ts";
import { verifyLog } from "../../src/engine/verify.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import { configurationOf, configurationSchema, formOf } from "../../src/persistence/configuration-form.ts";
import { jobFile } from "../../src/persistence/jobs.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import { Checkpoints } from "../../src/runtime/checkpoints.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import { printMolecule } from "../../src/soup/print.ts";
import { complete } from "../../src/rules/table.ts";
import { firingOf, fire } from "../../src/rules/fire.ts";
import { nextRound } from "../../src/rules/round.ts";
import { BusError } from "../../src/persistence/bus-error.ts";
import { adapters, approve, EXECUTE, finish, makeEngine, runJob, startJob, until, write } from "./fixture.ts";
import { smallJob } from "./log-fixture.ts";

const folded = (entries: readonly Entry[], from = new JobReader()): JobReader => {
  for (const entry of entries) from.apply(entry);
  return from;
};
const stateOf = (reader: JobReader): string => {
  const job = reader.job();
  return job === undefined ? "" : checkpointOf(job).state;
};
const restored = (state: string, seq: number): JobReader => {
  const reading = readCheckpoint({ seq, state });
  if ("ignored" in reading) throw new Error(reading.ignored);
  return new JobReader(reading.saved);
};

/** Numbers of the entries with which commits end: there checkpoints stand. */
const commitEnds = (entries: readonly Entry[]): readonly number[] =>
  entries.flatMap(({ seq, round }, at) => (entries[at + 1]?.round === round ? [] : [seq]));

let log: Awaited<ReturnType<typeof smallJob>>;
let conflicted: readonly Entry[];
beforeAll(async () => {
  log = await smallJob();
  const job = await runJob(
    { ...EXECUTE, limits: { retries: 3 } },
    {
      lead: async (turn) => {
        if (turn.message.kind === "task")
          for (const message of ["left", "right"]) await turn.send({ to: "worker", message });
        else if (turn.message.kind === "reply") await turn.close(turn.message.from?.thread ?? "");
        else return (write(turn.workspace, "text.txt", "both\n"), approve(turn));
        return undefined;
      },
      worker: (turn) => (write(turn.workspace, "text.txt", `${turn.message.body}\n`), "done"),
    },
  );
  conflicted = job.entries;
});

describe("the state after a checkpoint and the entries after it is the state after all entries", () => {
  test.each(["with questions", "with conflicts"])("of a job %s, from the end of every commit", (which) => {
    const entries = which === "with questions" ? log.entries : conflicted;
    const whole = stateOf(folded(entries));
    for (const seq of commitEnds(entries)) {
      const half = folded(entries.slice(0, seq));
      const again = restored(stateOf(half), seq);
      expect(stateOf(again), `entry ${seq}`).toBe(stateOf(half));
      expect([...again.configuration.molecules()].map(printMolecule)).toEqual(
        [...half.configuration.molecules()].map(printMolecule),
      );
      expect(stateOf(folded(entries.slice(seq), again)), `entry ${seq}`).toBe(whole);
    }
  });

  test("and the next round is the same one, in the same order", () => {
    const rounds = (configuration: Configuration) =>
      nextRound(complete, configuration, new Set([...configuration.cells()].map(({ thread }) => thread)))
        .fired;
    for (const { seq } of conflicted) {
      const { configuration } = folded(conflicted.slice(0, seq));
      const again = configurationOf(
        configurationSchema.parse(JSON.parse(JSON.stringify(formOf(configuration)))),
      );
      const [one, other] = [rounds(configuration), rounds(again)];
      expect(other.map((redex) => firingOf(redex))).toEqual(one.map((redex) => firingOf(redex)));
      for (const [at, redex] of other.entries())
        expect(formOf(fire(again, redex))).toEqual(formOf(fire(configuration, one[at]!)));
    }
  });
});

describe("a job's database", () => {
  const copyOf = (name: string, change: (db: Database.Database) => void): string => {
    const copy = join(log.place.files, `${name}.db`);
    const whole = new Database(log.database);
    whole.prepare("VACUUM INTO ?").run(copy);
    whole.close();
    const db = new Database(copy);
    change(db);
    db.close();
    return copy;
  };
  const opened = async (file: string) => {
    const bus = openSqliteBus(file, { mode: "readonly" });
    const { reader, saved } = await openFolds(bus.log);
    await bus.close();
    return { state: stateOf(reader), saved };
  };
  const verified = async (path: string) => {
    const file = openLogFile(path);
    const found = await verifyLog(file);
    file.close();
    return found;
  };
  const put = (seq: number, state: string) => (db: Database.Database) =>
    void db.prepare("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?)").run(seq, state);

  test("holds one after a clean end, which verify compares with the log", async () => {
    const { state, saved } = await opened(log.database);
    expect(saved).toBe(log.entries.length);
    expect(state).toBe(stateOf(folded(log.entries)));
    expect((await verified(log.database)).made).toContainEqual({
      check: "caches",
      says: "its checkpoint is what the entries before it give",
    });
  });

  test.each<[string, (db: Database.Database) => void, number, string | null]>([
    ["none at all", (db) => void db.exec("DELETE FROM checkpoint"), 0, null],
    ["one in the middle", (db) => put(9, stateOf(folded(log.entries.slice(0, 9))))(db), 9, null],
    [
      "one with a changed byte",
      (db) => void db.exec("UPDATE checkpoint SET state = replace(state, 'INTENT', 'INTENU')"),
      0,
      "says something else of it than the log",
    ],
    [
      "one of another log",
      (db) => put(5, stateOf(folded(conflicted.slice(0, 5))))(db),
      0,
      "says something else of it than the log",
    ],
    [
      "one that stands beyond the end",
      (db) => put(9_999, stateOf(folded(log.entries)))(db),
      0,
      "the checkpoint stands at entry 9999, and the log ends at entry",
    ],
  ])("with %s is opened with the same result", async (name, change, saved, offence) => {
    const copy = copyOf(name, change);
    expect(await opened(copy)).toEqual({ state: stateOf(folded(log.entries)), saved });
    const found = await verified(copy);
    expect(found.valid).toBe(offence === null);
    if (offence !== null)
      expect(found.offence).toMatchObject({ check: "caches", problem: expect.stringContaining(offence) });
  });

  test("with one of another cfa is opened without it, and verify says so", async () => {
    const text = stateOf(folded(log.entries)).replace('"engine":"cfa ', '"engine":"other ');
    const body = text.slice(65);
    const copy = copyOf(
      "other",
      put(log.entries.length, `${createHash("sha256").update(body).digest("hex")} ${body}`),
    );
    expect(await opened(copy)).toMatchObject({ saved: 0 });
    const { valid, notMade } = await verified(copy);
    expect(valid).toBe(true);
    expect(notMade).toContainEqual({
      check: "caches",
      says: "its checkpoint is not used: it was written by another version of cfa",
    });
  });
});

test("a job that was stopped goes on from its checkpoint, and comes to the same end as without it", async () => {
  const lead: Script = (turn) =>
    new Promise<string>((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));
  const started = await startJob(EXECUTE, { lead }, { engine: makeEngine({}) });
  await until(started.run, "start");
  started.run.stop();
  await started.run.end;
  await started.engine.close();
  const file = jobFile(started.place.top, started.run.id);
  const bus = openSqliteBus(file, { mode: "readonly" });
  expect((await openFolds(bus.log)).saved).toBe((await bus.log.head()).seq);
  await bus.close();
  const engine = makeEngine({});
  const run = await engine.resume(started.place.top, started.run.id, { agents: adapters({ lead: approve }) });
  const { end, entries } = await finish({ place: started.place, engine, run });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
});

describe("when one is written", () => {
  const written = (saved = 0, characters = 10) => {
    const at: string[] = [];
    return { at, checkpoints: new Checkpoints(async () => (at.push("written"), characters), saved) };
  };

  test.each([
    ["fewer than a thousand entries", 0, [999], 0],
    ["a thousand entries", 0, [1_000, 1_999], 1],
    ["a thousand entries since the last", 500, [1_499, 1_500, 2_499, 2_500], 2],
  ])("%s", async (_, saved, offers, times) => {
    const { at, checkpoints } = written(saved);
    for (const seq of offers) await checkpoints.offer(seq);
    expect(at).toHaveLength(times);
  });

  test("a large one waits for as many entries as it is worth", async () => {
    const { at, checkpoints } = written(0, 500_000);
    for (const seq of [1_000, 5_999, 6_000]) await checkpoints.offer(seq);
    expect(at).toHaveLength(2);
  });

  test("at a clean end, unless nothing has come since", async () => {
    const { at, checkpoints } = written(10);
    await checkpoints.settle(10);
    expect(at).toHaveLength(0);
    await checkpoints.settle(11);
    expect(at).toHaveLength(1);
  });

  test("one that cannot be written is left out; a bug is not", async () => {
    const full = new Checkpoints(() => Promise.reject(new BusError("full", "no space")), 0);
    await expect(full.settle(1)).resolves.toBe(undefined);
    const bug = new Checkpoints(() => Promise.reject(new TypeError("bug")), 0);
    await expect(bug.settle(1)).rejects.toThrow("bug");
  });
});
