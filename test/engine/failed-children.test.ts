/** A child that fails for good: what its parent hears, and what that does to an approval (CfA §4, §5). */
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import { approve, bodies, EXECUTE, git, inExecute, runJob, transitions, write } from "./fixture.ts";

describe.concurrent("a child that fails for good", () => {
  const failing: Script = (turn) => {
    write(turn.workspace, "half.txt", `half ${turn.turn}\n`);
    throw new Error("slipped");
  };

  test("is ended after its third failure; its parent is told, its work stays on a ref", async () => {
    const heard: string[] = [];
    const { end, entries, place, run } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
        heard.push(`${turn.message.kind}: ${turn.message.body}`);
        await turn.close("dispatch:1.1.1");
        return approve(turn);
      },
      worker: failing,
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").filter(({ agent }) => agent === "worker")).toHaveLength(3);
    expect(heard).toEqual([
      expect.stringMatching(/^control: worker on dispatch:1\.1\.1 has failed for good.*slipped.*cfa close/su),
    ]);
    expect(bodies(entries, "terminate")[0]).toMatchObject({ mode: "drop", origin: "orchestrator" });
    const [release] = bodies(entries, "release");
    expect(release).toMatchObject({ thread: "dispatch:1.1.1", result: "dropped" });
    expect(git(place.top, "show", `${release?.ref ?? ""}:half.txt`)).toBe("half 3");
    expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`)).toBe("text.txt");
  });

  test("makes an approval a violation until its parent has closed it", async () => {
    const heard: string[] = [];
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 1 } },
      {
        lead: async (turn) => {
          heard.push(turn.message.body);
          if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
          if (turn.turn === 3) await turn.close("dispatch:1.1.1");
          return approve(turn);
        },
        worker: failing,
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "violation")).toEqual([
      expect.objectContaining({
        problem: expect.stringContaining("APPROVED_WORK is not possible yet: dispatch:1.1.1 failed"),
      }),
    ]);
    expect(heard[2]).toContain("cfa close dispatch:1.1.1");
  });

  test("that was never acknowledged keeps DONE out of reach", async () => {
    const { end, entries } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
        return approve(turn);
      },
      worker: failing,
    });
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(transitions(entries).at(-1)).toBe("EXECUTE FAILURE FAILURE (orchestrator)");
  });

  test("two levels down holds an approval while the one between passes over it", async () => {
    const heard: string[] = [];
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 1 } },
      {
        lead: async (turn) => {
          heard.push(turn.message.body);
          if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
          if (turn.turn === 3) await turn.close("dispatch:1.1.1");
          return approve(turn);
        },
        worker: async (turn) => {
          if (turn.turn === 1) return void (await turn.send({ to: "helper", message: "help" }));
          return "done, never mind";
        },
        helper: failing,
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "violation")).toEqual([
      expect.objectContaining({
        problem: expect.stringMatching(/not possible yet: \S+ failed, and dispatch:1\.1\.1 has not/u),
      }),
    ]);
    expect(heard[2]).toContain("close the conversation that led to it");
  });

  test("does not hold an approval when it was optional", async () => {
    const { end, entries } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go", optional: true }));
        return approve(turn);
      },
      worker: failing,
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "violation")).toEqual([]);
  });

  test("has a budget of its own: failures of siblings are not added up", async () => {
    const { end, entries } = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        for (const task of ["a", "b", "c"]) await turn.send({ to: "worker", message: task });
      }, approve),
      worker: (turn) => {
        if (turn.turn <= 2) throw new Error("slipped");
        return "done";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").filter(({ result }) => result === "failed")).toHaveLength(6);
    expect(bodies(entries, "terminate").filter(({ mode }) => mode === "drop")).toEqual([]);
  });

  test("takes the children that it had with it", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 0 } },
      {
        lead: async (turn) => {
          if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
          await turn.close("dispatch:1.1.1");
          return approve(turn);
        },
        worker: async (turn) => {
          if (turn.turn > 1) throw new Error("slipped");
          await turn.send({ to: "helper", message: "slow" });
          await turn.send({ to: "helper", message: "quick" });
        },
        helper: (turn) =>
          turn.message.body === "quick"
            ? "helped"
            : new Promise<string>((resolve) => turn.signal.addEventListener("abort", () => resolve("late"))),
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(
      bodies(entries, "release")
        .map(({ thread, result }) => `${thread} ${result}`)
        .sort(),
    ).toEqual([
      "dispatch:1.1.1 dropped",
      "dispatch:2.1.1 dropped",
      "dispatch:2.1.2 dropped",
      expect.stringMatching(/^job:.* dropped$/u),
    ]);
  });
});
