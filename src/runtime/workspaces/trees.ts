/**
 * Names: directories and refs of a job's trees.
 *
 * T1. A tree's name is made from job and thread alone: short, safe for file systems that fold case, and another for
 *     every thread, also across jobs (git keeps the administration of all worktrees of a repository in one place).
 * T2. `git branch` shows of a job only `cfa/<job>`; everything else is a ref under `refs/cfa/<job>/`:
 *     `base`; by tree name `threads/` (newest work commit), `latest/` (newest snapshot), `ended/` (last state of a
 *     tree that is gone); and `snapshots/<name>/<label>`, `lost/<name>/<label>`; and
 *     `past/<commit>`: commits that a fork has taken over with its log.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ThreadId } from "../../soup/message.ts";
import { bytes, type Git, gitAt } from "./git.ts";

/** What serves one job: its places, and a git for the repository's refs and objects. */
export type JobGit = {
  readonly job: string;
  /** The job's thread, whose tree is the job's own: `job:<id>` of the job whose log was opened first (docs/fork.md). */
  readonly home: ThreadId;
  /** Top of the worktree that the user named. */
  readonly repository: string;
  /** Directory that holds the trees, without links. */
  readonly root: string;
  /** Directory of the job's file store. */
  readonly files: string;
  /** Artifact names, relative to the root of a tree. */
  readonly artifacts: readonly string[];
  /** The git directory that all worktrees of the repository share. */
  readonly common: string;
  readonly git: Git;
};

/** A tree that exists. */
export type Tree = {
  readonly thread: ThreadId;
  readonly name: string;
  readonly dir: string;
  /** Git's administration of the worktree; never taken from the `.git` file, which the agent can write. */
  readonly admin: string;
  readonly git: Git;
};

/** Name of the tree of `thread` (T1). */
export function treeName(job: string, thread: ThreadId): string {
  const own = thread.slice(thread.indexOf(":") + 1);
  const readable = own
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 20)
    .replace(/-$/, "");
  const digest = createHash("sha256").update(`${job}\0${thread}`).digest("hex").slice(0, 10);
  return thread.startsWith("job:") ? `job-${digest}` : `${readable === "" ? "tree" : readable}-${digest}`;
}

/** True for the tree of the job itself, in which state threads work. */
export function isJobTree({ home }: Pick<JobGit, "home">, thread: ThreadId): boolean {
  return thread === home;
}

/** Handle of the tree of `thread` whose administration lies at `admin`. */
export function treeAt(
  job: JobGit,
  thread: ThreadId,
  admin: string,
  name: string = treeName(job.job, thread),
): Tree {
  const dir = join(job.root, name);
  return { thread, name, dir, admin, git: gitAt({ cwd: dir, dir: admin, tree: dir, job: job.root }) };
}

/** Folder of what a confined program in the tree `name` sees of git; without a name that of all trees (history-view.ts). */
export function viewPath({ repository, job }: Pick<JobGit, "repository" | "job">, name = ""): string {
  return join(repository, ".cfa", "jobs", job, "git", name);
}

/** The user-visible branch of a job. */
export const jobBranch = (job: string): string => `cfa/${job}`;

/** Refs of a job (T2). */
export const refs = {
  branch: (job: string): string => `refs/heads/${jobBranch(job)}`,
  base: (job: string): string => `refs/cfa/${job}/base`,
  anchor: (job: string): string => `refs/cfa/${job}/anchor`,
  thread: (job: string, name: string): string => `refs/cfa/${job}/threads/${name}`,
  latest: (job: string, name: string): string => `refs/cfa/${job}/latest/${name}`,
  ended: (job: string, name: string): string => `refs/cfa/${job}/ended/${name}`,
  snapshot: (job: string, name: string, label: string): string =>
    `refs/cfa/${job}/snapshots/${name}/${refPart(label)}`,
  past: (job: string, commit: string): string => `refs/cfa/${job}/past/${commit}`,
  lost: (job: string, name: string, label: string): string =>
    `refs/cfa/${job}/lost/${name}/${refPart(label)}`,
};

/** A text as one part of a ref name: other bytes than letters, digits, `_` and `-` as `%` and two hex digits. */
function refPart(label: string): string {
  return bytes(label).replace(/[^A-Za-z0-9_-]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** True when `job` can stand in a branch name and a file name as it is. */
export function isJobName(job: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(job) && !job.includes("..") && !/\.(lock)?$/.test(job);
}

/** Paths (byte strings) that never enter a work commit: artifacts, and what belongs to cfa and the status file. */
export function isReserved(job: JobGit, path: string): boolean {
  return isPrivate(path) || job.artifacts.some((name) => isWithin(path, bytes(name)));
}

/** Paths (byte strings) that enter no commit at all: `.cfa/` and `.sortie/` at the root of a tree. */
export function isPrivate(path: string): boolean {
  return PRIVATE.some((name) => isWithin(path, name));
}

/** The directories of {@link isPrivate}. */
export const PRIVATE: readonly string[] = [".cfa", ".sortie"];

/** The names behind {@link isReserved}, as literal pathspecs. */
export function reservedNames(job: JobGit): readonly string[] {
  return [...job.artifacts, ...PRIVATE];
}

function isWithin(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`);
}
