/**
 * What must be known of a repository before a job starts in it. Nothing here writes, apart from
 * {@link ensureStateDirectory}.
 *
 * R1. Whatever forbids a job is a refusal: one sentence that says what and what to do.
 */
import { lstat, mkdir, realpath, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { bytes, fields, gitAt, text } from "./git.ts";
import { whyGitWillNotDo } from "./git-version.ts";
import { isErrno } from "../../soup/errno.ts";
import { whyUnsuitable } from "./unsuitable.ts";

/** A repository in which a job can run. */
export type Repository = {
  /** Top of the worktree that was named (a linked one included), absolute, without links. */
  readonly top: string;
  /** Commit that is checked out. */
  readonly head: string;
  /** Short name of the branch that is checked out; null when HEAD is detached. */
  readonly branch: string | null;
  /** Tracked files differ from HEAD, or untracked ones exist. */
  readonly dirty: boolean;
  /** History is cut off (`git clone --depth`). */
  readonly shallow: boolean;
  /** The worktree is a linked one (`git worktree add`). */
  readonly linked: boolean;
};

/** What {@link inspectRepository} found: a repository, or why no job can run there. */
export type Inspection = Repository | { readonly refused: string };

/** Looks at the repository that holds `dir`. */
export async function inspectRepository(dir: string): Promise<Inspection> {
  const at = resolve(dir);
  const stat = await lstat(at).catch(() => undefined);
  if (stat === undefined)
    return { refused: `${at} does not exist: name the directory of a git repository with --repo.` };
  const git = gitAt({ cwd: at });
  const unusable = await whyGitWillNotDo(git);
  if (unusable !== undefined) return { refused: unusable };
  const asked = ["--show-toplevel", "--git-dir", "--git-common-dir", "--is-shallow-repository"];
  const where = await git.attempt(["rev-parse", "--path-format=absolute", ...asked]);
  if (where.code !== 0) return { refused: whyNot(at, where.err) };
  const [top, gitDir, common, shallow] = answers(text(where.out));
  if (top === undefined || gitDir === undefined || common === undefined)
    return { refused: `${at} has a path that holds a line break: move the repository.` };
  const head = await git.attempt(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head.code !== 0)
    return { refused: `${top} has no commit yet: make a first commit, then start the job.` };
  const unsuitable = await whyUnsuitable(top);
  if (unsuitable !== undefined) return { refused: unsuitable };
  const [status, branch, blocked] = await Promise.all([
    git.run(["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames"]),
    git.attempt(["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git.attempt(["show-ref", "--verify", "--quiet", "refs/heads/cfa"]),
  ]);
  if (blocked.code === 0)
    return {
      refused: `${top} has a branch named cfa, which blocks the branches cfa/<job>: rename it (git branch -m cfa other).`,
    };
  return {
    top: await realpath(top),
    head: head.out.trim(),
    branch: branch.code === 0 ? text(branch.out).trim() : null,
    dirty: status !== "",
    shallow: shallow === "true",
    linked: gitDir !== common,
  };
}

function answers(out: string): readonly string[] {
  const lines = out.replace(/\n$/, "").split("\n");
  return lines.length === 4 ? lines : [];
}

function whyNot(dir: string, said: string): string {
  if (said.includes("dubious ownership"))
    return `${dir} belongs to another user, so git refuses it: run "git config --global --add safe.directory ${dir}".`;
  if (said.includes("must be run in a work tree"))
    return `${dir} is a bare repository: name a worktree of it with --repo.`;
  if (said.includes("not a git repository"))
    return `${dir} is not in a git repository: run "git init" and commit, or name another one with --repo.`;
  return `git cannot read the repository at ${dir}: ${text(said).trim()}`;
}

/** The commit that `revision` names, or undefined. */
export async function resolveCommit(top: string, revision: string): Promise<string | undefined> {
  const name = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const found = await gitAt({ cwd: top }).attempt(name);
  return found.code === 0 ? found.out.trim() : undefined;
}

/** Those of `names` (paths from the top, `/` between) that the commit tracks, as a file or as a directory. */
export async function trackedArtifacts(
  top: string,
  base: string,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const out = await gitAt({ cwd: top }).run([
    "ls-tree",
    "-r",
    "-z",
    "--name-only",
    "--full-tree",
    base,
    "--",
    ...names,
  ]);
  const tracked = fields(out);
  return names.filter((name) =>
    tracked.some((path) => path === bytes(name) || path.startsWith(`${bytes(name)}/`)),
  );
}

/**
 * Makes `.cfa/` at `top`, ignored by git through a `.gitignore` of its own. Returns its path.
 * Rejects with a sentence when `.cfa` is a link or no directory.
 */
export async function ensureStateDirectory(top: string): Promise<string> {
  const dir = join(top, ".cfa");
  await mkdir(dir).catch((error: unknown) => {
    if (!isErrno(error, "EEXIST")) throw error;
  });
  const stat = await lstat(dir);
  if (!stat.isDirectory())
    throw new Error(
      `${dir} is ${stat.isSymbolicLink() ? "a link" : "no directory"}: remove it, cfa keeps its state there.`,
    );
  await writeFile(join(dir, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
    if (!isErrno(error, "EEXIST")) throw error;
  });
  return dir;
}
