/**
 * Repositories as they are. In each a small tree of workspaces is worked in, merged and delivered: what comes out is exactly what
 * was written, nothing of the user's is another byte than before, and no hook has run (docs/workspaces.md).
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitWorkspaces } from "../../src/runtime/workspaces/git-workspaces.ts";
import { ensureStateDirectory, inspectRepository } from "../../src/runtime/workspaces/repository.ts";
import { gitIn, writeIn } from "../runtime/workspaces/repository.ts";
import { type Content, type Kind, KINDS, makeBase, REFUSED } from "./repository-kinds.ts";
import { usersSide } from "./users-side.ts";

const JOB = "kinds-0a1b2c3d";
const LEAD = `job:${JOB}`;
const CHILD = "dispatch:1.1.1";
/** Written in every repository besides what its row says. */
const ALWAYS = { "new/file.txt": "new\n" };

/** For a busy machine: one of them has 50,000 files, milliseconds. */
const PATIENCE = 600_000;

/** Runs `work` in a temporary directory. */
async function inDirectory(work: (parent: string) => Promise<void>): Promise<void> {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "cfa-kinds-")));
  try {
    await work(parent);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Puts something at a path (a byte string) of a tree. */
function put(tree: string, path: string, content: Content): void {
  const at = Buffer.from(`${tree}/${path}`, "latin1");
  mkdirSync(Buffer.from(dirname(at.toString("latin1")), "latin1"), { recursive: true });
  rmSync(at.toString("utf8"), { force: true, recursive: true });
  if (content === null) return;
  if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(at, content);
  else if ("link" in content) symlinkSync(content.link, at);
  else {
    writeFileSync(at, content.executable);
    chmodSync(at, 0o755);
  }
}

/** How `git diff-tree` shows a content: mode and bytes. */
function shown(content: Content): string {
  if (content === null) return "000000 ";
  if (typeof content === "string") return `100644 ${Buffer.from(content).toString("latin1")}`;
  if (Buffer.isBuffer(content)) return `100644 ${content.toString("latin1")}`;
  return "link" in content ? `120000 ${content.link}` : `100755 ${content.executable}`;
}

/** What differs between two commits: path (byte string) to mode and content. */
function difference(top: string, base: string, commit: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const fields = bytesOf(top, "diff-tree", "-r", "-z", "--no-renames", base, commit).split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", , id = ""] = fields[at]?.split(" ") ?? [];
    const content = mode === "000000" ? "" : bytesOf(top, "cat-file", "blob", id);
    found[fields[at + 1] ?? ""] = `${mode} ${content}`;
  }
  return found;
}

const bytesOf = (top: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: top, encoding: "latin1" });

async function workIn({ make = makeBase, writes = {}, left }: Kind, parent: string) {
  const dir = make(parent);
  const inspection = await inspectRepository(dir);
  if ("refused" in inspection) throw new Error(inspection.refused);
  const { top, head, branch } = inspection;
  await ensureStateDirectory(top);
  const before = usersSide(top);
  const options = { repository: top, job: JOB, artifacts: ["PLAN.md"] };
  const workspaces = await gitWorkspaces(branch === null ? options : { ...options, target: branch });
  await workspaces.open(head, [{ path: "PLAN.md", bytes: "plan\n" }]);
  await workspaces.branch(CHILD, LEAD);
  for (const [path, content] of Object.entries({ ...writes, ...ALWAYS }))
    put(workspaces.path(CHILD), path, content);
  if (writes["log.txt"] !== undefined) writeIn(workspaces.path(LEAD), "log.txt", "lead\n");
  const taken = await workspaces.exclusive(CHILD, () => workspaces.snapshot(CHILD, "1.1"));
  const merged = await workspaces.merge(CHILD, LEAD);
  const delivery = await workspaces.deliver("branch", "");
  expect(taken.left).toEqual(left === undefined ? [] : [expect.stringMatching(left)]);
  expect(merged.result).toBe("merged");
  expect(delivery.problem).toBeUndefined();
  return { top, head, delivery, before, after: usersSide(top) };
}

describe.concurrent("a job runs in a repository with", () => {
  test.each(KINDS.map((kind) => [kind.name, kind] as const))(
    "%s",
    async (_, kind) =>
      inDirectory(async (parent) => {
        const { top, head, delivery, before, after } = await workIn(kind, parent);
        const expected = { ...(kind.delivers ?? kind.writes), ...ALWAYS };
        expect(difference(top, head, delivery.commit)).toEqual(
          Object.fromEntries(Object.entries(expected).map(([path, content]) => [path, shown(content)])),
        );
        expect(after).toEqual(before);
        expect(existsSync(join(top, ".git/worktrees"))).toBe(false);
        expect(gitIn(top, "fsck", "--no-dangling", "--no-progress")).toBe("");
      }),
    PATIENCE,
  );
});

describe.concurrent("no job starts in", () => {
  test.each(REFUSED)("%s", async (_, make, sentence) =>
    inDirectory(async (parent) => {
      const dir = make(parent);
      const before = usersSide(dir);
      expect(await inspectRepository(dir)).toEqual({ refused: expect.stringMatching(sentence) });
      expect(usersSide(dir)).toEqual(before);
    }),
  );
});
