/** Conflicts when a conversation is closed: who is told, what waits, and that no work is ever lost (CfA §10). */
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import { gitWorkspaces } from "../../src/runtime/workspaces/git-workspaces.ts";
import {
  approve,
  bodies,
  EXECUTE,
  finish,
  gate,
  git,
  mailOf,
  makeEngine,
  notes,
  reached,
  read,
  runJob,
  type Scripts,
  startJob,
  transitions,
  until,
  write,
} from "./fixture.ts";
import { startTimed } from "./timed.ts";

/** Works until the turn is stopped. */
const forever: Script = (turn) =>
  new Promise<string>((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));

/** Changes the second line of text.txt to the task. */
const editor: Script = (turn) => {
  write(turn.workspace, "text.txt", `one\n${turn.message.body}\nthree\n`);
  return `did ${turn.message.body}`;
};

/** A lead that sends these tasks, closes each child as it replies, and plays `after` on anything else. */
function closing(tasks: readonly string[], after: Script): Script {
  return async (turn) => {
    if (turn.turn === 1) for (const message of tasks) await turn.send({ to: "worker", message });
    else if (turn.message.kind === "reply") await turn.close(turn.message.from?.thread ?? "");
    else return after(turn);
    return undefined;
  };
}

const isConflict = (turn: Parameters<Script>[0]): boolean => turn.message.body.includes("conflict");

describe.concurrent("a close that conflicts", () => {
  test("leaves markers in the parent's tree and mails it; its next turn without markers completes the merge", async () => {
    const seen: string[] = [];
    const { end, entries, place, run } = await runJob(
      { ...EXECUTE, limits: { retries: 3 } },
      {
        lead: closing(["left", "right"], (turn) => {
          if (!isConflict(turn)) return approve(turn);
          seen.push(turn.message.body, read(turn.workspace, "text.txt"));
          write(turn.workspace, "text.txt", "one\nboth\nthree\n");
          return "resolved";
        }),
        worker: editor,
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(seen[0]).toMatch(/conflicts with your tree in:\s+text\.txt.*until no conflict markers are left/su);
    expect(seen[1]).toMatch(/<<<<<<< .*left.*=======.*right.*>>>>>>> /su);
    const releases = bodies(entries, "release").filter(({ thread }) => thread.startsWith("dispatch:"));
    expect(releases.map(({ result }) => result)).toEqual(["merged", "conflict", "completed"]);
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\nboth\nthree");
    expect(git(place.top, "log", "--format=%P", "-1", releases[2]?.commit ?? "").split(" ")).toHaveLength(2);
  });

  test("makes a second merge wait until it is resolved", async () => {
    const { end, entries, place, run } = await runJob(
      { ...EXECUTE, limits: { retries: 3 } },
      {
        lead: async (turn) => {
          if (turn.turn === 1)
            for (const message of ["left", "right", "far"]) await turn.send({ to: "worker", message });
          else if (isConflict(turn)) write(turn.workspace, "text.txt", "one\nall\nthree\n");
          else if (turn.turn === 4) for (const { thread } of turn.children) await turn.close(thread);
          else if (turn.turn > 4) return approve(turn);
          else return "wait";
          return undefined;
        },
        worker: editor,
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const order = bodies(entries, "release").map(({ thread, result }) => `${thread.slice(-1)} ${result}`);
    expect(order.slice(0, 5)).toEqual(["1 merged", "2 conflict", "2 completed", "3 conflict", "3 completed"]);
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\nall\nthree");
  });

  test("of a parent that never resolves fails by its budget, and the child's work stays on its ref", async () => {
    const { end, entries, place } = await runJob(
      { ...EXECUTE, limits: { retries: 1 } },
      { lead: closing(["left", "right"], () => "not me"), worker: editor },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(transitions(entries).at(-1)).toBe("EXECUTE FAILURE FAILURE (orchestrator)");
    expect(bodies(entries, "transition").at(-1)?.reason).toContain(
      "the merge of dispatch:1.1.2 is unresolved in text.txt",
    );
    const conflict = bodies(entries, "release").find(({ result }) => result === "conflict");
    expect(git(place.top, "show", `${conflict?.ref ?? ""}:text.txt`)).toMatch(/^one\n(left|right)\nthree$/u);
  });

  test("of a parent that works on it for ever runs into the time-out of its state; the child's work stays on its ref", async () => {
    const at = gate();
    const started = await startTimed(
      { ...EXECUTE, limits: { retries: 0 }, states: { EXECUTE: { state_timeout: "30m" } } },
      {
        lead: closing(["left", "right"], (turn) => {
          at.open();
          return forever(turn);
        }),
        worker: editor,
      },
    );
    await reached(started.run, at);
    started.clock.advance(31 * 60_000);
    const { end, entries, place } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "transition").at(-1)?.reason).toContain("longer than its time-out");
    const conflict = bodies(entries, "release").find(({ result }) => result === "conflict");
    expect(git(place.top, "show", `${conflict?.ref ?? ""}:text.txt`)).toMatch(/^one\n(left|right)\nthree$/u);
  });

  test("is no reason to fail a turn that came before its mail", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 0 } },
      {
        lead: async (turn) => {
          if (turn.turn === 1)
            for (const message of ["left", "right", "late"]) await turn.send({ to: "worker", message });
          else if (turn.message.kind === "reply") await turn.close(turn.message.from?.thread ?? "");
          else if (isConflict(turn)) write(turn.workspace, "text.txt", "one\nall\nthree\n");
          return turn.children.length === 0 ? approve(turn) : undefined;
        },
        worker: editor,
      },
    );
    expect(bodies(entries, "turn").filter(({ result }) => result === "failed")).toEqual([]);
    expect(end.kind).toBe("ended");
  });

  test("keeps an approval out of reach while it is unresolved", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 0 } },
      {
        lead: async (turn) => {
          if (turn.turn === 1)
            for (const message of ["left", "right"]) await turn.send({ to: "worker", message });
          else if (turn.message.kind === "reply") await turn.close(turn.message.from?.thread ?? "");
          if (isConflict(turn)) return approve(turn);
          return undefined;
        },
        worker: editor,
      },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(transitions(entries)).not.toContain("EXECUTE APPROVED_WORK DONE (skill)");
  });
});

describe.concurrent("a conflict whose parent ends", () => {
  test("is taken over by the next lead of the tree, whose prompt says so", async () => {
    const prompts: string[] = [];
    const { end, place, run, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 3 } },
      {
        lead: async (turn) => {
          if (turn.thread.endsWith("EXECUTE:1")) {
            if (turn.turn === 1)
              for (const message of ["left", "right"]) await turn.send({ to: "worker", message });
            if (turn.turn !== 3) return undefined;
            for (const { thread } of turn.children) await turn.close(thread);
            return turn.outcome("REPLAN", "again");
          }
          prompts.push(turn.prompt);
          if (prompts.length === 1) write(turn.workspace, "text.txt", "one\nboth\nthree\n");
          return approve(turn);
        },
        worker: editor,
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(prompts[0]).toContain("in your tree, the merge of dispatch:1.1.2 is unresolved in text.txt");
    expect(prompts.slice(1).join()).not.toContain("is unresolved");
    expect(bodies(entries, "release").map(({ result }) => result)).toEqual([
      "merged",
      "conflict",
      "completed",
      "dropped",
    ]);
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\nboth\nthree");
  });

  /** A worker that edits what its helper edits, closes it, and says `last` when it hears of the conflict. */
  const contested = (last: Script): Scripts => ({
    lead: async (turn) => {
      if (turn.message.kind === "task") await turn.send({ to: "worker", message: "go" });
      if (turn.message.kind === "human") for (const { thread } of turn.children) await turn.close(thread);
      return turn.message.kind === "control" ? approve(turn).then(() => turn.message.body) : "wait";
    },
    worker: async (turn) => {
      if (turn.message.kind === "task") await turn.send({ to: "helper", message: "helper" });
      else if (isConflict(turn)) return last(turn);
      else {
        write(turn.workspace, "text.txt", "one\nworker\nthree\n");
        await turn.close(turn.message.from?.thread ?? "");
      }
      await turn.sendNone();
      return undefined;
    },
    helper: editor,
  });

  test("in a child's own tree: all of the child's work stays on its ref, and its parent is told", async () => {
    const started = await startJob({ ...EXECUTE, limits: { retries: 9 } }, contested(forever));
    await until(started.run, "release", ({ result }) => result === "conflict");
    await started.run.tell("close it");
    const { end, entries, place, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const last = bodies(entries, "release").find(({ thread }) => thread === "dispatch:1.1.1");
    expect(last).toMatchObject({ result: "dropped", paths: ["text.txt"] });
    expect(git(place.top, "show", `${last?.ref ?? ""}:text.txt`)).toMatch(
      /<<<<<<<.*worker.*helper.*>>>>>>>/su,
    );
    expect(mailOf(entries, `state:${run.id}:EXECUTE:1`).at(-1)).toContain(
      "its own tree still held an unresolved merge in text.txt",
    );
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\ntwo\nthree");
  });

  test("before the merge begins: the child's work is merged, the grandchild's stays on its ref", async () => {
    const [begun, go] = [gate(), gate()];
    // The merge of the grandchild waits until the child has been closed, too.
    const engine = makeEngine({
      bus: "memory",
      workspaces: async (job, { repository, artifacts }) => {
        const real = await gitWorkspaces({ repository, job, artifacts: Object.values(artifacts) });
        const merge: typeof real.merge = async (tree, parent) => {
          begun.open();
          await go.passed;
          return real.merge(tree, parent);
        };
        return { ...real, merge };
      },
    });
    const scripts = contested(forever);
    const lead: Script = (turn) =>
      turn.children.length === 0 && turn.turn > 1 ? approve(turn) : scripts["lead"]?.(turn);
    const started = await startJob({ ...EXECUTE, limits: { retries: 9 } }, { ...scripts, lead }, { engine });
    await reached(started.run, begun);
    await started.run.tell("close it");
    await until(started.run, "fire", ({ rule, at }) => rule === "term-final" && at["t"] === "dispatch:1.1.1");
    go.open();
    const { end, entries, place, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const [helper, worker] = bodies(entries, "release");
    expect(helper).toMatchObject({ thread: "dispatch:2.1.1", result: "dropped", paths: ["text.txt"] });
    expect(git(place.top, "show", `${helper?.ref ?? ""}:text.txt`)).toBe("one\nhelper\nthree");
    expect(worker).toMatchObject({ thread: "dispatch:1.1.1", result: "merged" });
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\nworker\nthree");
    expect(notes(entries)).toEqual([expect.stringContaining("it is not merged and stays on refs/cfa/")]);
  });

  test("with the job: nothing is merged any more, and nothing is left behind", async () => {
    const working = gate();
    const started = await startJob(
      { ...EXECUTE, limits: { retries: 9 } },
      {
        lead: closing(["left", "right", "far"], (turn) => {
          working.open();
          return forever(turn);
        }),
        worker: editor,
      },
    );
    await reached(started.run, working);
    await started.run.withdraw("enough");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    const results = bodies(entries, "release").map(({ result }) => result);
    expect(results.filter((result) => result === "merged")).toHaveLength(1);
    expect(results.at(-1)).toBe("dropped");
  });
});
