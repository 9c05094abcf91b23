/** Trees that somebody has damaged, and how they are put back (src/runtime/workspaces/mend.ts). */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TreeBroken, type Workspaces } from "../../../src/runtime/workspaces/port.ts";
import { gitIn, JOB, LEAD, opened, readIn, repository, workspacesOf, writeIn } from "./repository.ts";

const CHILD = "dispatch:a";
let repo: ReturnType<typeof repository>;
let workspaces: Workspaces;
let lead: string;
let snapshot: string;
beforeEach(async () => {
  repo = repository();
  workspaces = await opened(repo);
  lead = workspaces.path(LEAD);
  writeIn(lead, "kept.txt", "kept\n");
  snapshot = (await workspaces.snapshot(LEAD, "1.1")).commit;
});
afterEach(() => repo.remove());

const admin = (dir: string): string => gitIn(dir, "rev-parse", "--absolute-git-dir");
const breakIndex = (dir: string): void => writeFileSync(join(admin(dir), "index"), "garbage");
const removeTree = (dir: string): void => void repo.git("worktree", "remove", "--force", dir);
const logged = (conflict: { child: string; commit: string } | null = null) => ({ snapshot, conflict });

const operations: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["snapshot", () => workspaces.snapshot(LEAD, "1.2")],
  ["complete", () => workspaces.complete(LEAD)],
  ["branch", () => workspaces.branch(CHILD, LEAD)],
  ["deliver", () => workspaces.deliver("branch", "")],
];

describe("with garbage in the index", () => {
  test.each(operations)(
    "%s says so in a sentence, and works when the tree is mended",
    async (_, operation) => {
      breakIndex(lead);
      await expect(operation()).rejects.toThrow(TreeBroken);
      await expect(operation()).rejects.toThrow(
        /^the workspace of job:\S+ cannot be used as it is: git .*\.$/u,
      );
      await workspaces.mend(LEAD, logged(), "1.2");
      await operation();
    },
  );

  test("what was not in the snapshot is kept on the ref of a lost turn", async () => {
    writeIn(lead, "lost.txt", "lost\n");
    breakIndex(lead);
    await expect(workspaces.complete(LEAD)).rejects.toThrow(TreeBroken);
    await workspaces.mend(LEAD, logged(), "1.2");
    expect([existsSync(join(lead, "lost.txt")), readIn(lead, "kept.txt")]).toEqual([false, "kept\n"]);
    const [lost = ""] = repo.git("for-each-ref", "--format=%(refname)", `refs/cfa/${JOB}/lost`).split("\n");
    expect(repo.git("show", `${lost}:lost.txt`)).toBe("lost");
  });

  test("a cfa that resumes the job reconciles and restores all the same", async () => {
    breakIndex(lead);
    const next = await workspacesOf(repo);
    await next.reconcile([LEAD]);
    await next.restore(LEAD, snapshot, "1.2");
    expect(await next.snapshot(LEAD, "1.3", snapshot)).toMatchObject({ changed: false });
  });

  test("a drop keeps what the files hold", async () => {
    await workspaces.branch(CHILD, LEAD);
    writeIn(workspaces.path(CHILD), "late.txt", "late\n");
    breakIndex(workspaces.path(CHILD));
    const { ref } = await workspaces.drop(CHILD);
    expect(repo.git("show", `${ref}:late.txt`)).toBe("late");
  });
});

describe("removed", () => {
  test("a tree is made again at its last logged snapshot", async () => {
    removeTree(lead);
    await expect(workspaces.clear(LEAD)).rejects.toThrow(/does not exist any more/u);
    await workspaces.mend(LEAD, logged(), "1.2");
    expect(readIn(lead, "kept.txt")).toBe("kept\n");
    expect(gitIn(lead, "symbolic-ref", "HEAD")).toMatch(/^refs\/heads\/cfa\//u);
  });

  test("a tree that the log says holds the merge of a child holds it again", async () => {
    await workspaces.branch(CHILD, LEAD);
    writeIn(workspaces.path(CHILD), "text.txt", "child\n");
    writeIn(lead, "text.txt", "lead\n");
    snapshot = (await workspaces.snapshot(LEAD, "1.2")).commit;
    const merged = await workspaces.merge(CHILD, LEAD);
    if (merged.result !== "conflict") throw new Error("no conflict");
    removeTree(lead);
    await workspaces.mend(LEAD, logged({ child: CHILD, commit: merged.commit }), "1.3");
    expect(await workspaces.complete(LEAD)).toEqual({ unmerged: ["text.txt"], own: null });
    writeIn(lead, "text.txt", "both\n");
    expect(await workspaces.complete(LEAD)).toHaveProperty("merge");
  });

  test("a drop keeps its last snapshot", async () => {
    await workspaces.branch(CHILD, LEAD);
    writeIn(workspaces.path(CHILD), "seen.txt", "seen\n");
    await workspaces.snapshot(CHILD, "2.1");
    removeTree(workspaces.path(CHILD));
    const { ref } = await workspaces.drop(CHILD);
    expect(repo.git("show", `${ref}:seen.txt`)).toBe("seen");
  });

  test("a tree that has left stays away", async () => {
    await workspaces.branch(CHILD, LEAD);
    await workspaces.drop(CHILD);
    await workspaces.mend(CHILD, { snapshot: null, conflict: null }, "2.1");
    expect(existsSync(workspaces.path(CHILD))).toBe(false);
  });
});

test("a sound tree stays as it is", async () => {
  writeIn(lead, "new.txt", "new\n");
  await workspaces.mend(LEAD, logged(), "1.2");
  expect(readIn(lead, "new.txt")).toBe("new\n");
});

test("a conflict without a merge holds again in a tree that is put back to it, until its markers are gone", async () => {
  writeIn(lead, "text.txt", "stashed\n");
  gitIn(lead, "stash");
  writeIn(lead, "text.txt", "other\n");
  gitIn(lead, "commit", "--quiet", "--all", "--message=other");
  expect(() => gitIn(lead, "stash", "pop")).toThrow("stash");
  expect(await workspaces.complete(LEAD)).toEqual({ unmerged: ["text.txt"], own: "other" });
  const { commit } = await workspaces.snapshot(LEAD, "1.2");
  gitIn(lead, "reset", "--quiet", "--hard");
  const next = await workspacesOf(repo);
  await next.reconcile([LEAD]);
  await next.restore(LEAD, commit, "1.3");
  expect(await next.complete(LEAD)).toMatchObject({ unmerged: ["text.txt"] });
  writeIn(lead, "text.txt", "both\n");
  expect(await next.complete(LEAD)).toHaveProperty("merge");
  expect(await next.complete(LEAD)).toBeUndefined();
});
