/** Dispatching work: who may be sent to, how many, what a child's silence means, what travels (CfA §5, §6). */
import { createHash } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/persistence/entry.ts";
import { JobReader } from "../../src/engine/read-job.ts";
import { gitWorkspaces } from "../../src/runtime/workspaces/git-workspaces.ts";
import {
  approve,
  bodies,
  EXECUTE,
  firings,
  git,
  inExecute,
  makeEngine,
  notes,
  read,
  runJob,
  shell,
  type Started,
  write,
} from "./fixture.ts";
import { refusalOf, taskCall, writeCall } from "./outbox.ts";

/** Most children that the lead had open at any entry of the log. */
function mostOpen(entries: readonly Entry[], lead: string): number {
  const reader = new JobReader();
  return Math.max(
    ...entries.map((entry) => {
      reader.apply(entry);
      return reader.configuration.openChildren(lead);
    }),
  );
}

const leadOf = ({ run }: Started): string => `state:${run.id}:EXECUTE:1`;

describe.concurrent("the cap", () => {
  test("five tasks in one turn: three are sent, two are refused at the call, three children are open at most", async () => {
    const refused: string[] = [];
    const done = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        for (let n = 1; n <= 5; n++) {
          const answer = await refusalOf(turn.send({ to: "worker", message: `task ${n}` }));
          if (answer !== "admitted") refused.push(answer);
        }
      }, approve),
      worker: () => "done",
    });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(refused).toEqual([
      expect.stringContaining("you have 3 open conversations and the limit is 3"),
      expect.stringContaining("cfa close ID"),
    ]);
    expect(mostOpen(done.entries, leadOf(done))).toBe(3);
    expect(firings(done.entries).filter((rule) => rule === "refuse")).toEqual([]);
  });

  test("five written into the outbox by hand: three are sparked, two come back as refusals", async () => {
    const heard: string[] = [];
    const done = await runJob(EXECUTE, {
      lead: (turn) => {
        if (turn.turn > 1) {
          if (turn.message.kind === "refusal") heard.push(turn.message.body);
          return approve(turn);
        }
        for (let n = 1; n <= 5; n++) writeCall(turn, n, taskCall(turn, n));
        return "sent";
      },
      worker: () => "done",
    });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(mostOpen(done.entries, leadOf(done))).toBe(3);
    expect(heard).toEqual([
      expect.stringMatching(/task to worker|message to worker on dispatch:1\.1\.4 was refused.*task 4/su),
      expect.stringMatching(/dispatch:1\.1\.5 was refused.*3 open conversations.*task 5/su),
    ]);
  });

  test("a close in the same turn makes room", async () => {
    const done = await runJob(
      { ...EXECUTE, limits: { fan_out: 1 } },
      {
        lead: inExecute(
          async (turn) => void (await turn.send({ to: "worker", message: "one" })),
          async (turn) => {
            const [child] = turn.children;
            await turn.close(child?.thread ?? "");
            await turn.send({ to: "worker", message: "two" });
          },
          approve,
        ),
        worker: (turn) => turn.message.body,
      },
    );
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(mostOpen(done.entries, leadOf(done))).toBe(1);
    expect(firings(done.entries).filter((rule) => rule === "spark")).toHaveLength(3);
  });

  test("over_cap: wait puts a spark behind a later close, and what goes to the same thread with it", async () => {
    const done = await runJob(
      { ...EXECUTE, limits: { fan_out: 1 }, over_cap: "wait" },
      {
        lead: inExecute(
          async (turn) => void (await turn.send({ to: "worker", message: "one" })),
          async (turn) => {
            const first = turn.children[0]?.thread ?? "";
            const second = await turn.send({ to: "worker", message: "two" });
            await turn.send({ to: "worker", thread: second, message: "two again" });
            await turn.send({ to: "worker", thread: first, message: "thanks" });
            await turn.close(first);
          },
          approve,
        ),
        worker: (turn) => turn.message.body,
      },
    );
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(mostOpen(done.entries, leadOf(done))).toBe(1);
    expect(firings(done.entries)).not.toContain("refuse");
    const sent = firings(done.entries, leadOf(done)).filter((rule) =>
      /^(spark|send|send-terminate)$/u.test(rule),
    );
    expect(sent).toEqual(["spark", "send", "send-terminate", "spark", "send"]);
  });

  test("over_cap: wait without a close to wait for is refused", async () => {
    const heard: string[] = [];
    const { end } = await runJob(
      { ...EXECUTE, limits: { fan_out: 1 }, over_cap: "wait" },
      {
        lead: async (turn) => {
          if (turn.message.kind === "refusal") heard.push(turn.message.body);
          if (turn.turn > 1) return approve(turn);
          await turn.send({ to: "worker", message: "one" });
          await turn.send({ to: "worker", message: "two" });
          return undefined;
        },
        worker: () => "done",
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toEqual([expect.stringContaining("you have 1 open conversations")]);
  });
});

describe.concurrent("going on with a conversation", () => {
  test("a second send to the thread reaches the same worktree and the same session", async () => {
    const done = await runJob(
      {
        ...EXECUTE,
        agents: {
          lead: shell("cat", { roster: ["worker"] }),
          worker: shell(
            'echo "$CFA_SESSION" >> session.txt; echo "$PWD" >> pwd.txt; cat session.txt pwd.txt',
          ),
        },
      },
      {
        lead: inExecute(
          async (turn) => void (await turn.send({ to: "worker", message: "one" })),
          async (turn) =>
            void (await turn.send({ to: "worker", thread: turn.children[0]?.thread, message: "two" })),
          approve,
        ),
      },
    );
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    for (const file of ["session.txt", "pwd.txt"]) {
      const lines = git(done.place.top, "show", `cfa/${done.run.id}:${file}`).split("\n");
      expect(lines).toHaveLength(2);
      expect(new Set(lines).size).toBe(1);
    }
    const turns = bodies(done.entries, "turn").filter(({ agent }) => agent === "worker");
    expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
    expect(turns.map(({ turn }) => turn)).toEqual([1, 2]);
  });

  test("siblings do not see each other's edits, and the parent sees them after the close", async () => {
    const seen: string[][] = [];
    await runJob(EXECUTE, {
      lead: inExecute(
        async (turn) => {
          await turn.send({ to: "worker", message: "a" });
          await turn.send({ to: "worker", message: "b" });
        },
        () => undefined,
        async (turn) => {
          for (const { thread } of turn.children) await turn.close(thread);
          await turn.send({ to: "worker", message: "c" });
        },
        approve,
      ),
      worker: (turn) => {
        seen.push(
          readdirSync(turn.workspace)
            .filter((name) => name.length === 5)
            .sort(),
        );
        write(turn.workspace, `${turn.message.body}.txt`, "x");
        return "done";
      },
    });
    expect(seen).toEqual([[], [], ["a.txt", "b.txt"]]);
  });
});

describe.concurrent("the dispatch tree", () => {
  test("three levels: each level's work reaches the branch through its parent", async () => {
    const done = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
      worker: async (turn) => {
        write(turn.workspace, "worker.txt", "worker\n");
        if (turn.turn === 1) await turn.send({ to: "helper", message: "go on" });
        else for (const { thread } of turn.children) await turn.close(thread);
        return "worked";
      },
      helper: (turn) => {
        write(turn.workspace, "helper.txt", read(turn.workspace, "worker.txt"));
        return "helped";
      },
    });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(git(done.place.top, "show", `cfa/${done.run.id}:helper.txt`)).toBe("worker");
    const merges = bodies(done.entries, "release").filter(({ result }) => result === "merged");
    expect(merges.map(({ thread, into }) => [thread, into])).toEqual([
      ["dispatch:2.1.1", "dispatch:1.1.1"],
      ["dispatch:1.1.1", leadOf(done)],
    ]);
  });

  test("files named in a send are there before the first wake, and stand in the log with their hashes", async () => {
    const bytes = "secret ingredient\n";
    const seen: string[] = [];
    const done = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        write(turn.workspace, ".gitignore", "*.key\n");
        write(turn.workspace, "deep/er/some.key", bytes);
        await turn.send({ to: "worker", message: "use it", files: ["deep/er/some.key"] });
      }, approve),
      worker: (turn) => {
        seen.push(read(turn.workspace, "deep/er/some.key"));
        return "used";
      },
    });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(seen).toEqual([bytes]);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(bodies(done.entries, "turn")[0]?.files).toEqual([
      { message: "m1.1.1", files: [{ path: "deep/er/some.key", sha256, executable: false }] },
    ]);
  });

  test("a dispatched agent is told of its skill with its task, not with later mail", async () => {
    const heard: string[] = [];
    const worker = shell("cat", { roster: [], skill: "attempt-task" });
    await runJob(
      { ...EXECUTE, agents: { lead: shell("cat", { roster: ["worker"] }), worker } },
      {
        lead: inExecute(
          async (turn) => void (await turn.send({ to: "worker", message: "go" })),
          async (turn) => {
            const thread = turn.children[0]?.thread;
            await turn.send({ to: "worker", thread, message: "and on" });
          },
          approve,
        ),
        worker: (turn) => {
          heard.push(turn.prompt);
          return "done";
        },
      },
    );
    expect(heard).toEqual(["go\n\nSkill: attempt-task.", expect.stringMatching(/and on/u)]);
  });

  test("a file travels as it was when it was sent, whatever becomes of it in the turn", async () => {
    const seen: string[] = [];
    const { end } = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        write(turn.workspace, ".gitignore", "*.key\n");
        for (const task of ["one", "two"]) {
          write(turn.workspace, "task.key", task);
          await turn.send({ to: "worker", message: task, files: ["task.key"] });
        }
        rmSync(join(turn.workspace, "task.key"));
      }, approve),
      worker: (turn) => {
        seen.push(`${turn.message.body}: ${read(turn.workspace, "task.key")}`);
        return "used";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(seen.sort()).toEqual(["one: one", "two: two"]);
  });

  test("a file for which the receiver has no room is named to it and in the log, and is nobody's failure", async () => {
    const heard: string[] = [];
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 0 } },
      {
        lead: inExecute(
          async (turn) => {
            write(turn.workspace, ".gitignore", "out\n");
            write(turn.workspace, "out/x", "a directory");
            await turn.send({ to: "worker", message: "make it" });
          },
          (turn) => {
            heard.push(turn.prompt);
            return approve(turn);
          },
        ),
        worker: async (turn) => {
          write(turn.workspace, "out", "a file");
          write(turn.workspace, "more", "another");
          await turn.send({ to: "parent", message: "here it is", files: ["out", "more"] });
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const sentence =
      'file out came with the message and was not placed: "out" is a directory in the workspace: a file cannot take its place.';
    expect(heard).toEqual([expect.stringMatching(/here it is\n\n\[file out came with the message/)]);
    expect(notes(entries)).toEqual([sentence]);
  });

  test("a file that is not there refuses the call, and the log says so", async () => {
    const done = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        const call = turn.send({ to: "worker", message: "use it", files: ["none.txt"] });
        expect(await refusalOf(call)).toContain("there is no file none.txt");
      }, approve),
    });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(done.entries, "note")).toEqual([
      expect.objectContaining({
        level: "warn",
        thread: leadOf(done),
        text: expect.stringContaining("there is no file none.txt"),
      }),
    ]);
  });
});

test("a workspace that fails when it is made already: the send is refused with the reason, and it does not outlive the job", async () => {
  const engine = makeEngine({
    bus: "memory",
    workspaces: async (job, definition) => {
      const real = await gitWorkspaces({
        repository: definition.repository,
        job,
        artifacts: Object.values(definition.artifacts),
      });
      return {
        ...real,
        branch: async (tree, parent) => {
          await real.branch(tree, parent);
          throw new Error("no space is left on the device");
        },
      };
    },
  });
  const lead = inExecute(
    async (turn) => void (await turn.send({ to: "worker", message: "a task" })),
    async (turn) => {
      expect(turn.message.kind).toBe("refusal");
      expect(turn.message.body).toContain("no space is left on the device");
      await approve(turn);
    },
  );
  const { end } = await runJob(EXECUTE, { lead }, { engine });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
});
