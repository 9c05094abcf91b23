/** A fork goes on from an entry of another job: what was done before is taken over, the rest is done anew (docs/fork.md). */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { forkJob } from "../../src/engine/fork.ts";
import { verifyLog } from "../../src/engine/verify.ts";
import { EMPTY_HEAD, type LogRow, rechained } from "../../src/persistence/chain.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import { jobDirectory, jobFile, listJobs } from "../../src/persistence/jobs.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";
import { createFile } from "../../src/persistence/sqlite/open.ts";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  EXECUTE,
  finish,
  type Finished,
  git,
  inExecute,
  makeEngine,
  makePlace,
  type Place,
  read,
  runJob,
  type Scripts,
  startJob,
  until,
  write,
} from "./fixture.ts";

/** Goes on from entry `at` of a job, in an engine of its own, to the end. */
async function fork(place: Place, id: string, at: number, scripts: Scripts): Promise<Finished> {
  const engine = makeEngine({});
  return finish({ place, engine, run: await engine.fork(place.top, id, at, { agents: adapters(scripts) }) });
}

async function verified({ top }: Place, id: string) {
  const file = openLogFile(jobFile(top, id));
  const found = await verifyLog(file, { top });
  file.close();
  return found;
}

async function entriesOf({ top }: Place, id: string): Promise<readonly Entry[]> {
  const bus = openSqliteBus(jobFile(top, id), { mode: "readonly" });
  const entries: Entry[] = [];
  for await (const entry of bus.log.read()) entries.push(entry);
  await bus.close();
  return entries;
}

/** Number of the last entry of each commit. */
const commitEnds = (entries: readonly Entry[]): readonly number[] =>
  entries.filter(({ round }, at) => entries[at + 1]?.round !== round).map(({ seq }) => seq);

/** Every third commit, and all while a tree holds a conflict. */
function points(entries: readonly Entry[]): readonly number[] {
  const results = entries.map((entry) => (entry.kind === "release" ? entry.body.result : ""));
  const [from, to] = [results.indexOf("conflict"), results.indexOf("completed")];
  return commitEnds(entries).filter((seq, at) => at % 3 === 0 || (seq > from && seq <= to + 1));
}

describe("from the commits of a job with children, named files and a conflict that a turn resolves", () => {
  const worker: Script = (turn) => {
    write(turn.workspace, "text.txt", `one\n${turn.message.body}\nthree\n`);
    return `did ${turn.message.body}, with ${read(turn.workspace, "brief.txt").trim()}`;
  };
  const lead: Script = async (turn) => {
    if (turn.state !== "EXECUTE") return approve(turn);
    if (turn.message.kind === "task") {
      write(turn.workspace, "brief.txt", "a brief\n");
      for (const message of ["left", "right"])
        await turn.send({ to: "worker", message, files: ["brief.txt"] });
    } else if (turn.message.kind === "reply") await turn.close(turn.message.from?.thread ?? "");
    else {
      expect(read(turn.workspace, "text.txt")).toMatch(/<{7}.*={7}.*>{7}/su);
      write(turn.workspace, "text.txt", "one\nboth\nthree\n");
      return approve(turn);
    }
    return undefined;
  };
  const TEAM: Scripts = { lead, worker };
  let place: Place;
  let id: string;
  let entries: readonly Entry[];

  beforeAll(async () => {
    place = makePlace();
    const first = await runJob({ ...EXECUTE, limits: { retries: 3 } }, TEAM, {
      place,
      engine: makeEngine({}),
    });
    expect(first.end).toEqual({ kind: "ended", state: "DONE" });
    ({ id } = first.run);
    ({ entries } = first);
    expect(bodies(entries, "release").map(({ result }) => result)).toContain("completed");
  });

  test("it ends as the job did, runs no turn again that had ended, and its log proves what it is", async () => {
    const turns = (all: readonly Entry[]) =>
      bodies(all, "turn").map(({ thread, turn }) => `${thread} ${turn}`);
    for (const at of points(entries)) {
      const ran: string[] = [];
      const counted =
        (script: Script): Script =>
        (turn) => (ran.push(`${turn.thread} ${turn.turn}`), script(turn));
      const forked = await fork(place, id, at, { lead: counted(lead), worker: counted(worker) });
      expect(forked.end, `at ${at}`).toEqual({ kind: "ended", state: "DONE" });
      const before = turns(entries.slice(0, at));
      expect(turns(forked.entries).slice(0, before.length), `at ${at}`).toEqual(before);
      expect(
        ran.filter((turn) => before.includes(turn)),
        `at ${at}`,
      ).toEqual([]);
      expect(git(place.top, "show", `cfa/${forked.run.id}:text.txt`), `at ${at}`).toBe("one\nboth\nthree");
      expect(await verified(place, forked.run.id), `at ${at}`).toMatchObject({ valid: true, offence: null });
    }
    expect(git(place.top, "worktree", "list").split("\n")).toHaveLength(1);
  });

  test("the job's own log tells of each fork and is valid", async () => {
    const acts = bodies(await entriesOf(place, id), "act");
    const forks = (await listJobs(place.top)).filter((one) => one !== id);
    expect(acts.map(({ verb, text }) => `${verb} ${text}`).sort()).toEqual(
      forks.map((one) => `fork ${one}`).sort(),
    );
    expect(await verified(place, id)).toMatchObject({ valid: true });
  });

  test("within a commit it stands at the end of it, for there is no state of the trees in between", async () => {
    const inside = entries.find(({ seq }) => !commitEnds(entries).includes(seq));
    const end = commitEnds(entries).find((seq) => seq > (inside?.seq ?? 0));
    expect(await forkJob(place.top, id, inside?.seq ?? 0, "me")).toMatchObject({ from: end });
  });

  test("a fork can be forked, and shows both jobs that it was made of", async () => {
    const middle = commitEnds(entries)[Math.floor(commitEnds(entries).length / 2)] ?? 0;
    const first = await fork(place, id, middle, TEAM);
    const second = await fork(place, first.run.id, middle + 8, TEAM);
    expect(second.end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(second.entries, "fork").map(({ job }) => job)).toEqual([id, first.run.id]);
    expect(await verified(place, second.run.id)).toMatchObject({ valid: true });
    const early = await fork(place, first.run.id, 6, TEAM);
    expect(bodies(early.entries, "fork").map(({ job }) => job)).toEqual([first.run.id]);
    expect(await verified(place, early.run.id)).toMatchObject({ valid: true });
  });

  test("an entry that it has taken over and that was changed is found, however well the chain was made anew", async () => {
    const forked = await fork(place, id, commitEnds(entries).at(-1) ?? 0, TEAM);
    const file = openLogFile(jobFile(place.top, forked.run.id));
    let prev = EMPTY_HEAD.hash;
    const rows = [...file.rows()].map((row): LogRow => {
      const body = row.kind === "turn" ? row.body.replace("did left", "did more") : row.body;
      const sealed = rechained({ ...row, body }, row.job, prev);
      prev = sealed.hash;
      return sealed;
    });
    file.close();
    const copy = join(place.files, `${forked.run.id}.db`);
    createFile(copy, forked.run.id, rows);
    const changed = openLogFile(copy);
    const { offence } = await verifyLog(changed);
    changed.close();
    expect(offence).toMatchObject({ check: "forks", claim: "fork" });
    expect(offence?.problem).toContain("they are not that job's");
  });

  test.each([
    [0, "there is no entry 0"],
    [1_000_000, /^the log of \S+ holds entries 1 to \d+: there is no entry 1000000$/u],
  ])("entry %i is refused, and nothing is written", async (at, why) => {
    const before = await listJobs(place.top);
    await expect(forkJob(place.top, id, at, "me")).rejects.toThrow(why);
    expect(await listJobs(place.top)).toEqual(before);
  });

  test("several at once get an id each, and the job tells of all; what a kill has left of one is taken up", async () => {
    const last = (await entriesOf(place, id)).findLast(({ kind }) => kind === "release")?.seq ?? 0;
    const made = await Promise.all([1, 2, 3].map(() => forkJob(place.top, id, last, "me")));
    const ids = new Set(made.map((one) => one.id));
    expect(ids.size).toBe(3);
    const acts = bodies(await entriesOf(place, id), "act").map(({ text }) => text);
    expect(new Set(acts.filter((text) => ids.has(text)))).toEqual(ids);

    const [killed = ""] = ids;
    rmSync(jobFile(place.top, killed));
    expect(git(place.top, "for-each-ref", `refs/cfa/${killed}/past`)).not.toBe("");
    expect((await forkJob(place.top, id, last, "me")).id).toBe(killed);
    expect(await verified(place, killed)).toMatchObject({ valid: true, offence: null });
  });

  test("a commit that is gone is named before anything is written", async () => {
    const lost = makePlace();
    const first = await runJob(EXECUTE, TEAM, { place: lost, engine: makeEngine({}) });
    const spark = first.entries.findLast(({ kind }) => kind === "workspace");
    const snapshot =
      bodies(first.entries, "turn").find(({ thread }) => thread.startsWith("state:"))?.commit ?? "";
    rmSync(join(lost.top, ".git", "objects", snapshot.slice(0, 2), snapshot.slice(2)));
    const before = [
      git(lost.top, "for-each-ref", "--format=%(refname)"),
      readdirSync(join(lost.top, ".cfa", "jobs")),
    ];
    await expect(forkJob(lost.top, first.run.id, spark?.seq ?? 0, "me")).rejects.toThrow(
      `stands on the commit ${snapshot}, which is no longer in ${lost.top}: fork at another entry`,
    );
    expect([
      git(lost.top, "for-each-ref", "--format=%(refname)"),
      readdirSync(join(lost.top, ".cfa", "jobs")),
    ]).toEqual(before);
  });
});

test("a job that runs is forked beside its owner, who records it; the turn that was running is run by both", async () => {
  const place = makePlace();
  let goOn = () => {};
  const waits = new Promise<void>((resolve) => (goOn = resolve));
  const lead = inExecute(async (turn) => {
    await waits;
    write(turn.workspace, "a.txt", "a\n");
    return approve(turn);
  });
  const { run } = await startJob(EXECUTE, { lead }, { place, engine: makeEngine({}) });
  await until(run, "start");
  const { seq } = (await entriesOf(place, run.id)).at(-1) ?? { seq: 0 };
  const other = inExecute((turn) => {
    write(turn.workspace, "b.txt", "b\n");
    return approve(turn);
  });
  const forked = await makeEngine({}).fork(place.top, run.id, seq, { agents: adapters({ lead: other }) });
  expect(await forked.end).toEqual({ kind: "ended", state: "DONE" });
  expect(await until(run, "act")).toMatchObject({ verb: "fork", text: forked.id });
  goOn();
  expect(await run.end).toEqual({ kind: "ended", state: "DONE" });
  expect(bodies(await entriesOf(place, forked.id), "rollback").map(({ reason }) => reason)).toEqual([
    "the fork runs this turn anew",
  ]);
  expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`).split("\n")).toEqual([
    "a.txt",
    "text.txt",
  ]);
  expect(git(place.top, "ls-tree", "--name-only", `cfa/${forked.id}`).split("\n")).toEqual([
    "b.txt",
    "text.txt",
  ]);
});

test("time between the entry and the fork does not count: a deadline that has passed since holds for the job alone", async () => {
  const place = makePlace();
  const keys = { ...EXECUTE, deadline: "2s" };
  const first = await runJob(
    keys,
    {
      lead: (turn) => new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve("late"))),
    },
    { place, engine: makeEngine({}) },
  );
  expect(first.end).toEqual({ kind: "ended", state: "FAILURE" });
  const at = first.entries.find(({ kind }) => kind === "start")?.seq ?? 0;
  const forked = await fork(place, first.run.id, at, { lead: approve });
  expect(forked.end).toEqual({ kind: "ended", state: "DONE" });
});

test("a tree that was lost with its folder is made again from the log", async () => {
  const place = makePlace();
  const scripts: Scripts = {
    lead: async (turn) => {
      if (turn.message.kind === "task") await turn.send({ to: "worker", message: "go" });
      else if (turn.message.kind === "reply") {
        await turn.close(turn.message.from?.thread ?? "");
        return approve(turn);
      }
      return undefined;
    },
    worker: (turn) => (write(turn.workspace, "part.txt", "part\n"), "done"),
  };
  const { run, engine } = await startJob(EXECUTE, scripts, { place, engine: makeEngine({}) });
  await until(run, "turn", ({ agent }) => agent === "worker");
  run.stop();
  await run.end;
  await engine.close();
  const work = join(jobDirectory(place.top, run.id), "work");
  expect(readdirSync(work)).toHaveLength(2);
  rmSync(work, { recursive: true });
  const again = makeEngine({});
  const resumed = await finish({
    place,
    engine: again,
    run: await again.resume(place.top, run.id, { agents: adapters(scripts) }),
  });
  expect(resumed.end).toEqual({ kind: "ended", state: "DONE" });
  expect(git(place.top, "show", `cfa/${run.id}:part.txt`)).toBe("part");
  expect(existsSync(work) ? readdirSync(work) : []).toEqual([]);
});
