/** A forward approval: what holds it, what it merges and in which order, and what DONE leaves behind (CfA §4, §10). */
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/persistence/entry.ts";
import {
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  gate,
  git,
  inExecute,
  makePlace,
  namesIn,
  read,
  refsBelow,
  runJob,
  startJob,
  transitions,
  until,
  write,
} from "./fixture.ts";

/** Threads in the order in which their trees were merged. */
const merged = (entries: readonly Entry[]): readonly string[] =>
  bodies(entries, "release")
    .filter(({ result }) => result === "merged")
    .map(({ thread }) => thread);

describe.concurrent("an approval", () => {
  test("waits for a child that still works, is held in the log, and then merges it", async () => {
    const ready = gate();
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        await turn.send({ to: "worker", message: "slow" });
        return approve(turn);
      }, approve),
      worker: async (turn) => {
        await ready.passed;
        write(turn.workspace, "slow.txt", "done\n");
        await turn.sendNone();
      },
    });
    const hold = await until(started.run, "hold", ({ action }) => action !== null);
    expect(hold).toMatchObject({ action: "APPROVED_WORK", reason: "good" });
    ready.open();
    const { end, entries, place, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").filter(({ agent }) => agent === "lead")).toHaveLength(1);
    expect(git(place.top, "show", `cfa/${run.id}:slow.txt`)).toBe("done");
  });

  test("that a reply overtakes lapses: the lead wakes and approves again", async () => {
    const { end, entries } = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        await turn.send({ to: "worker", message: "go" });
        return turn.outcome("APPROVED_WORK", "hasty");
      }, approve),
      worker: () => "wait, there is more",
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "hold").map(({ reason }) => reason)).toEqual(["hasty", "good"]);
    expect(bodies(entries, "transition").at(-1)).toMatchObject({ action: "APPROVED_WORK", reason: "good" });
  });

  test("merges the children that were left open, deepest first, in spark order", async () => {
    const { end, entries, place, run } = await runJob(EXECUTE, {
      lead: inExecute(
        async (turn) => {
          for (const task of ["a", "b", "c"]) await turn.send({ to: "worker", message: task });
        },
        () => "wait",
        () => "wait",
        approve,
      ),
      worker: async (turn) => {
        const name = turn.message.body;
        if (turn.message.kind === "task") write(turn.workspace, `${name}.txt`, `${name}\n`);
        if (name === "a" || name === "b")
          return void (await turn.send({ to: "helper", message: `${name}1` }));
        return "done";
      },
      helper: (turn) => {
        write(turn.workspace, `${turn.message.body}.txt`, "x\n");
        return "helped";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const order = merged(entries);
    const level = (thread: string) => (thread.startsWith("dispatch:1.") ? 1 : 2);
    expect(order.map(level)).toEqual([2, 2, 1, 1, 1]);
    expect(order.slice(2)).toEqual(["dispatch:1.1.1", "dispatch:1.1.2", "dispatch:1.1.3"]);
    const sparked = bodies(entries, "fire")
      .filter(({ rule }) => rule === "spark")
      .map(({ at }) => at["t'"] ?? "");
    expect(order.slice(0, 2)).toEqual(
      sparked.filter((thread) => level(thread) === 2 && thread.startsWith("dispatch:")),
    );
    expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`).split("\n")).toEqual([
      "a.txt",
      "a1.txt",
      "b.txt",
      "b1.txt",
      "c.txt",
      "text.txt",
    ]);
  });

  test("of a child without changes merges nothing and goes on", async () => {
    const { end, entries, place, run } = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "look" })), approve),
      worker: () => "nothing to do",
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(merged(entries)).toEqual(["dispatch:1.1.1"]);
    expect(git(place.top, "rev-parse", `cfa/${run.id}`)).toBe(git(place.top, "rev-parse", "main"));
  });

  test("of INTENT and PLAN waits and merges just the same", async () => {
    const { end, entries } = await runJob(
      {},
      {
        lead: async (turn) => {
          if (turn.turn === 1) return void (await turn.send({ to: "worker", message: turn.state }));
          return approve(turn);
        },
        worker: (turn) => {
          write(turn.workspace, `${turn.message.body}.txt`, "x\n");
          return "done";
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(merged(entries)).toHaveLength(3);
  });

  test("waits for an open question of a child, as long as the human takes", async () => {
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        await turn.send({ to: "worker", message: "ask" });
        return approve(turn);
      }, approve),
      worker: async (turn) => {
        if (turn.message.kind === "task") return void (await turn.ask("red or blue?"));
        return turn.message.body;
      },
    });
    await until(started.run, "hold");
    const { at } = await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.answer(at["e"] ?? "", "blue");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(
      bodies(entries, "turn")
        .filter(({ agent }) => agent === "worker")
        .at(-1)?.text,
    ).toBe("blue");
  });
});

describe.concurrent("a conflict during the merges of an approval", () => {
  test("holds it: the lead is told, resolves, and approves again", async () => {
    const heard: string[] = [];
    const { end, entries, place, run } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn === 1) {
          await turn.send({ to: "worker", message: "left" });
          return void (await turn.send({ to: "worker", message: "right" }));
        }
        heard.push(turn.message.body);
        if (turn.message.id.startsWith("conflict:"))
          write(turn.workspace, "text.txt", "one\nleft and right\nthree\n");
        return turn.turn === 2 ? undefined : approve(turn);
      },
      worker: (turn) => {
        write(turn.workspace, "text.txt", `one\n${turn.message.body}\nthree\n`);
        return "done";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(
      bodies(entries, "release")
        .slice(0, 3)
        .map(({ thread, result }) => `${thread} ${result}`),
    ).toEqual(["dispatch:1.1.1 merged", "dispatch:1.1.2 conflict", "dispatch:1.1.2 completed"]);
    expect(heard.at(-1)).toMatch(
      /The work of worker on dispatch:1\.1\.2 conflicts with your tree in:\s+text\.txt/u,
    );
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\nleft and right\nthree");
    expect(transitions(entries)).toHaveLength(3);
  });

  test("deeper down goes to the child whose tree holds it", async () => {
    const heard: string[] = [];
    const { end, place, run } = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
      worker: async (turn) => {
        if (turn.message.kind === "task") return void (await turn.send({ to: "helper", message: "go" }));
        heard.push(`${turn.message.kind} ${turn.message.id}`);
        const mine = turn.message.kind === "reply" ? "worker" : "both";
        write(turn.workspace, "text.txt", `one\n${mine}\nthree\n`);
        return mine;
      },
      helper: (turn) => {
        write(turn.workspace, "text.txt", "one\nhelper\nthree\n");
        return "done";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toEqual(["reply m3.1.0", "control conflict:dispatch:2.1.1"]);
    expect(git(place.top, "show", `cfa/${run.id}:text.txt`)).toBe("one\nboth\nthree");
  });
});

describe.concurrent("DONE", () => {
  test("leaves the branch cfa/<job> with the work, and of the rest only private refs", async () => {
    const { end, place, run, entries, job } = await runJob(
      {},
      {
        lead: async (turn) => {
          if (turn.state === "EXECUTE") write(turn.workspace, "work.txt", "work\n");
          write(
            turn.workspace,
            { INTENT: "INTENT.md", PLAN: "PLAN.md" }[turn.state] ?? "WORK_SUMMARY.md",
            "text\n",
          );
          return approve(turn);
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "deliver")).toEqual([
      { branch: `cfa/${run.id}`, commit: git(place.top, "rev-parse", `cfa/${run.id}`), mode: "branch" },
    ]);
    expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`)).toBe("text.txt\nwork.txt");
    expect(refsBelow(place.top, "refs/heads")).toEqual([`cfa/${run.id}`, "main"]);
    expect(namesIn(`${place.top}/.cfa/jobs/${run.id}/work`)).toEqual([]);
    expect(job.ledger.unreleased.size).toBe(0);
  });

  test("under deliver: merge the work is on the base branch", async () => {
    const place = makePlace();
    const started = await startJob(
      { ...EXECUTE, deliver: "merge" },
      {
        lead: (turn) => {
          write(turn.workspace, "work.txt", "work\n");
          return approve(turn);
        },
      },
      { place },
    );
    expect(await started.run.end).toEqual({ kind: "ended", state: "DONE" });
    expect(read(place.top, "work.txt")).toBe("work\n");
    expect(git(place.top, "show", "main:work.txt")).toBe("work");
  });

  test("under deliver: pr-ready the commit says what the summary says", async () => {
    const { place, run } = await runJob(
      { ...EXECUTE, deliver: "pr-ready", artifacts: { summary: "SUMMARY.md" } },
      {
        lead: (turn) => {
          write(turn.workspace, "work.txt", "work\n");
          write(turn.workspace, "SUMMARY.md", "Add work.txt\n\nThe work, with the é of café.\n");
          return approve(turn);
        },
      },
    );
    expect(git(place.top, "log", "--format=%B", `main..cfa/${run.id}`)).toBe(
      "Add work.txt\n\nThe work, with the é of café.",
    );
    expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`)).toBe("text.txt\nwork.txt");
  });

  test("under deliver: pr-ready without a summary the commit says what was wanted", async () => {
    const { place, run } = await runJob(
      { ...EXECUTE, deliver: "pr-ready" },
      {
        lead: (turn) => {
          write(turn.workspace, "work.txt", "work\n");
          write(turn.workspace, "WORK_SUMMARY.md", " \n");
          return approve(turn);
        },
      },
    );
    expect(git(place.top, "log", "--format=%B", `main..cfa/${run.id}`)).toBe("job: make it");
  });

  test("under deliver: merge into a branch that has moved in conflict stays on the branch of the job; the log says why", async () => {
    const place = makePlace();
    const started = await startJob(
      { ...EXECUTE, deliver: "merge" },
      {
        lead: (turn) => {
          write(turn.workspace, "text.txt", "work\n");
          write(place.top, "text.txt", "the user's\n");
          git(place.top, "commit", "--quiet", "--all", "--message", "user");
          return approve(turn);
        },
      },
      { place },
    );
    expect(await started.run.end).toEqual({ kind: "ended", state: "DONE" });
    const delivered = await until(started.run, "deliver");
    const branch = `cfa/${started.run.id}`;
    expect(delivered).toEqual({
      branch,
      commit: git(place.top, "rev-parse", branch),
      mode: "branch",
      problem: `${branch} and main have both changed text.txt: run "git merge ${branch}" on main and resolve it.`,
    });
    expect(git(place.top, "show", `${branch}:text.txt`)).toBe("work");
    expect(git(place.top, "show", "main:text.txt")).toBe("the user's");
  });

  test("is not reached by running a finished job again: it is shown", async () => {
    const scripts = { lead: approve };
    const first = await runJob(EXECUTE, scripts);
    const again = await first.engine.start(definitionOf(first.place, EXECUTE), {});
    expect(again.id).toBe(first.run.id);
    expect(await again.end).toEqual({ kind: "ended", state: "DONE" });
    const seen: number[] = [];
    for await (const entry of again) seen.push(entry.seq);
    expect(seen).toEqual(first.entries.map(({ seq }) => seq));
  });
});
