/** Opening the job's tree, making children, work commits: what enters them and what they leave alone. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  gitIn,
  JOB,
  LEAD,
  opened,
  paths,
  readIn,
  repository,
  subjects,
  workspacesOf,
  writeIn,
} from "./repository.ts";

let repo: ReturnType<typeof repository>;
beforeEach(() => void (repo = repository()));
afterEach(() => {
  vi.unstubAllEnvs();
  repo.remove();
});

const CHILD = "dispatch:Write/the intro";

describe("the user's side", () => {
  test("branches, index, worktree, HEAD, config and hooks stay byte for byte", async () => {
    repo.write("text.txt", "edited, not committed\n");
    repo.write("staged.txt", "staged\n");
    repo.git("add", "staged.txt");
    repo.write("untracked.txt", "untracked\n");
    writeFileSync(join(repo.dir, ".git/hooks/post-checkout"), "#!/bin/sh\ntouch hooked\n", { mode: 0o755 });
    const watched = ["index", "HEAD", "config", "refs/heads/main", "hooks/post-checkout"];
    const look = (): readonly string[] => [
      ...watched.map((name) => readFileSync(join(repo.dir, ".git", name), "latin1")),
      repo.git("status", "--porcelain"),
    ];
    const before = look();
    const workspaces = await opened(repo);
    writeIn(workspaces.path(LEAD), "new.txt", "new\n");
    await workspaces.branch(CHILD, LEAD);
    writeIn(workspaces.path(CHILD), "more.txt", "more\n");
    await workspaces.merge(CHILD, LEAD);
    expect(repo.git("branch", "--format=%(refname:short)").split("\n")).toEqual([`cfa/${JOB}`, "main"]);
    await workspaces.deliver("branch", "");
    expect(look()).toEqual(before);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(existsSync(join(repo.dir, "hooked"))).toBe(false);
  });

  test("no configuration of the user or the environment interferes", async () => {
    vi.stubEnv("HOME", undefined);
    vi.stubEnv("GIT_DIR", "/nowhere");
    vi.stubEnv("GIT_INDEX_FILE", "/nowhere");
    const settings = {
      "commit.gpgSign": "true",
      "merge.ff": "only",
      "merge.verifySignatures": "true",
      "core.safecrlf": "true",
      "core.autocrlf": "input",
      "user.useConfigOnly": "true",
      "status.relativePaths": "true",
      "status.showUntrackedFiles": "no",
    };
    for (const [name, value] of Object.entries(settings)) repo.git("config", name, value);
    const workspaces = await opened(repo);
    await workspaces.branch(CHILD, LEAD);
    writeIn(workspaces.path(CHILD), "dos.txt", "a\r\nb\n");
    expect(await workspaces.merge(CHILD, LEAD)).toMatchObject({ result: "merged" });
    const who = gitIn(workspaces.path(LEAD), "log", "-1", "--format=%an <%ae> %cn <%ce>");
    expect(who).toBe("cfa <cfa@localhost> cfa <cfa@localhost>");
  });
});

describe("open", () => {
  test("makes the tree on its branch with seeds that no commit holds, and confirms it when called again", async () => {
    const workspaces = await workspacesOf(repo);
    const seeds = [{ path: "PLAN.md", bytes: "Plän\n" }];
    expect(await workspaces.open(repo.base, seeds)).toEqual({ commit: repo.base });
    writeIn(workspaces.path(LEAD), "PLAN.md", "changed\n");
    expect(await (await workspacesOf(repo)).open(repo.base, seeds)).toEqual({ commit: repo.base });
    expect(readIn(workspaces.path(LEAD), "PLAN.md")).toBe("changed\n");
    expect(gitIn(workspaces.path(LEAD), "status", "--porcelain", "--branch")).toBe(
      `## cfa/${JOB}\n?? PLAN.md`,
    );
  });

  test("refuses a branch that holds the work of an earlier run", async () => {
    const workspaces = await opened(repo);
    writeIn(workspaces.path(LEAD), "new.txt", "new\n");
    await workspaces.deliver("branch", "");
    await expect((await workspacesOf(repo)).open(repo.base, [])).rejects.toThrow(
      "holds the work of an earlier run",
    );
  });

  test("starts from any commit, also when the user is in a linked worktree with a detached HEAD", async () => {
    repo.git("worktree", "add", "--quiet", "--detach", "../linked");
    const linked = { ...repo, dir: join(repo.dir, "../linked") };
    const workspaces = await workspacesOf(linked);
    expect(await workspaces.open("HEAD", [])).toEqual({ commit: repo.base });
    expect(workspaces.path(LEAD).startsWith(join(linked.dir, ".cfa/jobs", JOB, "work"))).toBe(true);
    await workspaces.drop(LEAD);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(2);
  });
});

describe("branch", () => {
  test("a child starts with the parent's work and artifacts, without its status, outcome or ignored files", async () => {
    const workspaces = await opened(repo);
    const lead = workspaces.path(LEAD);
    writeIn(lead, "new file\nwith 'all' \"of it\" ünd.txt", "new\n");
    writeIn(lead, "PLAN.md", "the plan\n");
    writeIn(lead, "trace.log", "ignored\n");
    writeIn(lead, ".cfa/outcome.json", "{}");
    writeIn(lead, ".sortie/status", "blocked");
    const branched = await workspaces.branch(CHILD, LEAD);
    const child = workspaces.path(CHILD);
    expect(readdirSync(child).toSorted()).toEqual(
      [
        ".git",
        ".gitignore",
        "PLAN.md",
        "image.bin",
        "new file\nwith 'all' \"of it\" ünd.txt",
        "text.txt",
      ].toSorted(),
    );
    expect(branched).toEqual({ commit: gitIn(child, "rev-parse", "HEAD") });
    expect(gitIn(child, "status", "--porcelain")).toBe("?? PLAN.md");
    expect(subjects(child, `${repo.base}..HEAD`)).toEqual([`Work of ${LEAD}`]);
  });

  test("names of trees are short, safe and never the same", async () => {
    const workspaces = await workspacesOf(repo);
    const threads = [
      LEAD,
      "dispatch:a/b",
      "dispatch:a-b",
      "dispatch:A-B",
      `dispatch:${"x".repeat(300)}`,
      "dispatch:ü/../..",
      "dispatch:",
    ];
    const names = threads.map((thread) => workspaces.path(thread).split("/").at(-1) ?? "");
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(threads.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]{1,40}$/);
  });

  test("a place that git still knows under another name is made anew", async () => {
    const workspaces = await opened(repo);
    const place = workspaces.path(CHILD);
    // Another worktree has the name that git would give; then the folder of the tree goes.
    const taken = join(repo.dir, ".cfa", "taken", basename(place));
    repo.git("worktree", "add", "--quiet", "--detach", taken);
    repo.git("worktree", "add", "--quiet", "--detach", place);
    repo.git("worktree", "remove", taken);
    rmSync(place, { recursive: true });
    await workspaces.branch(CHILD, LEAD);
    expect(readIn(place, "text.txt")).toBe("one\ntwo\nthree\n");
    expect(
      readdirSync(join(repo.dir, ".git/worktrees")).filter((name) => name.startsWith(basename(place))),
    ).toEqual([basename(place)]);
  });

  test("done again it confirms; from a half-made tree it starts anew", async () => {
    const workspaces = await opened(repo);
    const first = await workspaces.branch(CHILD, LEAD);
    writeIn(workspaces.path(CHILD), "begun.txt", "begun\n");
    expect(await (await workspacesOf(repo)).branch(CHILD, LEAD)).toEqual(first);
    expect(readIn(workspaces.path(CHILD), "begun.txt")).toBe("begun\n");

    const admin = gitIn(workspaces.path(CHILD), "rev-parse", "--absolute-git-dir");
    const damages: readonly (() => void)[] = [
      () => rmSync(join(admin, "cfa-ready")),
      () => rmSync(workspaces.path(CHILD), { recursive: true }),
      () => (rmSync(join(admin, "gitdir")), rmSync(workspaces.path(CHILD), { recursive: true })),
      () => (rmSync(admin, { recursive: true }), writeIn(workspaces.path(CHILD), "junk", "")),
    ];
    for (const damage of damages) {
      damage();
      expect(await (await workspacesOf(repo)).branch(CHILD, LEAD)).toEqual(first);
      expect(readdirSync(workspaces.path(CHILD)).toSorted()).toEqual([
        ".git",
        ".gitignore",
        "image.bin",
        "text.txt",
      ]);
      expect(repo.git("worktree", "list").split("\n")).toHaveLength(3);
    }
  });

  test("is not misled by what the agent does to its tree's .git file", async () => {
    const workspaces = await opened(repo);
    writeIn(workspaces.path(LEAD), ".git", `gitdir: ${join(repo.dir, ".git")}\n`);
    writeIn(workspaces.path(LEAD), "new.txt", "new\n");
    await workspaces.branch(CHILD, LEAD);
    expect(repo.git("rev-parse", "HEAD")).toBe(repo.base);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(readIn(workspaces.path(CHILD), "new.txt")).toBe("new\n");
  });
});

describe("the work commit", () => {
  test("keeps the agent's commits, without artifacts, messages and authors as they were", async () => {
    const workspaces = await opened(repo);
    const lead = workspaces.path(LEAD);
    writeIn(lead, "PLAN.md", "plan\n");
    writeIn(lead, "a.txt", "a\n");
    gitIn(lead, "add", "--all");
    gitIn(lead, "commit", "--quiet", "--author=Ägent <a@b>", "--message=First: plan and a\n\nWith body");
    writeIn(lead, "b.txt", "b\n");
    gitIn(lead, "add", "--all");
    gitIn(lead, "commit", "--quiet", "--message=Second: b");
    const branched = await workspaces.branch(CHILD, LEAD);
    expect(branched).toEqual({ commit: repo.git("rev-parse", `cfa/${JOB}`) });
    expect(repo.git("log", "--format=%an|%B", `${repo.base}..cfa/${JOB}`)).toBe(
      "User|Second: b\n\nÄgent|First: plan and a\n\nWith body",
    );
    expect(repo.git("log", "--format=%h", `cfa/${JOB}`, "--", "PLAN.md")).toBe("");
    expect(gitIn(lead, "status", "--porcelain")).toBe("?? PLAN.md");
    expect(readIn(workspaces.path(CHILD), "PLAN.md")).toBe("plan\n");
  });

  const strays: readonly (readonly [string, (dir: string) => void])[] = [
    ["amends", (dir) => gitIn(dir, "commit", "--quiet", "--amend", "--message=amended")],
    ["resets", (dir) => gitIn(dir, "reset", "--quiet", "--soft", "HEAD~1")],
    ["checks out a branch of its own", (dir) => gitIn(dir, "checkout", "--quiet", "-b", "mine")],
    ["begins an orphan", (dir) => gitIn(dir, "checkout", "--quiet", "--orphan", "nothing")],
    ["stages the artifact", (dir) => gitIn(dir, "add", "--force", "PLAN.md")],
  ];
  test.each(strays)("the line only grows when the agent %s", async (_, stray) => {
    const workspaces = await opened(repo);
    const lead = workspaces.path(LEAD);
    writeIn(lead, "first.txt", "first\n");
    writeIn(lead, "PLAN.md", "plan\n");
    const first = await workspaces.branch(CHILD, LEAD);
    stray(lead);
    writeIn(lead, "second.txt", "second\n");
    const second = await workspaces.branch("dispatch:2", LEAD);
    if (!("commit" in first) || !("commit" in second)) throw new Error("refused");
    expect(subjects(repo.dir, `${repo.base}..cfa/${JOB}`)).toEqual([`Work of ${LEAD}`, `Work of ${LEAD}`]);
    expect(repo.git("rev-parse", `cfa/${JOB}~1`)).toBe(first.commit);
    expect(gitIn(lead, "symbolic-ref", "HEAD")).toBe(`refs/heads/cfa/${JOB}`);
    expect(paths(repo.dir, second.commit)).toEqual([
      ".gitignore",
      "first.txt",
      "image.bin",
      "second.txt",
      "text.txt",
    ]);
    expect(gitIn(lead, "status", "--porcelain")).toBe("?? PLAN.md");
  });

  test("takes deletions, mode changes and files that became directories; leaves out repositories inside the tree", async () => {
    const workspaces = await opened(repo);
    const lead = workspaces.path(LEAD);
    rmSync(join(lead, "text.txt"));
    writeIn(lead, "text.txt/inner.txt", "inner\n");
    rmSync(join(lead, "image.bin"));
    mkdirSync(join(lead, "cloned"));
    gitIn(join(lead, "cloned"), "init", "--quiet");
    writeIn(lead, "cloned/x.txt", "x\n");
    const branched = await workspaces.branch(CHILD, LEAD);
    expect("commit" in branched && paths(repo.dir, branched.commit)).toEqual([
      ".gitignore",
      "text.txt/inner.txt",
    ]);
  });

  test("a lock that a killed git left does not matter", async () => {
    const workspaces = await opened(repo);
    const admin = gitIn(workspaces.path(LEAD), "rev-parse", "--absolute-git-dir");
    writeFileSync(join(admin, "index.lock"), "");
    writeIn(workspaces.path(LEAD), "new.txt", "new\n");
    expect(await workspaces.branch(CHILD, LEAD)).toHaveProperty("commit");
  });
});
