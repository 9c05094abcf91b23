/** What jobs that are gone have left, and what must never be taken for it (src/runtime/workspaces/reap.ts). */
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gitWorkspaces } from "../../../src/runtime/workspaces/git-workspaces.ts";
import { reapGone } from "../../../src/runtime/workspaces/reap.ts";
import { JOB, LEAD, opened, repository, workspacesOf, writeIn } from "./repository.ts";

let repo: ReturnType<typeof repository>;
beforeEach(() => void (repo = repository()));
afterEach(() => repo.remove());

const refs = (): readonly string[] => repo.git("for-each-ref", "--format=%(refname)").split("\n");
const worktrees = (): number => repo.git("worktree", "list").split("\n").length;
const folder = (top = repo.dir): string => join(top, ".cfa", "jobs", JOB);
const nothing: readonly unknown[] = [];

/** A job with a child at work, and snapshots. */
async function worked(): Promise<void> {
  const workspaces = await opened(repo);
  await workspaces.branch("dispatch:a", LEAD);
  writeIn(workspaces.path("dispatch:a"), "a.txt", "a\n");
  await workspaces.snapshot("dispatch:a", "1.1");
}

describe("a job whose folder was removed", () => {
  test("leaves nothing but its branch; what was found is counted, and found once", async () => {
    await worked();
    const before = refs().filter((ref) => ref.startsWith("refs/cfa/")).length;
    rmSync(join(repo.dir, ".cfa"), { recursive: true });
    const found = [{ job: JOB, worktrees: 2, refs: before }];
    expect(await reapGone(repo.dir, false)).toEqual(found);
    expect(worktrees()).toBe(3);
    expect(await reapGone(repo.dir, true)).toEqual(found);
    expect(refs()).toEqual([`refs/heads/cfa/${JOB}`, "refs/heads/main"]);
    expect(worktrees()).toBe(1);
    expect(await reapGone(repo.dir, true)).toEqual(nothing);
  });

  test("takes its worktrees along where they lie elsewhere", async () => {
    const root = join(repo.dir, "../elsewhere", JOB);
    await (await workspacesOf(repo, { root })).open(repo.base, []);
    rmSync(join(repo.dir, ".cfa"), { recursive: true });
    expect(await reapGone(repo.dir, true)).toMatchObject([{ job: JOB, worktrees: 1 }]);
    expect(worktrees()).toBe(1);
  });

  test("in a linked worktree that was removed is gone, too", async () => {
    const linked = join(repo.dir, "../linked");
    repo.git("worktree", "add", "--quiet", "--detach", linked);
    const workspaces = await gitWorkspaces({ repository: linked, job: JOB, artifacts: [] });
    await workspaces.open(repo.base, []);
    expect(await reapGone(repo.dir, true)).toEqual(nothing);
    repo.git("worktree", "remove", "--force", linked);
    expect(await reapGone(repo.dir, true)).toMatchObject([{ job: JOB, worktrees: 1 }]);
  });
});

describe("is left alone:", () => {
  const kept: readonly (readonly [string, () => Promise<void> | void])[] = [
    ["a job with a folder, with or without a log in it", () => worked()],
    [
      "anything, while a worktree of the user's cannot be looked into",
      async () => {
        repo.git("worktree", "add", "--quiet", "--detach", "../linked");
        await worked();
        rmSync(folder(), { recursive: true });
        renameSync(join(repo.dir, "../linked"), join(repo.dir, "../not-mounted"));
      },
    ],
    [
      "a worktree of the user's, wherever it lies",
      () => {
        mkdirSync(join(repo.dir, ".cfa"), { recursive: true });
        repo.git("worktree", "add", "--quiet", "--detach", join(repo.dir, ".cfa/mine"));
      },
    ],
    ["refs of the user's", () => void repo.git("update-ref", "refs/cfa-notes/x", repo.base)],
  ];
  test.each(kept)("%s", async (_, arrange) => {
    await arrange();
    const before = { refs: refs(), worktrees: worktrees() };
    expect(await reapGone(repo.dir, true)).toEqual(nothing);
    expect({ refs: refs(), worktrees: worktrees() }).toEqual(before);
  });
});
