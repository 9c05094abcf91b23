/** Going back to an earlier state, and starting in a later one (CfA §3, §4). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  approve,
  bodies,
  EXECUTE,
  finish,
  gate,
  git,
  read,
  refsBelow,
  runJob,
  startJob,
  transitions,
  until,
  write,
} from "./fixture.ts";

/** What a lead saw of a turn. */
type Seen = { readonly thread: string; readonly entry: string; readonly task: string };

/** A lead that writes the artifact of each state, and once goes back with `outcome` from `from`. */
function goingBack(from: string, outcome: string, seen: Seen[] = []): Script {
  let gone = false;
  return async (turn) => {
    seen.push({ thread: turn.thread, entry: turn.entry, task: turn.message.body });
    const artifact = { INTENT: "INTENT.md", PLAN: "PLAN.md", EXECUTE: "WORK_SUMMARY.md" }[turn.state] ?? "";
    write(turn.workspace, artifact, `${turn.state} of ${turn.thread}\n`);
    if (turn.state !== from || gone) return approve(turn);
    gone = true;
    return turn.outcome(outcome, "the ground has shifted");
  };
}

describe.concurrent("a backtrack", () => {
  const rows = [
    ["PLAN", "REALIGN", "INTENT"],
    ["EXECUTE", "REALIGN", "INTENT"],
    ["EXECUTE", "REPLAN", "PLAN"],
  ] as const;
  for (const [from, action, to] of rows) {
    test(`${action} from ${from} enters ${to} again as ALIGN, and tells what sent it back`, async () => {
      const seen: Seen[] = [];
      const { run, end, job } = await runJob({}, { lead: goingBack(from, action, seen) });
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(job.record.machine.backtracks).toBe(1);
      const again = seen.find(({ thread }) => thread === `state:${run.id}:${to}:2`);
      expect(again?.entry).toBe("align");
      expect(again?.task).toContain(`${action} from ${from}: the ground has shifted`);
      expect(seen.filter(({ thread }) => thread.endsWith(":1")).map(({ entry }) => entry)).not.toContain(
        "align",
      );
    });
  }

  test("every entry into a state has a thread of its own, numbered from 1, and the one before is closed", async () => {
    const { run, job } = await runJob({}, { lead: goingBack("EXECUTE", "REPLAN") });
    const leads = [...job.ledger.threads.keys()].filter((thread) => thread.startsWith("state:"));
    expect(leads.map((thread) => thread.replace(`state:${run.id}:`, ""))).toEqual([
      "INTENT:1",
      "PLAN:1",
      "EXECUTE:1",
      "PLAN:2",
      "EXECUTE:2",
    ]);
    expect([...job.configuration.closed()].sort()).toEqual([...leads, `job:${run.id}`].sort());
  });

  test("without the artifact the state is drafted, whatever sent it back", async () => {
    const seen: string[] = [];
    await runJob(
      {},
      {
        lead: (turn) => {
          seen.push(`${turn.state} ${turn.entry}`);
          return turn.state === "PLAN" && seen.length === 2
            ? turn.outcome("REALIGN", "again")
            : approve(turn);
        },
      },
    );
    expect(seen).toEqual(["INTENT draft", "PLAN draft", "INTENT draft", "PLAN draft", "EXECUTE draft"]);
  });

  test("keeps the workspace: files of the state before are there", async () => {
    const found: boolean[] = [];
    const { place, run } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.thread.endsWith("EXECUTE:1")) {
          write(turn.workspace, "half.txt", "half\n");
          return turn.outcome("REPLAN", "again");
        }
        found.push(existsSync(join(turn.workspace, "half.txt")));
        return approve(turn);
      },
    });
    expect(found).toEqual([true, true]);
    expect(git(place.top, "show", `cfa/${run.id}:half.txt`)).toBe("half");
  });

  test("drops open children, keeping their work on a private ref", async () => {
    const working = gate();
    const { place, run, entries, end } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (!turn.thread.endsWith("EXECUTE:1")) return approve(turn);
        if (turn.turn === 1) {
          await turn.send({ to: "worker", message: "finish" });
          await turn.send({ to: "worker", message: "work for ever" });
          return undefined;
        }
        await working.passed;
        return turn.outcome("REPLAN", "not like this");
      },
      worker: async (turn) => {
        write(turn.workspace, `${turn.message.body}.txt`, "mine\n");
        if (turn.message.body === "finish") return "done";
        working.open();
        return new Promise<string>((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const released = bodies(entries, "release").filter(({ thread }) => thread.startsWith("dispatch:"));
    expect(released.map(({ result }) => result)).toEqual(["dropped", "dropped"]);
    for (const { ref } of released)
      expect(git(place.top, "ls-tree", "--name-only", ref ?? "")).toMatch(/^(finish|work for ever)\.txt$/mu);
    expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`)).toBe("text.txt");
    expect(refsBelow(place.top, `refs/cfa/${run.id}/ended`)).not.toEqual([]);
  });

  for (const backtracks of [0, 2]) {
    test(`with backtracks: ${backtracks} the next one is FAILURE, and says so`, async () => {
      const { end, entries, job } = await runJob(
        { limits: { backtracks } },
        { lead: (turn) => (turn.state === "PLAN" ? turn.outcome("REALIGN", "again") : approve(turn)) },
      );
      expect(end).toEqual({ kind: "ended", state: "FAILURE" });
      expect(job.record.machine.backtracks).toBe(backtracks);
      expect(transitions(entries).at(-1)).toBe("PLAN FAILURE FAILURE (orchestrator)");
      expect(bodies(entries, "transition").at(-1)?.reason).toContain(`the limit is ${backtracks}`);
    });
  }

  test("the log alone gives history, counter and origin of every transition", async () => {
    const { entries, job } = await runJob({}, { lead: goingBack("EXECUTE", "REALIGN") });
    const history = job.record.machine.history.map(
      ({ from, action, to, origin }) => `${from} ${action} ${to} (${origin})`,
    );
    expect(history).toEqual(transitions(entries));
    expect(history).toEqual([
      "INTENT APPROVED_INTENT PLAN (skill)",
      "PLAN APPROVED_PLAN EXECUTE (skill)",
      "EXECUTE REALIGN INTENT (skill)",
      "INTENT APPROVED_INTENT PLAN (skill)",
      "PLAN APPROVED_PLAN EXECUTE (skill)",
      "EXECUTE APPROVED_WORK DONE (skill)",
    ]);
    expect(bodies(entries, "transition").map(({ backtracks }) => backtracks)).toEqual([0, 0, 1, 1, 1, 1]);
  });

  test("ends the open questions of the children that it drops", async () => {
    const asked = gate();
    const started = await startJob(EXECUTE, {
      lead: async (turn) => {
        if (!turn.thread.endsWith("EXECUTE:1")) return approve(turn);
        if (turn.turn === 1) {
          await turn.send({ to: "worker", message: "ask" });
          await turn.send({ to: "worker", message: "reply" });
          return undefined;
        }
        await asked.passed;
        return turn.outcome("REPLAN", "no need");
      },
      worker: async (turn) => {
        if (turn.message.body === "reply") return "here";
        await turn.ask("which one?");
        return undefined;
      },
    });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    asked.open();
    const { end, job } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect([...job.ledger.questions.values()]).toEqual([
      expect.objectContaining({ ended: true, answer: undefined }),
    ]);
  });
});

describe.concurrent("starting later", () => {
  const artifacts = (turn: ScriptTurn) =>
    ["INTENT.md", "PLAN.md"].map((name) =>
      existsSync(join(turn.workspace, name)) ? read(turn.workspace, name) : null,
    );

  test("start: PLAN takes the operator's intent as the human's approval, and finds it in the tree", async () => {
    const seen: unknown[] = [];
    const { entries, end, run, place } = await runJob(
      { start: "PLAN", given: { intent: "intent.md" } },
      {
        lead: (turn) => {
          seen.push([turn.thread.split(":").slice(2).join(" "), turn.entry, ...artifacts(turn)]);
          return approve(turn);
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(seen).toEqual([
      ["PLAN 1", "draft", "the intent\n", null],
      ["EXECUTE 1", "draft", "the intent\n", null],
    ]);
    expect(bodies(entries, "transition")[0]).toMatchObject({
      action: "APPROVED_INTENT",
      origin: "human",
      record: null,
    });
    expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`)).toBe("text.txt");
  });

  test("start: EXECUTE takes both", async () => {
    const seen: unknown[] = [];
    const { entries } = await runJob(EXECUTE, {
      lead: (turn) => {
        seen.push([turn.state, turn.entry, ...artifacts(turn)]);
        return approve(turn);
      },
    });
    expect(seen).toEqual([["EXECUTE", "draft", "the intent\n", "the plan\n"]]);
    expect(transitions(entries)).toEqual([
      "INTENT APPROVED_INTENT PLAN (human)",
      "PLAN APPROVED_PLAN EXECUTE (human)",
      "EXECUTE APPROVED_WORK DONE (skill)",
    ]);
  });

  test("a state whose artifact the operator gave aligns it", async () => {
    const seen: string[] = [];
    await runJob(EXECUTE, {
      lead: (turn) => {
        seen.push(`${turn.state} ${turn.entry}`);
        return seen.length === 1 ? turn.outcome("REPLAN", "the plan is thin") : approve(turn);
      },
    });
    expect(seen).toEqual(["EXECUTE draft", "PLAN align", "EXECUTE draft"]);
  });
});
