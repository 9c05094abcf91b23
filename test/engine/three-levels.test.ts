/** A tree of three levels: what a close in the middle merges and drops, and what a withdrawal in the middle leaves running (CfA §9, §10). */
import { expect, test } from "vitest";
import type { Entry } from "../../src/persistence/entry.ts";
import type { ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  EXECUTE,
  finish,
  gate,
  type Gate,
  git,
  makeEngine,
  reached,
  type Scripts,
  startJob,
  until,
  write,
} from "./fixture.ts";

const MIDDLE = "dispatch:1.1.1";
const SIBLING = "dispatch:1.1.2";

/** Works until the turn is stopped. */
const forever = (turn: ScriptTurn): Promise<string> =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));

/** Firings on these threads after the entry that says so. */
function firedAfter(
  entries: readonly Entry[],
  isMark: (entry: Entry) => boolean,
  threads: readonly string[],
) {
  const mark = entries.findIndex(isMark);
  expect(mark).toBeGreaterThan(-1);
  return bodies(entries.slice(mark), "fire").flatMap(({ rule, at }) =>
    threads.includes(at["t"] ?? "") ? [rule] : [],
  );
}

/** The thread that the middle one has opened. */
const deepOf = (entries: readonly Entry[]): string =>
  bodies(entries, "fire").find(({ rule, at }) => rule === "spark" && at["t"] === MIDDLE)?.at["t'"] ?? "";

test("closing the middle makes a merge commit with two parents and drops the grandchild, whose work stays on a named ref", async () => {
  const working = gate();
  const scripts: Scripts = {
    lead: async (turn) => {
      if (turn.message.kind === "task") return void (await turn.send({ to: "worker", message: "middle" }));
      await turn.close(MIDDLE);
      return approve(turn);
    },
    worker: async (turn) => {
      write(turn.workspace, "middle.txt", "middle\n");
      await turn.send({ to: "helper", message: "deep" });
      return undefined;
    },
    helper: (turn) => {
      write(turn.workspace, "deep.txt", "deep\n");
      working.open();
      return forever(turn);
    },
  };
  const started = await startJob(EXECUTE, scripts);
  await reached(started.run, working);
  await started.run.tell("close it");
  const { end, entries, place, run } = await finish(started);
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  const deep = deepOf(entries);
  const releases = bodies(entries, "release").filter(({ thread }) => thread.startsWith("dispatch:"));
  expect(releases.map(({ thread, result }) => [thread, result])).toEqual([
    [deep, "dropped"],
    [MIDDLE, "merged"],
  ]);
  const [dropped, merged] = releases;
  const parents = git(place.top, "log", "-1", "--format=%P", merged?.commit ?? "").split(" ");
  expect(parents).toEqual([expect.any(String), git(place.top, "rev-parse", merged?.ref ?? "")]);
  expect(git(place.top, "show", `cfa/${run.id}:middle.txt`)).toBe("middle");
  expect(git(place.top, "show", `${dropped?.ref ?? ""}:deep.txt`)).toBe("deep");
  expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`)).not.toContain("deep.txt");
  const closed = (entry: Entry) =>
    entry.kind === "fire" && entry.body.rule === "send-terminate" && entry.body.at["t'"] === MIDDLE;
  for (const rule of firedAfter(entries, closed, [MIDDLE, deep]))
    expect(rule).toMatch(/^(term-.*|cascade)$/u);
});

/** What a person does to the middle thread, and how it is taken. */
const WITHDRAWAL = { id: "act-1", verb: "withdraw", by: "a person", result: "withdrawn" };

test("withdrawing the middle leaves its sibling running; on the subtree nothing fires any more but term rules", async () => {
  const [both, go] = [gate(), gate()];
  const scripts = siblings(both, go);
  const engine = makeEngine({});
  const started = await startJob(EXECUTE, scripts, { engine });
  const { place } = started;
  await reached(started.run, both);
  started.run.stop();
  await started.run.end;
  const reason = "not wanted any more";
  const run = await engine.resume(place.top, started.run.id, {
    agents: adapters(scripts),
    first: [
      { kind: "act", body: { ...WITHDRAWAL, target: MIDDLE, text: reason } },
      { kind: "terminate", body: { thread: MIDDLE, mode: "drop", reason, origin: "human" } },
    ],
  });
  const { thread: released } = await until(run, "release", ({ thread }) => thread === MIDDLE);
  go.open();
  const { end, entries } = await finish({ place, engine, run });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  const deep = deepOf(entries);
  const at = (fits: (entry: Entry) => boolean) => entries.findIndex(fits);
  const left = at((entry) => entry.kind === "release" && entry.body.thread === MIDDLE);
  expect(at((entry) => entry.kind === "turn" && entry.body.thread === SIBLING)).toBeGreaterThan(left);
  const withdrawn = (entry: Entry) => entry.kind === "terminate" && entry.body.thread === MIDDLE;
  const fired = firedAfter(entries, withdrawn, [MIDDLE, deep]);
  expect(fired).toContain("cascade");
  for (const rule of fired) expect(rule).toMatch(/^(term-.*|cascade)$/u);
  const order = bodies(entries, "release").map(({ thread, result }) => `${thread} ${result}`);
  expect(order.slice(0, 3)).toEqual([`${deep} dropped`, `${released} dropped`, `${SIBLING} merged`]);
  expect(git(place.top, "show", `cfa/${run.id}:sibling.txt`)).toBe("sibling");
  for (const { ref } of bodies(entries, "release").slice(0, 2))
    git(place.top, "rev-parse", "--verify", ref ?? "");
});

/** A middle thread with a child at work beside a sibling at work, until `go` opens. */
function siblings(both: Gate, go: Gate): Scripts {
  let working = 0;
  const atWork = () => {
    working += 1;
    if (working === 2) both.open();
  };
  return {
    lead: async (turn) => {
      if (turn.message.kind !== "task") {
        for (const { thread } of turn.children) await turn.close(thread);
        return approve(turn);
      }
      for (const message of ["middle", "sibling"]) await turn.send({ to: "worker", message });
      return undefined;
    },
    worker: async (turn) => {
      if (turn.message.body === "middle") return void (await turn.send({ to: "helper", message: "deep" }));
      write(turn.workspace, "sibling.txt", "sibling\n");
      atWork();
      await Promise.race([go.passed, forever(turn)]);
      return "done";
    },
    helper: (turn) => {
      write(turn.workspace, "deep.txt", "deep\n");
      atWork();
      return forever(turn);
    },
  };
}
