import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  ensureStateDirectory,
  inspectRepository,
  resolveCommit,
  trackedArtifacts,
} from "../../../src/runtime/workspaces/repository.ts";
import { emptyRepository, gitIn, repository } from "./repository.ts";

let repo: ReturnType<typeof repository>;
beforeEach(() => void (repo = repository()));
afterEach(() => {
  vi.unstubAllEnvs();
  repo.remove();
});

describe("inspectRepository", () => {
  test("says what is checked out", async () => {
    const clean = {
      top: repo.dir,
      head: repo.base,
      branch: "main",
      dirty: false,
      shallow: false,
      linked: false,
    };
    expect(await inspectRepository(repo.dir)).toEqual(clean);
    mkdirSync(join(repo.dir, "deep"));
    expect(await inspectRepository(join(repo.dir, "deep"))).toEqual(clean);
    repo.write("deep/new.txt", "new");
    expect(await inspectRepository(repo.dir)).toEqual({ ...clean, dirty: true });
    rmSync(join(repo.dir, "deep"), { recursive: true });
    repo.git("checkout", "--quiet", "--detach");
    expect(await inspectRepository(repo.dir)).toEqual({ ...clean, branch: null });
  });

  test("knows linked worktrees and shallow clones", async () => {
    repo.git("worktree", "add", "--quiet", "../linked", "-b", "side");
    expect(await inspectRepository(join(repo.dir, "../linked"))).toMatchObject({
      linked: true,
      branch: "side",
    });
    repo.commit("second");
    repo.git("clone", "--quiet", "--depth=1", `file://${repo.dir}`, "../shallow");
    expect(await inspectRepository(join(repo.dir, "../shallow"))).toMatchObject({
      shallow: true,
      linked: false,
    });
  });

  test("works without HOME", async () => {
    vi.stubEnv("HOME", undefined);
    expect(await inspectRepository(repo.dir)).toMatchObject({ head: repo.base });
  });

  const gits: readonly (readonly [string, RegExp])[] = [
    [
      "git version 2.37.9",
      /needs git 2\.38 or later, and the one on the PATH is "git version 2\.37\.9": install/,
    ],
    ["git version 1.99.0", /needs git 2\.38/],
    ["", /needs git 2\.38/],
  ];
  test.each(gits)("refuses a git that says %j", async (said, sentence) => {
    const bin = mkdtempSync(join(tmpdir(), "cfa-git-"));
    writeFileSync(join(bin, "git"), `#!/bin/sh\necho '${said}'\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"] ?? ""}`);
    expect(await inspectRepository(repo.dir)).toEqual({ refused: expect.stringMatching(sentence) });
    vi.unstubAllEnvs();
    rmSync(bin, { recursive: true });
  });

  test("says so when there is no git", async () => {
    vi.stubEnv("PATH", "/nowhere");
    expect(await inspectRepository(repo.dir)).toEqual({ refused: expect.stringMatching(/leads to none/) });
  });

  const refusals: readonly (readonly [string, (dir: string) => string, RegExp])[] = [
    ["no directory", (dir) => join(dir, "none"), /does not exist: name the directory/],
    [
      "a bare repository",
      (dir) => (gitIn(dir, "init", "--bare", "bare"), join(dir, "bare")),
      /is a bare repository: name a worktree/,
    ],
    ["a branch named cfa", (dir) => (gitIn(dir, "branch", "cfa"), dir), /has a branch named cfa.*rename it/],
  ];
  test.each(refusals)("refuses %s", async (_, arrange, sentence) => {
    expect(await inspectRepository(arrange(repo.dir))).toEqual({ refused: expect.stringMatching(sentence) });
  });

  test("refuses a directory outside any repository, and a repository without a commit", async () => {
    const outside = mkdtempSync(join(tmpdir(), "cfa-outside-"));
    const empty = emptyRepository();
    expect(await inspectRepository(outside)).toEqual({
      refused: expect.stringContaining("not in a git repository"),
    });
    expect(await inspectRepository(empty.dir)).toEqual({
      refused: expect.stringContaining("has no commit yet"),
    });
    rmSync(outside, { recursive: true });
    empty.remove();
  });
});

test("resolveCommit finds tags and branches, and nothing for what is none", async () => {
  repo.git("tag", "-a", "v1", "-m", "v1");
  for (const name of ["HEAD", "main", "v1", repo.base.slice(0, 8)])
    expect(await resolveCommit(repo.dir, name)).toBe(repo.base);
  for (const name of ["none", "--help", "HEAD:text.txt", ""])
    expect(await resolveCommit(repo.dir, name)).toBeUndefined();
});

test("trackedArtifacts names files and directories that the base tracks, literally", async () => {
  repo.write("docs/PLAN.md", "x");
  repo.write("naïve [1].md", "x");
  const base = repo.commit("more");
  const names = ["text.txt", "*.txt", "docs", "docs/PLAN.md", "docs/OTHER.md", "naïve [1].md", "PLAN.md"];
  expect(await trackedArtifacts(repo.dir, base, names)).toEqual([
    "text.txt",
    "docs",
    "docs/PLAN.md",
    "naïve [1].md",
  ]);
});

describe("ensureStateDirectory", () => {
  test("makes an ignored directory, again and again", async () => {
    expect(await ensureStateDirectory(repo.dir)).toBe(join(repo.dir, ".cfa"));
    await ensureStateDirectory(repo.dir);
    expect(readFileSync(join(repo.dir, ".cfa/.gitignore"), "utf8")).toBe("*\n");
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  test("refuses a link and a file", async () => {
    symlinkSync(tmpdir(), join(repo.dir, ".cfa"));
    await expect(ensureStateDirectory(repo.dir)).rejects.toThrow("is a link: remove it");
    rmSync(join(repo.dir, ".cfa"));
    repo.write(".cfa", "file");
    await expect(ensureStateDirectory(repo.dir)).rejects.toThrow("is no directory: remove it");
  });
});
