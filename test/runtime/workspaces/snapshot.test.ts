/** Snapshots, and trees put back to them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Snapshot, Workspaces } from "../../../src/runtime/workspaces/port.ts";
import { gitIn, JOB, LEAD, opened, paths, readIn, repository, workspacesOf, writeIn } from "./repository.ts";

let repo: ReturnType<typeof repository>;
let workspaces: Workspaces;
let lead: string;
beforeEach(async () => {
  repo = repository();
  workspaces = await opened(repo);
  lead = workspaces.path(LEAD);
});
afterEach(() => repo.remove());

const A = "dispatch:a";
const snap = (label: string, tree = LEAD): Promise<Snapshot> =>
  workspaces.exclusive(tree, () => workspaces.snapshot(tree, label));

describe("a snapshot", () => {
  test("holds everything but ignored files, artifacts included, and touches nothing", async () => {
    writeIn(lead, ".gitignore", "*.log\nPLAN.md\n");
    writeIn(lead, "PLAN.md", "plan\n");
    writeIn(lead, "trace.log", "ignored\n");
    writeIn(lead, ".cfa/outcome.json", "{}");
    writeIn(lead, ".sortie/status", "blocked");
    writeIn(lead, "a \"b\"\n'ü'.txt", "new\n");
    symlinkSync("text.txt", join(lead, "link"));
    rmSync(join(lead, "image.bin"));
    execFileSync("mkfifo", [join(lead, "pipe")]);
    const admin = gitIn(lead, "rev-parse", "--absolute-git-dir");
    const before = [readFileSync(join(admin, "index"), "latin1"), gitIn(lead, "rev-parse", "HEAD")];
    const { commit, changed } = await snap("turn:1");
    expect(changed).toBe(true);
    expect(paths(repo.dir, commit)).toEqual([
      ".gitignore",
      "PLAN.md",
      "a \"b\"\n'ü'.txt",
      "link",
      "text.txt",
    ]);
    expect([readFileSync(join(admin, "index"), "latin1"), gitIn(lead, "rev-parse", "HEAD")]).toEqual(before);
    expect(repo.git("for-each-ref", "--format=%(objectname)", `refs/cfa/${JOB}/snapshots`)).toBe(commit);
  });

  test("is the one before when nothing has changed, also for a new process", async () => {
    expect(await snap("1")).toMatchObject({ changed: true });
    writeIn(lead, "new.txt", "new\n");
    const second = await snap("2");
    expect(second.changed).toBe(true);
    workspaces = await workspacesOf(repo);
    expect(await snap("3")).toEqual({ commit: second.commit, changed: false, left: [] });
    rmSync(join(lead, "new.txt"));
    expect(await snap("4")).toMatchObject({ changed: true });
  });

  test("leaves out what git cannot record, and goes on with the rest", async () => {
    rmSync(join(lead, "image.bin"));
    execFileSync("mkfifo", [join(lead, "image.bin")]);
    symlinkSync("/etc", join(lead, "docs"));
    mkdirSync(join(lead, "clone"));
    gitIn(join(lead, "clone"), "init", "--quiet");
    writeIn(lead, "new.txt", "new\n");
    const { commit } = await snap("1");
    expect(paths(repo.dir, commit)).toEqual([".gitignore", "docs", "image.bin", "new.txt", "text.txt"]);
  });

  test("can be taken of a tree in conflict, staged files and a name that is not UTF-8 included", async () => {
    await workspaces.branch(A, LEAD);
    writeIn(workspaces.path(A), "text.txt", "child\n");
    writeIn(lead, "text.txt", "lead\n");
    await workspaces.merge(A, LEAD);
    execFileSync("sh", ["-c", "printf x > \"$(printf 'b\\377d')\""], { cwd: lead });
    const { commit } = await snap("conflict");
    expect(repo.git("show", `${commit}:text.txt`)).toContain("<<<<<<<");
    expect(repo.git("ls-tree", "--name-only", commit)).toContain('"b\\377d"');
    expect(gitIn(lead, "ls-files", "--unmerged")).not.toBe("");
  });
});

describe("restore", () => {
  test("puts back tracked, untracked and artifact files and HEAD; keeps what was lost; ignored files stay", async () => {
    writeIn(lead, "text.txt", "edited\n");
    writeIn(lead, "new.txt", "new\n");
    writeIn(lead, "PLAN.md", "plan\n");
    writeIn(lead, "trace.log", "ignored\n");
    const { commit } = await snap("1");
    writeIn(lead, "text.txt", "lost\n");
    writeIn(lead, "more.txt", "lost\n");
    writeIn(lead, "PLAN.md", "lost\n");
    rmSync(join(lead, "new.txt"));
    gitIn(lead, "add", "text.txt");
    gitIn(lead, "commit", "--quiet", "--message=lost");
    const { kept } = await workspaces.restore(LEAD, commit, "turn 2");
    expect(["text.txt", "new.txt", "PLAN.md", "trace.log"].map((path) => readIn(lead, path))).toEqual([
      "edited\n",
      "new\n",
      "plan\n",
      "ignored\n",
    ]);
    expect(existsSync(join(lead, "more.txt"))).toBe(false);
    expect(gitIn(lead, "rev-parse", "HEAD")).toBe(repo.base);
    expect(gitIn(lead, "symbolic-ref", "HEAD")).toBe(`refs/heads/cfa/${JOB}`);
    expect(repo.git("show", `${kept}:text.txt`, `${kept}:more.txt`, `${kept}:PLAN.md`)).toBe(
      "lost\nlost\nlost",
    );
    expect(await workspaces.restore(LEAD, commit, "turn 2")).toEqual({ kept });
    expect(repo.git("show", `${kept}:more.txt`)).toBe("lost");
    expect(await workspaces.restore(LEAD, commit, "another")).toEqual({ kept: undefined });
    expect((await snap("2")).commit).toBe(commit);
  });

  test("goes back to a merge commit with the artifacts of that time, and to the beginning", async () => {
    await workspaces.branch(A, LEAD);
    writeIn(workspaces.path(A), "a.txt", "a\n");
    writeIn(lead, "PLAN.md", "plan\n");
    const merged = await workspaces.merge(A, LEAD);
    if (merged.result !== "merged") throw new Error("conflict");
    writeIn(lead, "PLAN.md", "lost\n");
    writeIn(lead, "a.txt", "lost\n");
    await workspaces.restore(LEAD, merged.merge, "1");
    expect([readIn(lead, "PLAN.md"), readIn(lead, "a.txt")]).toEqual(["plan\n", "a\n"]);
    await workspaces.restore(LEAD, null, "2");
    expect([existsSync(join(lead, "PLAN.md")), existsSync(join(lead, "a.txt"))]).toEqual([false, false]);
    expect(repo.git("rev-parse", `cfa/${JOB}`)).toBe(repo.base);
  });

  test("an unlogged merge is undone, and can be made again", async () => {
    await workspaces.branch(A, LEAD);
    writeIn(workspaces.path(A), "a.txt", "a\n");
    const { commit } = await snap("1");
    await workspaces.merge(A, LEAD);
    await workspaces.restore(LEAD, commit, "1");
    expect(existsSync(join(lead, "a.txt"))).toBe(false);
    expect(await workspaces.merge(A, LEAD)).toMatchObject({ result: "merged" });
    expect(readIn(lead, "a.txt")).toBe("a\n");
  });

  test("a work commit of the snapshot's content stays: children stand on it", async () => {
    writeIn(lead, "new.txt", "new\n");
    const { commit } = await snap("1");
    const branched = await workspaces.branch(A, LEAD);
    writeIn(lead, "new.txt", "lost\n");
    await workspaces.restore(LEAD, commit, "1");
    expect(branched).toEqual({ commit: repo.git("rev-parse", `cfa/${JOB}`) });
    expect(gitIn(lead, "status", "--porcelain")).toBe("");
  });

  describe("with a conflict", () => {
    let before: Snapshot;
    beforeEach(async () => {
      await workspaces.branch(A, LEAD);
      writeIn(workspaces.path(A), "text.txt", "child\n");
      writeIn(workspaces.path(A), "image.bin", Buffer.from([0, 5]));
      writeIn(lead, "text.txt", "lead\n");
      writeIn(lead, "image.bin", Buffer.from([0, 6]));
      before = await snap("1");
      await workspaces.merge(A, LEAD);
    });

    const losses: readonly (readonly [string, () => Promise<void>])[] = [
      ["edits", async () => writeIn(lead, "text.txt", "half\n")],
      [
        "a completed merge",
        async () => {
          writeIn(lead, "text.txt", "both\n");
          writeIn(lead, "image.bin", Buffer.from([0, 7]));
          expect(await workspaces.complete(LEAD)).toHaveProperty("merge");
        },
      ],
      ["a merge thrown away", async () => void gitIn(lead, "merge", "--abort")],
      ["the whole worktree", async () => rmSync(lead, { recursive: true })],
    ];
    test.each(losses.slice(0, 3))(
      "that began after the snapshot holds again when the turn lost %s",
      async (_, lose) => {
        await lose();
        await workspaces.restore(LEAD, before.commit, "2");
        expect(readIn(lead, "text.txt")).toContain("<<<<<<<");
        expect(await workspaces.complete(LEAD)).toMatchObject({ unmerged: ["image.bin", "text.txt"] });
      },
    );

    test.each(losses)(
      "half resolved in the snapshot goes on where it was when the turn lost %s",
      async (_, lose) => {
        writeIn(lead, "text.txt", "resolved\n");
        writeIn(lead, "besides.txt", "besides\n");
        const half = await snap("2");
        await lose();
        workspaces = await workspacesOf(repo);
        await workspaces.restore(LEAD, half.commit, "3");
        expect([readIn(lead, "text.txt"), readIn(lead, "besides.txt")]).toEqual(["resolved\n", "besides\n"]);
        expect(await workspaces.complete(LEAD)).toMatchObject({ unmerged: ["image.bin"] });
        await workspaces.resolve(LEAD, "image.bin");
        expect(await workspaces.complete(LEAD)).toHaveProperty("merge");
      },
    );
  });
});

describe("the end of trees", () => {
  test("drop keeps the last state on a ref and leaves no worktree", async () => {
    await workspaces.branch(A, LEAD);
    writeIn(workspaces.path(A), "a.txt", "a\n");
    writeIn(workspaces.path(A), "PLAN.md", "plan\n");
    const { ref } = await workspaces.drop(A);
    expect(repo.git("show", `${ref}:a.txt`, `${ref}:PLAN.md`)).toBe("a\nplan");
    expect(await workspaces.drop(A)).toEqual({ ref });
    expect(await workspaces.drop("dispatch:never")).toEqual({ ref: null });
    await workspaces.drop(LEAD);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(repo.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  test("reconcile removes what no live thread names, locks and half-made trees, and leaves the user's worktrees", async () => {
    repo.git("worktree", "add", "--quiet", "--detach", "../users");
    rmSync(join(repo.dir, "../users"), { recursive: true });
    for (const thread of [A, "dispatch:dead", "dispatch:half"]) await workspaces.branch(thread, LEAD);
    writeIn(workspaces.path("dispatch:dead"), "x.txt", "x\n");
    rmSync(join(gitIn(workspaces.path("dispatch:half"), "rev-parse", "--absolute-git-dir"), "cfa-ready"));
    writeIn(join(repo.dir, `.cfa/jobs/${JOB}/work`), "stray/file", "");
    const lock = join(gitIn(workspaces.path(A), "rev-parse", "--absolute-git-dir"), "index.lock");
    writeIn(lock, "../index.lock", "");
    await (await workspacesOf(repo)).reconcile([LEAD, A, "dispatch:half"]);
    expect(existsSync(lock)).toBe(false);
    const left = repo.git("worktree", "list", "--porcelain").match(/^worktree .*$/gm);
    expect(left).toHaveLength(4);
    expect(
      [A, "dispatch:dead", "dispatch:half"].map((thread) => existsSync(workspaces.path(thread))),
    ).toEqual([true, false, false]);
    expect(existsSync(join(repo.dir, `.cfa/jobs/${JOB}/work/stray`))).toBe(false);
    expect(repo.git("for-each-ref", `refs/cfa/${JOB}/ended`)).toContain("dead");
  });
});
