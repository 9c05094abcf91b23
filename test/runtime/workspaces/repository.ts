/** Real repositories in temporary directories, for the tests of this folder. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ThreadId } from "../../../src/soup/message.ts";
import { gitWorkspaces, type GitWorkspacesOptions } from "../../../src/runtime/workspaces/git-workspaces.ts";
import type { Workspaces } from "../../../src/runtime/workspaces/port.ts";
import { ensureStateDirectory } from "../../../src/runtime/workspaces/repository.ts";

/** A temporary repository. */
export type Sandbox = {
  readonly dir: string;
  git: (...args: readonly string[]) => string;
  write: (path: string, content: string | Buffer) => void;
  read: (path: string) => string;
  commit: (message: string) => string;
  remove: () => void;
};

/** Runs git without the configuration of this machine; returns what it prints, trimmed at the end. */
export function gitIn(dir: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=User", "-c", "user.email=user@example.org", "-c", "init.defaultBranch=main"];
  const options = { cwd: dir, env, encoding: "utf8", stdio: "pipe" } as const;
  return execFileSync("git", [...who, ...args], options).trimEnd();
}

export function writeIn(dir: string, path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
}

export const readIn = (dir: string, path: string): string => readFileSync(join(dir, path), "utf8");

/** A repository without a commit, made with these options of `git init`. The directory's name holds what paths may hold. */
export function emptyRepository(...options: readonly string[]): Sandbox {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "cfa-workspaces-")));
  const dir = join(parent, 'it\'s a "räpo" *');
  mkdirSync(dir);
  gitIn(dir, "init", "--quiet", ...options);
  return {
    dir,
    git: (...args) => gitIn(dir, ...args),
    write: (path, content) => writeIn(dir, path, content),
    read: (path) => readIn(dir, path),
    commit: (message) => {
      gitIn(dir, "add", "--all");
      gitIn(dir, "commit", "--quiet", "--allow-empty", "--message", message);
      return gitIn(dir, "rev-parse", "HEAD");
    },
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
}

/** A repository with `text.txt` (three lines), `image.bin` and a `.gitignore` of `*.log`, on branch `main`. */
export function repository(...options: readonly string[]): Sandbox & { readonly base: string } {
  const sandbox = emptyRepository(...options);
  sandbox.write("text.txt", "one\ntwo\nthree\n");
  sandbox.write("image.bin", Buffer.from([0, 1, 2, 3]));
  sandbox.write(".gitignore", "*.log\n");
  return { ...sandbox, base: sandbox.commit("base") };
}

export const JOB = "notes-0a1b2c3d";
export const LEAD: ThreadId = `job:${JOB}`;

/** The workspaces of job {@link JOB}; each call is what a new process would have. */
export async function workspacesOf(
  sandbox: Sandbox,
  options: Partial<GitWorkspacesOptions> = {},
): Promise<Workspaces> {
  await ensureStateDirectory(sandbox.dir);
  return gitWorkspaces({ repository: sandbox.dir, job: JOB, artifacts: ["PLAN.md"], ...options });
}

/** The job's tree, opened. */
export async function opened(sandbox: Sandbox & { readonly base: string }): Promise<Workspaces> {
  const workspaces = await workspacesOf(sandbox);
  await workspaces.open(sandbox.base, []);
  return workspaces;
}

/** Commits of `rev` back to the base, newest first: subject lines. */
export const subjects = (dir: string, range: string): readonly string[] =>
  gitIn(dir, "log", "--format=%s", range).split("\n");

/** Paths that a commit holds. */
export const paths = (dir: string, commit: string): readonly string[] =>
  gitIn(dir, "ls-tree", "-r", "--name-only", "-z", commit)
    .split("\0")
    .filter((path) => path !== "");
