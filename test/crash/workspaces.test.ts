/** Trees and refs as a killed git leaves them, and what `reconcile` makes of them (src/runtime/workspaces/half-merge.ts, ref-locks.ts). */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { refs, treeName } from "../../src/runtime/workspaces/trees.ts";
import type { Workspaces } from "../../src/runtime/workspaces/port.ts";
import {
  gitIn,
  JOB,
  LEAD,
  opened,
  readIn,
  repository,
  subjects,
  workspacesOf,
  writeIn,
} from "../runtime/workspaces/repository.ts";

const CHILD = "dispatch:a";
let repo: ReturnType<typeof repository>;
let workspaces: Workspaces;
let lead: string;
let bin: string;
beforeEach(async () => {
  repo = repository();
  workspaces = await opened(repo);
  lead = workspaces.path(LEAD);
  bin = mkdtempSync(join(tmpdir(), "cfa-git-"));
  await workspaces.branch(CHILD, LEAD);
});
afterEach(() => {
  vi.unstubAllEnvs();
  repo.remove();
  rmSync(bin, { recursive: true, force: true });
});

/** `git merge` dies: the shell lines after it say what of its work stands on disk. */
function gitThatDies(...after: readonly string[]): void {
  const path = process.env["PATH"] ?? "";
  const lines = [
    "#!/bin/sh",
    `PATH='${path}'`,
    'case " $* " in *" merge --quiet "*) ;; *) exec git "$@" ;; esac',
    'cp "$GIT_DIR/index" "$GIT_DIR/index.before"',
    'git "$@"',
    ...after,
    "kill -KILL $$",
  ];
  writeFileSync(join(bin, "git"), `${lines.join("\n")}\n`);
  chmodSync(join(bin, "git"), 0o755);
  vi.stubEnv("PATH", `${bin}:${path}`);
}

const NOTHING_SAID = '(cd "$GIT_DIR" && rm -f MERGE_HEAD MERGE_MSG MERGE_MODE AUTO_MERGE)';
const INDEX_LOCKED = '(cd "$GIT_DIR" && mv index index.lock && mv index.before index)';

/** The workspaces of a cfa that starts after the kill. */
async function resumed(): Promise<Workspaces> {
  vi.unstubAllEnvs();
  const next = await workspacesOf(repo);
  await next.reconcile([LEAD, CHILD]);
  return next;
}

test.each([
  ["the tree, the index not yet", [NOTHING_SAID, INDEX_LOCKED]],
  ["tree and index, no word of the merge", [NOTHING_SAID]],
  ["everything but its exit", []],
])("a merge whose git had written %s begins again on the work below", async (_, after) => {
  writeIn(workspaces.path(CHILD), "text.txt", "child\ntwo\nthree\n");
  writeIn(workspaces.path(CHILD), "new.txt", "child\n");
  writeIn(lead, "text.txt", "lead\ntwo\nthree\n");
  writeIn(lead, "PLAN.md", "plan\n");
  gitThatDies(...after);
  await workspaces.merge(CHILD, LEAD).catch(() => undefined); // what the dying engine makes of it is nobody's concern
  const again = await resumed();
  expect(await again.merge(CHILD, LEAD)).toMatchObject({ result: "conflict", paths: ["text.txt"] });
  expect(readIn(lead, "text.txt").match(/^<{7}/gm)).toHaveLength(1);
  expect(readIn(lead, "PLAN.md")).toBe("plan\n");
  expect(subjects(repo.dir, `${repo.base}..cfa/${JOB}`)).toEqual([`Work of ${LEAD}`]);
  writeIn(lead, "text.txt", "both\n");
  expect(await again.exclusive(LEAD, () => again.complete(LEAD))).toHaveProperty("merge");
  expect(repo.git("show", `cfa/${JOB}:text.txt`)).toBe("both");
});

test("a merge without conflict whose git died before its commit leaves one merge commit", async () => {
  writeIn(workspaces.path(CHILD), "trace.log", "child's, ignored but committed\n");
  gitIn(workspaces.path(CHILD), "add", "--force", "trace.log");
  writeIn(lead, "mine.txt", "lead\n");
  gitThatDies("git update-ref HEAD HEAD^", NOTHING_SAID);
  await workspaces.merge(CHILD, LEAD).catch(() => undefined);
  const again = await resumed();
  expect(existsSync(join(lead, "trace.log"))).toBe(false);
  expect(await again.merge(CHILD, LEAD)).toMatchObject({ result: "merged" });
  expect(subjects(repo.dir, `${repo.base}..cfa/${JOB}`).toSorted()).toEqual([
    `Merge ${CHILD} into ${LEAD}`,
    `Work of ${CHILD}`,
    `Work of ${LEAD}`,
  ]);
});

test("an ignored file that was in the way of a merge survives the death of its git", async () => {
  writeIn(workspaces.path(CHILD), "trace.log", "child\n");
  gitIn(workspaces.path(CHILD), "add", "--force", "trace.log");
  writeIn(lead, "trace.log", "lead\n");
  gitThatDies(NOTHING_SAID);
  await workspaces.merge(CHILD, LEAD).catch(() => undefined);
  const again = await resumed();
  expect(readIn(lead, "trace.log")).toBe("lead\n");
  expect(await again.merge(CHILD, LEAD)).toMatchObject({ result: "conflict", paths: ["trace.log"] });
});

test.each([
  ["a restored tree", (on: Workspaces, snapshot: string) => on.restore(LEAD, snapshot, "1.2")],
  ["a tree whose agent threw it away", (on: Workspaces) => on.exclusive(LEAD, () => on.complete(LEAD))],
])("a conflict that %s must hold outlives the git that was to begin it again", async (_, begin) => {
  writeIn(workspaces.path(CHILD), "text.txt", "child\n");
  writeIn(lead, "text.txt", "lead\n");
  const { commit } = await workspaces.exclusive(LEAD, () => workspaces.snapshot(LEAD, "1.1"));
  await workspaces.merge(CHILD, LEAD);
  gitIn(lead, "merge", "--abort");
  gitThatDies(NOTHING_SAID, INDEX_LOCKED);
  await expect(begin(workspaces, commit)).rejects.toThrow("killed");
  const again = await resumed();
  await again.restore(LEAD, commit, "1.2");
  expect(await again.exclusive(LEAD, () => again.complete(LEAD))).toEqual({
    unmerged: ["text.txt"],
    own: null,
  });
  expect(readIn(lead, "text.txt").match(/^<{7}/gm)).toHaveLength(1);
});

/** Another owner moves a ref while `git commit-tree` stands still, as it may when a machine was suspended. */
function gitThatFreezes(ref: string, to: string): void {
  const path = process.env["PATH"] ?? "";
  const lines = [
    "#!/bin/sh",
    `PATH='${path}'`,
    `case " $* " in *" commit-tree "*) git update-ref ${ref} ${to} ;; esac`,
    'exec git "$@"',
  ];
  writeFileSync(join(bin, "git"), `${lines.join("\n")}\n`);
  chmodSync(join(bin, "git"), 0o755);
  vi.stubEnv("PATH", `${bin}:${path}`);
}

test.each([
  ["work commit", refs.thread, () => workspaces.branch("dispatch:b", LEAD)],
  ["snapshot", refs.latest, () => workspaces.exclusive(LEAD, () => workspaces.snapshot(LEAD, "1.2"))],
] as const)(
  "a %s moves no ref when another owner of the job has moved one meanwhile",
  async (_, of, work) => {
    await workspaces.exclusive(LEAD, () => workspaces.snapshot(LEAD, "1.1"));
    writeIn(lead, "text.txt", "stale\n");
    const ref = of(JOB, treeName(JOB, LEAD));
    const own = repo.git("commit-tree", "-m", "of the new owner", `${repo.base}^{tree}`);
    const before = repo.git("for-each-ref");
    gitThatFreezes(ref, own);
    await expect(work()).rejects.toThrow(/cannot lock ref|is at/);
    const moved = before.replace(new RegExp(`^\\S+(?= commit\t${ref}$)`, "m"), own);
    expect(repo.git("for-each-ref")).toBe(moved);
  },
);

test("a child that is not merged for a conflict of its own is the same when asked again", async () => {
  await workspaces.branch("dispatch:aa", CHILD);
  writeIn(workspaces.path("dispatch:aa"), "text.txt", "grandchild\n");
  writeIn(workspaces.path(CHILD), "text.txt", "child\n");
  await workspaces.merge("dispatch:aa", CHILD);
  const kept = await workspaces.merge(CHILD, LEAD);
  expect(kept).toMatchObject({ result: "conflict", held: false, paths: ["text.txt"] });
  expect(await (await resumed()).merge(CHILD, LEAD)).toEqual(kept);
});

test("reconcile waits for a git that has outlived its cfa, and for no other", async () => {
  const order: string[] = [];
  const root = join(workspaces.path(LEAD), "..");
  const state = join(repo.dir, ".cfa", "jobs", JOB);
  const [own, anchor, other] = [root, state, "/elsewhere"].map(
    (of) => execa({ env: { CFA_GIT_OF: of }, reject: false })`sleep ${of === "/elsewhere" ? 1000 : 1}`,
  );
  void Promise.all([own, anchor]).then(() => order.push("git has ended"));
  await (await workspacesOf(repo)).reconcile([LEAD, CHILD]);
  order.push("reconciled");
  other?.kill("SIGKILL");
  await Promise.all([own, anchor, other]);
  expect(order).toEqual(["git has ended", "reconciled"]);
});

const locks = (): readonly string[] =>
  readdirSync(join(repo.dir, ".git"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".lock"))
    .toSorted();

test("locks of a killed git on the job's own refs and trees go; those of others stay", async () => {
  const own = [`refs/cfa/${JOB}/anchor.lock`, `refs/cfa/${JOB}/threads/x.lock`, `refs/heads/cfa/${JOB}.lock`];
  const others = ["packed-refs.lock", "refs/heads/main.lock"];
  for (const lock of [...own, ...others]) writeIn(join(repo.dir, ".git"), lock, "");
  const admin = gitIn(lead, "rev-parse", "--absolute-git-dir");
  for (const lock of ["index.lock", "HEAD.lock"]) writeFileSync(join(admin, lock), "");
  await resumed();
  expect(locks()).toEqual(others);
});

test("the lock on packed refs goes when a deletion of ours was cut off, and does not change any more", async () => {
  writeFileSync(join(repo.dir, ".git", "packed-refs.lock"), "");
  const files = join(repo.dir, ".cfa", "jobs", JOB, "files");
  mkdirSync(files, { recursive: true });
  await expect(workspaces.drop(CHILD)).rejects.toThrow("packed-refs.lock");
  const next = await resumed();
  expect(locks()).toEqual([]);
  expect(await next.drop(CHILD)).toHaveProperty("ref");
  expect(readdirSync(files).filter((name) => name.startsWith("deleting"))).toEqual([]);
});
