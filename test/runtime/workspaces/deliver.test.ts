/** Handing over a job's result. */
import { existsSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../src/runtime/workspaces/port.ts";
import { JOB, LEAD, paths, repository, subjects, workspacesOf, writeIn } from "./repository.ts";

let repo: ReturnType<typeof repository>;
let workspaces: Workspaces;
beforeEach(async () => {
  repo = repository();
  workspaces = await workspacesOf(repo, { target: "main" });
  await workspaces.open(repo.base, []);
  await workspaces.branch("dispatch:a", LEAD);
  writeIn(workspaces.path("dispatch:a"), "a.txt", "a\n");
  await workspaces.merge("dispatch:a", LEAD);
  writeIn(workspaces.path(LEAD), "notes.md", "notes\n");
  writeIn(workspaces.path(LEAD), "PLAN.md", "plan\n");
});
afterEach(() => repo.remove());

const again = async (): Promise<Workspaces> => workspacesOf(repo, { target: "main" });
const result = [".gitignore", "a.txt", "image.bin", "notes.md", "text.txt"];

test("branch: the line stays on cfa/<job>, without artifacts; the worktree goes; done again it confirms", async () => {
  const delivery = await workspaces.deliver("branch", "unused");
  expect(delivery).toEqual({ branch: `cfa/${JOB}`, commit: repo.git("rev-parse", `cfa/${JOB}`) });
  expect(paths(repo.dir, delivery.commit)).toEqual(result);
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(repo.git("rev-parse", "main")).toBe(repo.base);
  expect(await (await again()).deliver("branch", "unused")).toEqual(delivery);
  const ended = repo.git("for-each-ref", "--format=%(refname)", `refs/cfa/${JOB}/ended/job-*`);
  expect(repo.git("show", `${ended}:PLAN.md`)).toBe("plan");
});

test("pr-ready: one commit on top of the base with the message; done again it confirms", async () => {
  const delivery = await workspaces.deliver("pr-ready", "Add notes\n\nAll of them.");
  expect(repo.git("log", "--format=%B", `${repo.base}..cfa/${JOB}`)).toBe("Add notes\n\nAll of them.");
  expect(repo.git("log", "-1", "--format=%P", delivery.commit)).toBe(repo.base);
  expect(paths(repo.dir, delivery.commit)).toEqual(result);
  expect(await (await again()).deliver("pr-ready", "Add notes\n\nAll of them.")).toEqual(delivery);
});

describe("merge", () => {
  const merge = (): Promise<unknown> => workspaces.deliver("merge", "Deliver notes");

  test("into the clean worktree that has the branch: fast-forward, files included", async () => {
    const delivery = await workspaces.deliver("merge", "Deliver notes");
    expect(delivery).toEqual({ branch: "main", commit: repo.git("rev-parse", "main") });
    expect(repo.read("notes.md")).toBe("notes\n");
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(repo.git("branch", "--format=%(refname:short)")).toBe("main");
    expect(await (await again()).deliver("merge", "Deliver notes")).toEqual(delivery);
  });

  test("into a branch that has moved: a merge commit with the message", async () => {
    repo.write("user.txt", "user\n");
    const moved = repo.commit("user");
    await merge();
    expect(subjects(repo.dir, "--first-parent")[0] ?? "").toBe("Deliver notes");
    expect(repo.git("rev-parse", "main^1")).toBe(moved);
    expect(paths(repo.dir, "main")).toEqual([...result, "user.txt"]);
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  test("into a branch that is checked out nowhere: no worktree is touched", async () => {
    repo.git("checkout", "--quiet", "--detach");
    repo.write("dirty.txt", "dirty\n");
    await merge();
    expect(paths(repo.dir, "main")).toEqual(result);
    expect(repo.git("rev-parse", "HEAD")).toBe(repo.base);
    expect(repo.git("status", "--porcelain")).toBe("?? dirty.txt");
  });

  describe("after a kill within it", () => {
    const touch = (file: string): void => writeIn(dirname(file), basename(file), "");
    const lock = (): string => join(repo.dir, ".git", "index.lock");
    const note = (): string => join(repo.dir, ".cfa", "jobs", JOB, "files", "merging-into-branch");

    test("goes on over the lock that its git has left", async () => {
      touch(note());
      touch(lock());
      expect(await merge()).toEqual({ branch: "main", commit: repo.git("rev-parse", "main") });
      expect(repo.read("notes.md")).toBe("notes\n");
      expect([existsSync(lock()), existsSync(note())]).toEqual([false, false]);
    });

    test("leaves a lock that is older than its merge, and says which", async () => {
      touch(lock());
      utimesSync(lock(), 1, 1);
      touch(note());
      expect(await merge()).toMatchObject({
        branch: `cfa/${JOB}`,
        problem: expect.stringMatching(/index\.lock.*git merge cfa/s),
      });
      expect(existsSync(lock())).toBe(true);
    });

    test("leaves a lock of somebody else when there was no merge of ours", async () => {
      touch(lock());
      expect(await merge()).toMatchObject({ problem: expect.stringContaining("index.lock") });
      expect(existsSync(lock())).toBe(true);
    });

    test("says what to do about files that it has brought half-way", async () => {
      touch(note());
      repo.write("text.txt", "half\n");
      expect(await merge()).toMatchObject({ problem: expect.stringContaining('"git reset --hard"') });
      expect(repo.read("text.txt")).toBe("half\n");
    });
  });

  const refusals: readonly (readonly [string, () => void, RegExp])[] = [
    [
      "a dirty worktree",
      () => repo.write("text.txt", "dirty\n"),
      /main checked out with uncommitted changes/,
    ],
    [
      "an untracked file in the way",
      () => repo.write("notes.md", "mine\n"),
      /git cannot bring .* untracked/s,
    ],
    [
      "an ignored file in the way",
      () => {
        repo.write(".gitignore", `${repo.read(".gitignore")}notes.md\n`);
        repo.commit("ignore");
        repo.write("notes.md", "mine\n");
      },
      /git cannot bring .* untracked/s,
    ],
    [
      "a conflict",
      () => (repo.write("notes.md", "mine\n"), void repo.commit("mine")),
      /have both changed notes.md/,
    ],
    ["a vanished branch", () => void repo.git("branch", "-m", "main", "other"), /the branch main is gone/],
  ];
  test.each(refusals)(
    "that meets %s leaves the result on the branch cfa/<job> and says why",
    async (_, arrange, sentence) => {
      arrange();
      const state = (): string =>
        repo.git("for-each-ref", "refs/heads/main", "refs/heads/other") +
        repo.git("status", "--porcelain") +
        (existsSync(join(repo.dir, "notes.md")) ? repo.read("notes.md") : "no notes");
      const before = state();
      expect(await merge()).toEqual({
        branch: `cfa/${JOB}`,
        commit: repo.git("rev-parse", `cfa/${JOB}`),
        problem: expect.stringMatching(sentence),
      });
      expect(state()).toBe(before);
      expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
      expect(paths(repo.dir, `cfa/${JOB}`)).toEqual(result);
    },
  );

  test("of a job that began at no branch leaves it on its own and says why", async () => {
    const delivery = await (await workspacesOf(repo)).deliver("merge", "");
    expect(delivery).toMatchObject({
      branch: `cfa/${JOB}`,
      problem: expect.stringContaining("began at no branch"),
    });
  });

  test("of a tree that holds a conflict leaves the work before it on the branch of the job and says why", async () => {
    await workspaces.branch("dispatch:b", LEAD);
    writeIn(workspaces.path("dispatch:b"), "text.txt", "b\n");
    writeIn(workspaces.path(LEAD), "text.txt", "lead\n");
    await workspaces.merge("dispatch:b", LEAD);
    const delivery = await workspaces.deliver("merge", "");
    expect(delivery).toMatchObject({
      branch: `cfa/${JOB}`,
      problem: expect.stringContaining("unfinished merge"),
    });
    expect(repo.git("show", `${delivery.commit}:text.txt`)).toBe("lead");
  });
});

describe("the last look", () => {
  test("finds a merge that the log names and the work lacks: it stays on the branch of the job, with a sentence", async () => {
    const stray = repo.git("commit-tree", "-p", repo.base, "-m", "stray", `${repo.base}^{tree}`);
    const more = { merges: [stray] };
    expect(await workspaces.deliver("merge", "Deliver notes", more)).toEqual({
      branch: `cfa/${JOB}`,
      commit: repo.git("rev-parse", `cfa/${JOB}`),
      problem: expect.stringMatching(/^[0-9a-f]{12} lacks a merge that the log names: [0-9a-f]{40}\.$/u),
    });
    expect(repo.git("rev-parse", "main")).toBe(repo.base);
  });

  test("finds content that is not what the workspace held, and names the file", async () => {
    // A filter that writes something else each time: work commit and last state cannot agree.
    repo.git("config", "filter.clock.clean", "date +%s%N");
    writeIn(workspaces.path(LEAD), ".gitattributes", "*.time filter=clock\n");
    writeIn(workspaces.path(LEAD), "now.time", "now\n");
    const { problem, branch } = await workspaces.deliver("pr-ready", "message");
    expect(problem).toMatch(
      /^[0-9a-f]{12} is not what the workspace held: it differs in "now\.time", all of it is in [0-9a-f]{12}\.$/u,
    );
    expect(branch).toBe(`cfa/${JOB}`);
  });
});
