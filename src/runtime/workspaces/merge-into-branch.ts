/**
 * `deliver: merge`: the base branch of the user receives a job's line, by fast-forward or a merge commit.
 *
 * M1. Only that branch is written, and never over work: a worktree that has it checked out must be clean. Whatever stands in the
 *     way is an {@link Undeliverable} with a sentence, and nothing has been changed then.
 * M2. A note in the job's files says that git is at work in the user's worktree, so that a lock that it left when it was killed
 *     is told from one of somebody else.
 */
import { mkdir, readdir, readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isErrno } from "../../soup/errno.ts";
import { fields, type Git, gitAt, readCommits, text } from "./git.ts";
import { look } from "./safe-path.ts";
import { jobBranch, type JobGit } from "./trees.ts";
import { commitTree, isAncestor } from "./work-commit.ts";
import { writeWhole } from "./worktrees.ts";

/** The result cannot go into the branch: one sentence that says why, and what the user can do. */
export class Undeliverable extends Error {
  override readonly name = "Undeliverable";
}

/** A lock that has not changed for so long is not that of a git at work, milliseconds. */
const PATIENCE_MILLIS = 2000;

/** Brings `work` into the branch `target`. Returns the branch's commit. Throws {@link Undeliverable} (M1). */
export async function mergeIntoBranch(
  job: JobGit,
  target: string | undefined,
  work: string,
  message: string,
): Promise<string> {
  const branch = jobBranch(job.job);
  if (target === undefined)
    throw new Undeliverable(
      `the job began at no branch, so there is none to merge into: merge ${branch} yourself.`,
    );
  const ref = `refs/heads/${target}`;
  const [tip] = await readCommits(job.git, [ref]);
  if (tip === undefined)
    throw new Undeliverable(`the branch ${target} is gone: merge ${branch} where it belongs.`);
  if (await isAncestor(job.git, work, tip.id)) {
    await forgetNote(job);
    return tip.id;
  }
  const place = await checkedOutAt(job.git, ref);
  if (place !== undefined) await requireFree(job, place, target);
  const forward = await isAncestor(job.git, tip.id, work);
  const commit = forward ? work : await mergeCommit(job, target, tip.id, work, message);
  if (place === undefined) await job.git.run(["update-ref", ref, commit, tip.id]);
  else await forwardTo(job, place, target, commit);
  return commit;
}

/** Moves the branch that is checked out at `place` forward, its files with it. */
async function forwardTo(job: JobGit, place: string, target: string, commit: string): Promise<void> {
  const branch = jobBranch(job.job);
  await mkdir(job.files, { recursive: true });
  await writeWhole(notePath(job), "");
  const moved = await gitAt({ cwd: place, job: job.root }).attempt(["merge", ...FORWARD, commit]);
  await forgetNote(job);
  if (moved.code === 0) return;
  const why = text(moved.err)
    .trim()
    .replace(/\s*\n\s*/g, "; ");
  throw new Undeliverable(
    `git cannot bring ${branch} into ${target} at ${place}: ${why}; when that is out of the way, run "git merge ${branch}" there.`,
  );
}

// Files that the user has git ignore are work, too: without the last word git overwrites them silently.
const FORWARD = ["--quiet", "--ff-only", "--no-stat", "--no-overwrite-ignore"];

const notePath = (job: JobGit): string => join(job.files, "merging-into-branch");

async function forgetNote(job: JobGit): Promise<void> {
  await rm(notePath(job), { force: true });
}

/** Sees to it that nothing of the user, and nothing that a killed git of ours has left, is in the way at `place`. */
async function requireFree(job: JobGit, place: string, target: string): Promise<void> {
  const branch = jobBranch(job.job);
  const git = gitAt({ cwd: place, job: job.root });
  const admin = text(await git.run(["rev-parse", "--absolute-git-dir"])).replace(/\n$/, "");
  const note = await look(notePath(job));
  if (note !== undefined) await removeOwnLock(join(admin, "index.lock"), Number(note.mtimeMs), place);
  const changed = await git.run(["status", "--porcelain=v1", "-z", "--untracked-files=no"]);
  if (changed === "") return;
  await forgetNote(job);
  throw new Undeliverable(
    note === undefined
      ? `${place} has ${target} checked out with uncommitted changes: commit or stash them, then run "git merge ${branch}" there.`
      : `cfa was killed while it brought ${branch} into ${target}, and ${place} holds uncommitted changes: if none of them are yours, run "git reset --hard" and "git merge ${branch}" there.`,
  );
}

/**
 * Removes the lock of a git that was killed at `place` (M2): one that is not older than the note of it, and that stays as it is
 * while no git works there.
 */
async function removeOwnLock(lock: string, noted: number, place: string): Promise<void> {
  const before = await look(lock);
  if (before === undefined || Number(before.mtimeMs) < noted) return;
  await delay(PATIENCE_MILLIS);
  const after = await look(lock);
  const isStale = after?.ino === before.ino && after.mtimeMs === before.mtimeMs;
  if (isStale && !(await isGitAt(place))) await rm(lock, { force: true });
}

/** A git works in the directory, as far as /proc tells. */
async function isGitAt(place: string): Promise<boolean> {
  for (const pid of await namesIn("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const [name, cwd] = await Promise.all([
      hidden(readFile(`/proc/${pid}/comm`, "utf8")),
      hidden(readlink(`/proc/${pid}/cwd`)),
    ]);
    if (name.startsWith("git") && (cwd === place || cwd.startsWith(`${place}/`))) return true;
  }
  return false;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}

/** What is read of a process; nothing when it has ended meanwhile, or is another user's. */
async function hidden(read: Promise<string>): Promise<string> {
  try {
    return await read;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM")) return "";
    throw error;
  }
}

/** A merge commit of `work` into `tip`, made without any worktree. */
async function mergeCommit(
  job: JobGit,
  target: string,
  tip: string,
  work: string,
  message: string,
): Promise<string> {
  const branch = jobBranch(job.job);
  const quiet = ["--write-tree", "--name-only", "-z", "--no-messages"];
  const merged = await job.git.attempt(["merge-tree", ...quiet, tip, work]);
  const [tree = "", ...paths] = fields(merged.out);
  if (merged.code !== 0)
    throw new Undeliverable(
      paths.length > 0
        ? `${branch} and ${target} have both changed ${paths.map(text).join(", ")}: run "git merge ${branch}" on ${target} and resolve it.`
        : `git could not merge ${branch} into ${target}: ${text(merged.err).trim()}`,
    );
  return commitTree(job.git, tree, [tip, work], message.endsWith("\n") ? message : `${message}\n`);
}

/** Directory of the worktree that has `ref` checked out, if any. */
async function checkedOutAt(git: Git, ref: string): Promise<string | undefined> {
  const records = (await git.run(["worktree", "list", "--porcelain", "-z"])).split("\0\0");
  const holder = records.map((record) => record.split("\0")).find((lines) => lines.includes(`branch ${ref}`));
  const directory = holder?.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
  return directory === undefined || holder?.includes("bare") === true ? undefined : text(directory);
}
