/** Conflicts when a conversation is closed: who is told, what waits, and that no work is ever lost (CfA §10). */
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import { approve, bodies, EXECUTE, git, read, runJob, transitions, write } from "./fixture.ts";

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
      "the merge in its tree is still unresolved in text.txt",
    );
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
    expect(prompts[0]).toContain(
      "your tree holds the unfinished merge of dispatch:1.1.2, in conflict in text.txt",
    );
    expect(prompts.slice(1).join()).not.toContain("unfinished merge");
    expect(bodies(entries, "release").map(({ result }) => result)).toEqual([
      "merged",
      "conflict",
      "completed",
      "dropped",
    ]);
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\nboth\nthree");
  });

  test("in a child's own tree is abandoned: the child's work is merged, the grandchild's stays on its ref", async () => {
    const { end, entries, place, run } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
        for (const { thread } of turn.children) await turn.close(thread);
        return approve(turn);
      },
      worker: async (turn) => {
        if (turn.message.kind === "task") return void (await turn.send({ to: "helper", message: "helper" }));
        write(turn.workspace, "text.txt", "one\nworker\nthree\n");
        await turn.send({ to: "parent", message: "done" });
        await turn.close(turn.message.from?.thread ?? "");
      },
      helper: editor,
    });
    expect(end.kind).toBe("ended");
    const helper = bodies(entries, "release").filter(({ thread }) => thread === "dispatch:2.1.1");
    expect(git(place.top, "show", `${helper[0]?.ref ?? ""}:text.txt`)).toBe("one\nhelper\nthree");
    if (end.kind === "ended" && end.state === "DONE")
      expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toMatch(/^one\n(worker|two)\nthree$/u);
  });

  test("leaves nothing behind when the job is withdrawn", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 3 } },
      { lead: closing(["left", "right"], (turn) => turn.outcome("WITHDRAW", "enough")), worker: editor },
    );
    // The turn about the conflict fails, and with it its outcome; a turn about anything else may withdraw.
    expect(end.kind).toBe("ended");
    expect(bodies(entries, "release").at(-1)).toMatchObject({ result: "dropped" });
  });
});
