/** Copies of a tree for the proxy: whole, and out of reach of what they were made of. */
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../src/runtime/workspaces/port.ts";
import { gitIn, JOB, LEAD, opened, readIn, repository, workspacesOf, writeIn } from "./repository.ts";

const COPY = "escalation:q1.1.1";

let repo: ReturnType<typeof repository>;
beforeEach(() => void (repo = repository()));
afterEach(() => repo.remove());

/** The lead's tree with work of all kinds in it, its snapshot, and a copy of that. */
async function copied(): Promise<{ workspaces: Workspaces; lead: string; copy: string; commit: string }> {
  const workspaces = await opened(repo);
  const lead = workspaces.path(LEAD);
  writeIn(lead, "text.txt", "one\n2\nthree\n");
  writeIn(lead, "new/deep.txt", "new\n");
  writeIn(lead, "PLAN.md", "an artifact\n");
  writeIn(lead, "run.log", "ignored\n");
  symlinkSync(join(lead, "text.txt"), join(lead, "link"));
  const { commit } = await workspaces.exclusive(LEAD, () => workspaces.snapshot(LEAD, "1.1"));
  expect(await workspaces.copy(COPY, commit)).toEqual({ commit });
  return { workspaces, lead, copy: workspaces.path(COPY), commit };
}

describe("a copy", () => {
  test("holds what the tree held, artifacts included and ignored files not, and a link as a file", async () => {
    const { copy, lead } = await copied();
    expect(readdirSync(copy).sort()).toEqual(
      [".git", ".gitignore", "PLAN.md", "image.bin", "link", "new", "text.txt"].sort(),
    );
    expect(readIn(copy, "text.txt")).toBe("one\n2\nthree\n");
    expect(readIn(copy, "PLAN.md")).toBe("an artifact\n");
    expect(lstatSync(join(copy, "link")).isSymbolicLink()).toBe(false);
    expect(readIn(copy, "link")).toBe(join(lead, "text.txt"));
    expect(gitIn(copy, "status", "--porcelain")).toBe("");
    expect(gitIn(copy, "diff", "--name-only", "base", "HEAD").split("\n")).toContain("text.txt");
  });

  test("is independent: whatever its git does, refs, index and content of the original stay", async () => {
    const { copy, lead } = await copied();
    const look = () => [
      gitIn(lead, "status", "--porcelain"),
      repo.git("for-each-ref"),
      readFileSync(join(repo.dir, ".git/config"), "utf8"),
    ];
    const before = look();
    writeIn(copy, "text.txt", "spoiled\n");
    gitIn(copy, "commit", "--quiet", "--all", "--message", "mine");
    gitIn(copy, "branch", "--force", "main", "HEAD");
    gitIn(copy, "reset", "--quiet", "--hard", "base");
    gitIn(copy, "gc", "--quiet", "--prune=now");
    expect(look()).toEqual(before);
    expect(readIn(lead, "text.txt")).toBe("one\n2\nthree\n");
    expect(gitIn(copy, "rev-parse", "--absolute-git-dir")).toBe(join(copy, ".git"));
    expect(gitIn(copy, "remote")).toBe("");
    const told = ["config", "packed-refs"]
      .map((name) => join(copy, ".git", name))
      .filter((at) => existsSync(at));
    for (const at of told) expect(readFileSync(at, "utf8")).not.toContain(`${repo.dir}/.git`);
    expect(existsSync(join(copy, ".git/objects/info/alternates"))).toBe(false);
  });

  test("made again is the same copy; half made it is made anew", async () => {
    const { workspaces, copy, commit } = await copied();
    writeIn(copy, "scratch.txt", "of the proxy\n");
    await workspaces.copy(COPY, commit);
    expect(existsSync(join(copy, "scratch.txt"))).toBe(true);
    rmSync(join(copy, ".git/cfa-copy"));
    await workspaces.copy(COPY, commit);
    expect(existsSync(join(copy, "scratch.txt"))).toBe(false);
  });

  test("dropped it leaves nothing behind, and it does not outlive its process", async () => {
    const { workspaces, copy, commit } = await copied();
    const refs = repo.git("for-each-ref");
    expect(await workspaces.drop(COPY)).toEqual({ ref: null });
    expect(existsSync(copy)).toBe(false);
    await workspaces.copy(COPY, commit);
    const after = await workspacesOf(repo);
    await after.reconcile([LEAD, COPY]);
    expect(existsSync(copy)).toBe(false);
    expect(repo.git("for-each-ref")).toBe(refs);
    expect(readdirSync(join(repo.dir, ".cfa/jobs", JOB, "work"))).toHaveLength(1);
  });

  test("of a commit that is not there fails with a sentence", async () => {
    const workspaces = await opened(repo);
    await expect(workspaces.copy(COPY, "0".repeat(40))).rejects.toThrow(/not our ref/u);
  });
});
