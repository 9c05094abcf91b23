/** What agents begin themselves with git and leave unfinished: a conflict like that of a close, in the log before anything is decided. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  approve,
  bodies,
  EXECUTE,
  finish,
  type Finished,
  git,
  makePlace,
  type Place,
  read,
  type Scripts,
  type Started,
  startJob,
  transitions,
  write,
} from "./fixture.ts";

/** A repository whose branch `feature` conflicts with `main` in text.txt, and adds a file in a second commit. */
function contestedPlace(): Place {
  const place = makePlace();
  const { top } = place;
  git(top, "checkout", "--quiet", "-b", "feature");
  write(top, "text.txt", "one\nfeature\nthree\n");
  git(top, "commit", "--quiet", "--all", "--message", "feature");
  write(top, "more.txt", "more\n");
  git(top, "add", "--all");
  git(top, "commit", "--quiet", "--all", "--message", "more");
  git(top, "checkout", "--quiet", "main");
  return place;
}

/** Runs git in the turn's workspace; it may stop in a conflict. */
function attempt(turn: ScriptTurn, ...args: readonly string[]): void {
  try {
    git(turn.workspace, ...args);
  } catch {
    return; // that is what the test is about
  }
}

/** Makes a commit that conflicts with `feature`. */
function mine(turn: ScriptTurn): void {
  write(turn.workspace, "text.txt", "one\nmine\nthree\n");
  git(turn.workspace, "commit", "--quiet", "--all", "--message", "mine");
}

const run = async (scripts: Scripts, retries = 0): Promise<Finished> =>
  finish(await startJob({ ...EXECUTE, limits: { retries } }, scripts, { place: contestedPlace() }));

/** Leaves text.txt in conflict, each in its way. */
const ways: readonly (readonly [string, (turn: ScriptTurn) => void, (turn: ScriptTurn) => void])[] = [
  ["merge", (turn) => attempt(turn, "merge", "feature"), (turn) => resolve(turn)],
  [
    "rebase",
    (turn) => attempt(turn, "rebase", "feature"),
    (turn) => {
      resolve(turn);
      git(turn.workspace, "add", "text.txt");
      git(turn.workspace, "-c", "core.editor=true", "rebase", "--continue");
    },
  ],
  ["cherry-pick", (turn) => attempt(turn, "cherry-pick", "feature~1"), (turn) => resolve(turn)],
  ["revert", (turn) => attempt(turn, "revert", "--no-edit", "HEAD~1"), (turn) => resolve(turn)],
  [
    "stash pop",
    (turn) => {
      write(turn.workspace, "text.txt", "one\nstashed\nthree\n");
      git(turn.workspace, "stash");
      write(turn.workspace, "text.txt", "one\nother\nthree\n");
      git(turn.workspace, "commit", "--quiet", "--all", "--message", "other");
      attempt(turn, "stash", "pop");
    },
    (turn) => resolve(turn),
  ],
];

function resolve(turn: ScriptTurn): void {
  write(turn.workspace, "text.txt", "one\nboth\nthree\n");
}

/** As {@link finish}, for a job that may write the user's branch. */
async function finishAnywhere(started: Started): Promise<Pick<Finished, "end" | "entries" | "run">> {
  const end = await started.run.end;
  const entries: Entry[] = [];
  for await (const entry of started.run) entries.push(entry);
  return { end, entries, run: started.run };
}

const hasMarkers = (turn: ScriptTurn): boolean => read(turn.workspace, "text.txt").includes("<<<<<<<");

describe.concurrent.each(ways)("a %s that stops in a conflict", (name, begin, end) => {
  const prepare = (turn: ScriptTurn): void => {
    mine(turn);
    if (name === "revert") {
      write(turn.workspace, "text.txt", "one\nlater\nthree\n");
      git(turn.workspace, "commit", "--quiet", "--all", "--message", "later");
    }
    begin(turn);
  };

  test("in a turn that closes a child and approves is logged and mailed, and over before the job is DONE", async () => {
    const told: string[] = [];
    const lead: Script = async (turn) => {
      if (turn.turn === 1) await turn.send({ to: "worker", message: "go" });
      else if (turn.message.kind === "reply") {
        prepare(turn);
        expect(hasMarkers(turn)).toBe(true);
        await turn.close(turn.message.from?.thread ?? "");
        await approve(turn);
      } else {
        told.push(turn.message.body);
        if (hasMarkers(turn)) end(turn);
        await approve(turn);
      }
      return undefined;
    };
    const worker: Script = (turn) => {
      write(turn.workspace, "worker.txt", "worker\n");
      return "done";
    };
    const { end: ended, entries, place, run: job } = await run({ lead, worker });
    expect(ended).toEqual({ kind: "ended", state: "DONE" });
    expect(told[0]).toMatch(/left unfinished in:\n {2}text\.txt\n/u);
    const releases = bodies(entries, "release").map(
      ({ thread, result }) => `${thread.slice(0, 5)} ${result}`,
    );
    expect(releases).toEqual([
      "state conflict",
      "state completed",
      "dispa merged",
      "job:" + job.id.slice(0, 1) + " dropped",
    ]);
    expect(git(place.top, "show", `cfa/${job.id}:text.txt`)).toBe("one\nboth\nthree");
    expect(git(place.top, "show", `cfa/${job.id}:worker.txt`)).toBe("worker");
  });

  const decisive = name === "merge" || name === "rebase";
  test.skipIf(!decisive)("keeps an approval out of reach as long as nobody resolves it", async () => {
    const { end: ended, entries } = await run({
      lead: (turn) => {
        if (turn.turn === 1) prepare(turn);
        return approve(turn);
      },
    });
    expect(ended).toEqual({ kind: "ended", state: "FAILURE" });
    expect(transitions(entries)).not.toContain("EXECUTE APPROVED_WORK DONE (skill)");
    expect(bodies(entries, "transition").at(-1)?.reason).toContain("unfinished in text.txt");
  });
});

test("markers of a conflict that the agent stages or commits in a later turn are still a conflict", async () => {
  const { end, entries } = await run({
    lead: (turn) => {
      if (turn.turn === 1) {
        mine(turn);
        attempt(turn, "merge", "feature");
      } else {
        git(turn.workspace, "add", "--all");
        attempt(turn, "commit", "--quiet", "--message", "as it stands");
      }
      return approve(turn);
    },
  });
  expect(end).toEqual({ kind: "ended", state: "FAILURE" });
  expect(bodies(entries, "transition").at(-1)?.reason).toContain("unfinished in text.txt");
});

test("an agent may give up what it began", async () => {
  const {
    end,
    place,
    run: job,
  } = await run({
    lead: (turn) => {
      if (turn.turn === 1) {
        mine(turn);
        attempt(turn, "merge", "feature");
      } else attempt(turn, "merge", "--abort");
      return approve(turn);
    },
  });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(git(place.top, "show", `cfa/${job.id}:text.txt`)).toBe("one\nmine\nthree");
});

test("a cherry-pick that is resolved, but not committed, is merged and closed as it stands", async () => {
  const {
    end,
    place,
    run: job,
  } = await run({
    lead: async (turn) => {
      if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
      mine(turn);
      attempt(turn, "cherry-pick", "feature~1");
      resolve(turn);
      await turn.close(turn.message.from?.thread ?? "");
      return approve(turn);
    },
    worker: (turn) => {
      write(turn.workspace, "worker.txt", "worker\n");
      return "done";
    },
  });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(git(place.top, "show", `cfa/${job.id}:text.txt`)).toBe("one\nboth\nthree");
});

describe.concurrent("a tree that its agent damages", () => {
  const damages: readonly (readonly [string, (turn: ScriptTurn, top: string) => void])[] = [
    ["by rm -rf", (turn) => rmSync(turn.workspace, { recursive: true })],
    ["by git worktree remove", (turn, top) => void git(top, "worktree", "remove", "--force", turn.workspace)],
    [
      "by removing .git and pruning",
      (turn, top) => {
        rmSync(join(turn.workspace, ".git"));
        git(top, "worktree", "prune", "--expire=now");
      },
    ],
    [
      "by garbage in its index",
      (turn) => write(git(turn.workspace, "rev-parse", "--absolute-git-dir"), "index", "garbage"),
    ],
    [
      "by garbage in its HEAD",
      (turn) => write(git(turn.workspace, "rev-parse", "--absolute-git-dir"), "HEAD", "garbage\n"),
    ],
    [
      "by rm -rf and the loss of its line's ref",
      (turn, top) => {
        const [name = "", , job = ""] = turn.workspace.split("/").toReversed();
        git(top, "update-ref", "-d", `refs/cfa/${job}/threads/${name}`);
        rmSync(turn.workspace, { recursive: true });
      },
    ],
  ];

  test.each(damages)("%s fails the turn and is put back to its last snapshot", async (_, damage) => {
    const place = makePlace();
    const found: string[] = [];
    const started = await startJob(
      { ...EXECUTE, limits: { retries: 1 } },
      {
        lead: async (turn) => {
          if (turn.turn === 1) {
            write(turn.workspace, "kept.txt", "kept\n");
            return void (await turn.send({ to: "worker", message: "go" }));
          }
          if (turn.turn === 2) {
            write(turn.workspace, "lost.txt", "lost\n");
            damage(turn, place.top);
            return "gone";
          }
          found.push(read(turn.workspace, "kept.txt"));
          if (turn.message.kind === "recovery") await turn.close("dispatch:1.1.1");
          return approve(turn);
        },
        worker: (turn) => {
          write(turn.workspace, "worker.txt", "worker\n");
          return "done";
        },
      },
      { place },
    );
    const { end, entries, run: job } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const failed = bodies(entries, "turn").filter(({ result }) => result === "failed");
    expect(failed.map(({ failure }) => failure)).toEqual([
      expect.stringMatching(/^the workspace of job:.*\.?$/u),
    ]);
    expect(found[0]).toBe("kept\n");
    for (const file of ["kept.txt", "worker.txt"]) git(place.top, "show", `cfa/${job.id}:${file}`);
  });

  test.each(damages.slice(1, 4))("%s in a child again and again ends the child alone", async (_, damage) => {
    const place = makePlace();
    const started = await startJob(
      { ...EXECUTE, limits: { retries: 1 } },
      {
        lead: async (turn) => {
          if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
          for (const { thread } of turn.children) await turn.close(thread);
          await turn.close("dispatch:1.1.1");
          return approve(turn);
        },
        worker: (turn) => {
          damage(turn, place.top);
          return "done";
        },
      },
      { place },
    );
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").filter(({ result }) => result === "failed")).toHaveLength(2);
  });

  const modes = ["branch", "merge", "pr-ready"] as const;
  test.each(modes)(
    "by the loss of every ref of the job fails the turn with a sentence, and nothing is lost under deliver: %s",
    async (deliver) => {
      const place = makePlace();
      const loseRefs = (turn: ScriptTurn) => {
        const job = turn.workspace.split("/").at(-3) ?? "";
        const listed = git(place.top, "for-each-ref", "--format=delete %(refname)", `refs/cfa/${job}`);
        const branch = `delete refs/heads/cfa/${job}`;
        for (const line of [...listed.split("\n"), branch]) git(place.top, "update-ref", "-d", line.slice(7));
      };
      const started = await startJob(
        { ...EXECUTE, deliver, limits: { retries: 4 } },
        {
          lead: async (turn) => {
            if (turn.turn === 1) {
              write(turn.workspace, "lead.txt", "lead\n");
              return void (await turn.send({ to: "worker", message: "go" }));
            }
            for (const { thread } of turn.children) await turn.close(thread);
            if (turn.turn === 3) loseRefs(turn);
            return turn.turn < 4 ? "not yet" : approve(turn);
          },
          worker: (turn) => {
            write(turn.workspace, "worker.txt", "worker\n");
            if (turn.turn === 1) loseRefs(turn);
            return "done";
          },
        },
        { place },
      );
      const { end, entries, run: job } = await finishAnywhere(started);
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      const failed = bodies(entries, "turn").filter(({ result }) => result === "failed");
      expect(failed.length).toBeGreaterThan(0);
      for (const { failure } of failed)
        expect(failure).toMatch(/^the line of \S+ has lost its ref: .* belongs to cfa, leave it alone\.$/u);
      const branch = deliver === "merge" ? "main" : `cfa/${job.id}`;
      for (const file of ["lead.txt", "worker.txt"]) git(place.top, "show", `${branch}:${file}`);
    },
  );

  test("of another thread is put back before it is merged, and before the other's next turn", async () => {
    const {
      end,
      place,
      run: job,
    } = await run({
      lead: async (turn) => {
        if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "go" }));
        const [work = ""] = git(turn.workspace, "worktree", "list", "--porcelain")
          .split("\n")
          .filter((line) => line.startsWith("worktree ") && line.includes("/1-1-1-"));
        const other = work.slice("worktree ".length);
        expect(existsSync(join(other, "worker.txt"))).toBe(true);
        rmSync(other, { recursive: true });
        await turn.close("dispatch:1.1.1");
        return approve(turn);
      },
      worker: (turn) => {
        write(turn.workspace, "worker.txt", "worker\n");
        return "done";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(git(place.top, "show", `cfa/${job.id}:worker.txt`)).toBe("worker");
  });
});
