/**
 * The worktrees of a job: finding, making and removing them.
 *
 * W1. A tree is finished when its administration holds the marker, written last. Anything else is half-made and may
 *     be removed at any time.
 * W2. Only administrations whose worktree lies in the job's root are touched; a worktree of the user is never pruned
 *     (`git worktree prune` would do that, so it is not used).
 */
import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { ThreadId } from "../../soup/message.ts";
import { isErrno } from "../../soup/errno.ts";
import { GitFailure } from "./git.ts";
import { look } from "./safe-path.ts";
import { TreeBroken } from "./port.ts";
import { type JobGit, refs, type Tree, treeAt, treeName, viewPath } from "./trees.ts";

/** File in the administration that says the tree is finished (W1); it holds the commit at which the tree began. */
const MARKER = "cfa-ready";

/** A worktree of the job as found on disk. */
export type Found = { readonly name: string; readonly admin: string };

/** Text of a file, or undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Writes a file whole or not at all. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}

/** Administrations of worktrees that lie directly in the job's root, finished or not. */
export async function listWorktrees(job: JobGit): Promise<readonly Found[]> {
  const all = join(job.common, "worktrees");
  const names = await readdir(all).catch((error: unknown) => {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  });
  const found = await Promise.all(
    names.map(async (admin): Promise<Found | undefined> => {
      const target = await worktreeOf(join(all, admin));
      return target !== undefined && dirname(target) === job.root
        ? { name: target.slice(job.root.length + 1), admin: join(all, admin) }
        : undefined;
    }),
  );
  return found.filter((entry) => entry !== undefined);
}

/** Directory of the worktree that an administration describes; undefined when it is half-made. */
export async function worktreeOf(admin: string): Promise<string | undefined> {
  const gitdir = await readIfThere(join(admin, "gitdir"));
  return gitdir === undefined || gitdir === ""
    ? undefined
    : dirname(resolve(admin, gitdir.replace(/\n$/, "")));
}

/** The finished tree of `thread` (W1), or undefined. */
export async function findTree(job: JobGit, thread: ThreadId): Promise<Tree | undefined> {
  const name = treeName(job.job, thread);
  // Asked first: to look for the administration of a tree that there is not, all are read.
  if ((await look(join(job.root, name)))?.isDirectory() !== true) return undefined;
  const admin = await adminOf(job, name);
  return admin === undefined || (await origin(admin)) === undefined ? undefined : treeAt(job, thread, admin);
}

/** Administration of the worktree of this name, finished or not; git gives it the same name where it can. */
async function adminOf(job: JobGit, name: string): Promise<string | undefined> {
  const usual = join(job.common, "worktrees", name);
  if ((await worktreeOf(usual)) === join(job.root, name)) return usual;
  return (await listWorktrees(job)).find((found) => found.name === name)?.admin;
}

/** The finished tree of `thread`. Rejects with a {@link TreeBroken} when there is none. */
export async function requireTree(job: JobGit, thread: ThreadId): Promise<Tree> {
  const tree = await findTree(job, thread);
  if (tree === undefined)
    throw new TreeBroken(
      `the workspace of ${thread} does not exist any more: ${join(job.root, treeName(job.job, thread))}`,
    );
  return tree;
}

/** Commit at which the tree with this administration began; undefined when it is half-made (W1). */
export async function origin(admin: string): Promise<string | undefined> {
  return (await readIfThere(join(admin, MARKER)))?.trim();
}

/** Says that the tree is finished (W1). */
export async function markFinished(tree: Tree, commit: string): Promise<void> {
  await writeWhole(join(tree.admin, MARKER), `${commit}\n`);
}

/**
 * Makes a worktree for `thread` at `commit`, with HEAD detached or on the new or existing `branch`.
 * What is left of an earlier attempt goes first. The tree is not finished yet (W1).
 */
export async function makeWorktree(
  job: JobGit,
  thread: ThreadId,
  commit: string,
  branch: string | undefined,
): Promise<Tree> {
  return addWorktree(job, thread, branch === undefined ? ["--detach"] : ["-B", branch], commit);
}

/** Makes a worktree for `thread` without any file, its HEAD detached at `commit`, to be filled by {@link fillPlace}. */
export async function makePlace(job: JobGit, thread: ThreadId, commit: string): Promise<Tree> {
  return addWorktree(job, thread, ["--no-checkout", "--detach"], commit);
}

/** Brings HEAD, index and files of an empty worktree to `commit`, and records it as the end of the line. */
export async function fillPlace(job: JobGit, tree: Tree, commit: string): Promise<void> {
  const input = `option no-deref\nupdate HEAD ${commit}\nupdate ${refs.thread(job.job, tree.name)} ${commit}\n`;
  await tree.git.script("read-tree", FILL, [commit], { input });
}

const FILL = `
git update-ref --stdin
git read-tree --reset -u "$1"
`;

async function addWorktree(
  job: JobGit,
  thread: ThreadId,
  how: readonly string[],
  commit: string,
): Promise<Tree> {
  const name = treeName(job.job, thread);
  const add = () => job.git.run(["worktree", "add", "--quiet", ...how, join(job.root, name), commit]);
  const [left] = await Promise.all([isLeft(job, name), mkdir(job.root, { recursive: true })]);
  if (left) await removeWorktree(job, name);
  await add().catch(async (error: unknown) => {
    // An administration of another name may still describe the place.
    if (!(error instanceof GitFailure)) throw error;
    await removeWorktree(job, name);
    await add();
  });
  const admin = await adminOf(job, name);
  if (admin === undefined) throw new Error(`git made no worktree at ${join(job.root, name)}`);
  return treeAt(job, thread, admin);
}

/** Whether something stands where a worktree of this name, its administration or its view would be. */
async function isLeft(job: JobGit, name: string): Promise<boolean> {
  const places = [join(job.root, name), join(job.common, "worktrees", name), viewOf(job, name)];
  return (await Promise.all(places.map(look))).some((found) => found !== undefined);
}

/** The view of the tree of this name (history-view.ts). */
const viewOf = (job: JobGit, name: string): string =>
  viewPath(job, name === treeName(job.job, job.home) ? "" : name);

/** Removes the worktree of this name, its administration and its view, finished or not. */
export async function removeWorktree(job: JobGit, name: string): Promise<void> {
  await removeAll(join(job.root, name));
  await removeAll(viewOf(job, name));
  const all = join(job.common, "worktrees");
  const described = (await listWorktrees(job))
    .filter((found) => found.name === name)
    .map((found) => found.admin);
  // A kill inside `git worktree add` leaves an administration without its `gitdir` (git appends digits on a clash).
  const usual = join(all, name);
  const halfMade =
    (await look(usual)) !== undefined && (await worktreeOf(usual)) === undefined ? [usual] : [];
  for (const admin of [...described, ...halfMade]) await removeAll(admin);
  await rmdir(all).catch((error: unknown) => {
    if (!isErrno(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
  });
}

/** Removes lock files that a killed git has left in the tree's administration. */
export async function removeLocks(admin: string): Promise<void> {
  await Promise.all(
    ["index.lock", "HEAD.lock", "cfa-index.lock"].map((name) => rm(join(admin, name), { force: true })),
  );
}

/** Removes a file or directory, read-only directories included; links are removed, not followed. */
export async function removeAll(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch (error) {
    if (!isErrno(error, "EACCES", "EPERM", "ENOTEMPTY")) throw error;
    await openUp(path);
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  }
}

async function openUp(directory: string): Promise<void> {
  if ((await look(directory))?.isDirectory() !== true) return;
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory)) await openUp(join(directory, entry));
}
