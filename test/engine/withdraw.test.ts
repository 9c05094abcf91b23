/** Withdrawal leaves nothing behind; an interrupt redirects one instance (CfA §8, §9). */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  approve,
  bodies,
  EXECUTE,
  finish,
  firings,
  gate,
  git,
  inExecute,
  makeEngine,
  makePlace,
  reached,
  read,
  refsBelow,
  shell,
  startJob,
  transitions,
  until,
  write,
} from "./fixture.ts";

/** Works until the turn is stopped. */
const forever = (turn: ScriptTurn): Promise<string> =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));

describe.concurrent("withdrawing the job", () => {
  for (const state of ["INTENT", "PLAN", "EXECUTE"]) {
    test(`in ${state}, with children at work, ends WITHDRAWN: nothing merged, no worktree, work kept on refs`, async () => {
      let working = 0;
      const both = gate();
      const worker: Script = (turn) => {
        write(turn.workspace, "mine.txt", "mine\n");
        working += 1;
        if (working === 2) both.open();
        return forever(turn);
      };
      const started = await startJob(
        {},
        {
          lead: async (turn) => {
            if (turn.state !== state) return approve(turn);
            await turn.send({ to: "worker", message: "a" });
            await turn.send({ to: "worker", message: "b" });
            return undefined;
          },
          worker,
        },
      );
      await reached(started.run, both);
      await started.run.withdraw("changed my mind");
      const { end, entries, place, run } = await finish(started);
      expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
      expect(transitions(entries).at(-1)).toBe(`${state} WITHDRAW WITHDRAWN (human)`);
      expect(bodies(entries, "transition").at(-1)).toMatchObject({ reason: "changed my mind", record: null });
      const released = bodies(entries, "release");
      expect(released.map(({ result }) => result)).toEqual(["dropped", "dropped", "dropped"]);
      expect(released.at(-1)?.thread).toBe(`job:${run.id}`);
      for (const { ref } of released.slice(0, 2))
        expect(git(place.top, "show", `${ref ?? ""}:mine.txt`)).toBe("mine");
      expect(refsBelow(place.top, "refs/heads")).toEqual(["main"]);
      expect(bodies(entries, "act")).toEqual([
        expect.objectContaining({ verb: "withdraw", result: "withdrawn" }),
      ]);
    });
  }

  test("kills programs that are at work, and their children", async () => {
    const started = await startJob({ agents: { lead: shell("sleep 1000 & echo $! > pid; wait") } }, {});
    const { pid } = await until(started.run, "start", ({ pid }) => pid !== null);
    await started.run.withdraw("no");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(bodies(entries, "turn")).toMatchObject([
      { turn: 1, result: "aborted", failure: "its conversation has ended", commit: null },
    ]);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test("while a broadcast is under way drops what was not sent", async () => {
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        for (const task of ["a", "b", "c"]) await turn.send({ to: "worker", message: task });
      }),
      worker: forever,
    });
    await until(started.run, "turn");
    await started.run.withdraw("stop");
    const { end } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
  });

  test("while a question is open ends the question", async () => {
    const started = await startJob({}, { lead: async (turn) => void (await turn.ask("may I?")) });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.withdraw("no");
    const { end, job, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(firings(entries)).toContain("term-human");
    expect([...job.ledger.questions.values()]).toEqual([expect.objectContaining({ ended: true })]);
  });

  test("while an approval is held merges nothing", async () => {
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        await turn.send({ to: "worker", message: "a" });
        return approve(turn);
      }, approve),
      worker: forever,
    });
    await until(started.run, "hold");
    await started.run.withdraw("no");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(bodies(entries, "release").map(({ result }) => result)).toEqual(["dropped", "dropped"]);
  });

  test("of a lead that writes WITHDRAW is the same, with the skill as origin", async () => {
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        await turn.send({ to: "worker", message: "a" });
        return turn.outcome("WITHDRAW", "the human said so");
      }),
      worker: forever,
    });
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(transitions(entries).at(-1)).toBe("EXECUTE WITHDRAW WITHDRAWN (skill)");
    expect(bodies(entries, "release").map(({ result }) => result)).toEqual(["dropped", "dropped"]);
  });

  test("acts that come afterwards are refused with a sentence", async () => {
    const started = await startJob({}, { lead: forever });
    await until(started.run, "start");
    const { run } = started;
    await run.withdraw("no");
    await run.tell("hello?");
    await run.interrupt("stop!");
    await run.withdraw("really");
    const { entries, end } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    const later = bodies(entries, "act").slice(1);
    for (const { result } of later) expect(result).toMatch(/has ended/u);
    expect(transitions(entries)).toEqual(["INTENT WITHDRAW WITHDRAWN (human)"]);
  });

  test("an act on a finished job is taken up by the next run that looks, and refused", async () => {
    const place = makePlace();
    const engine = makeEngine({});
    const first = await startJob({}, { lead: (turn) => turn.outcome("WITHDRAW", "no") }, { place, engine });
    await first.run.end;
    await first.run.tell("hello?");
    const run = await engine.resume(place.top, first.run.id);
    const { end, entries } = await finish({ place, engine, run });
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(bodies(entries, "act")).toEqual([
      expect.objectContaining({ verb: "tell", result: "the job has ended: WITHDRAWN" }),
    ]);
  });
});

describe.concurrent("an interrupt", () => {
  test("of a running turn starts a new one on the new message; the old result is dropped, edits stay, the outbox goes", async () => {
    const begun = gate();
    const started = await startJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn > 1) {
          write(
            turn.workspace,
            "after.txt",
            `${turn.message.kind} ${turn.message.body}: ${read(turn.workspace, "before.txt")}`,
          );
          return approve(turn);
        }
        write(turn.workspace, "before.txt", "half");
        await turn.send({ to: "worker", message: "never" });
        await turn.outcome("REPLAN", "never");
        begun.open();
        return forever(turn);
      },
    });
    await reached(started.run, begun);
    await started.run.interrupt("do this instead");
    const { end, entries, place, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(git(place.top, "show", `cfa/${run.id}:after.txt`)).toBe("human do this instead: half");
    expect(bodies(entries, "turn")).toMatchObject([
      { turn: 1, result: "aborted", failure: "another message has taken its place", outcome: null },
      { turn: 2, result: "ok" },
    ]);
    expect(firings(entries)).toContain("interrupt");
    expect(firings(entries).filter((rule) => rule === "spark")).toHaveLength(1);
  });

  test("edits of the turn that it ended are no effect of the next one", async () => {
    const begun = gate();
    const started = await startJob(
      { ...EXECUTE, limits: { retries: 1 } },
      {
        lead: async (turn) => {
          if (turn.turn === 2) return undefined;
          if (turn.turn > 2) return approve(turn);
          write(turn.workspace, "before.txt", "half");
          begun.open();
          return forever(turn);
        },
      },
    );
    await reached(started.run, begun);
    await started.run.interrupt("do this instead");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").map(({ turn, result }) => [turn, result])).toEqual([
      [1, "aborted"],
      [2, "failed"],
      [3, "ok"],
    ]);
  });

  test("of a sleeping instance wakes it, before the mail that waits", async () => {
    const heard: string[] = [];
    const started = await startJob(EXECUTE, {
      lead: inExecute(
        async (turn) => void (await turn.send({ to: "worker", message: "go" })),
        (turn) => {
          heard.push(turn.message.kind);
          return approve(turn);
        },
      ),
      worker: forever,
    });
    await until(started.run, "start", ({ agent }) => agent === "worker");
    await started.run.interrupt("enough");
    await until(started.run, "hold");
    await started.run.interrupt("and you stop", "dispatch:1.1.1");
    await until(started.run, "act", ({ target }) => target === "dispatch:1.1.1");
    await started.run.withdraw("done");
    const { entries } = await finish(started);
    expect(heard).toEqual(["human"]);
    expect(firings(entries)).toContain("wake-int");
  });

  test("of a child redirects it alone", async () => {
    const begun = gate();
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
      worker: (turn) => {
        if (turn.message.kind === "human") return `redirected: ${turn.message.body}`;
        begun.open();
        return forever(turn);
      },
    });
    await reached(started.run, begun);
    await started.run.interrupt("that way", "dispatch:1.1.1");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const worker = bodies(entries, "turn").filter(({ agent }) => agent === "worker");
    expect(worker).toMatchObject([
      { turn: 1, result: "aborted" },
      { turn: 2, result: "ok", text: "redirected: that way" },
    ]);
  });

  test("of a conversation that never was is refused with a sentence", async () => {
    const started = await startJob({}, { lead: forever });
    await until(started.run, "start");
    await started.run.interrupt("you there", "dispatch:7.7.7");
    const act = await until(started.run, "act");
    expect(act.result).toBe("there is no conversation dispatch:7.7.7");
    await started.run.withdraw("no");
    await finish(started);
  });
});
