/**
 * Files of a tree that git itself opens, made so that it never ends: a pipe in place of .gitignore is waited for without end, a sparse
 * file of 10 GiB is read whole. Git cannot be told not to, and whoever works in a tree can make them.
 *
 * T1. A tree is searched only while a git works in it for longer than {@link PATIENCE_MILLIS}: nearly none does.
 * T2. What is found is taken out of the way such that the git which waits goes on: a pipe goes and is let go of, a file that is too
 *     large is emptied. The tree counts as broken (docs/workspaces.md, "Damage"), and the paths are named.
 */
import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir, rm, truncate } from "node:fs/promises";
import { isErrno } from "../../soup/errno.ts";
import { TreeBroken } from "./port.ts";

/** How long a git may work before the tree is searched, and searched again, milliseconds (T1). */
const PATIENCE_MILLIS = 1000;

/** Longest of the files that git reads whole, bytes; git itself ignores longer .gitattributes. */
const BYTES_MAX = 100 * 1024 ** 2;

/** What git opens by its name, in any folder of a tree, and in a `.git` folder below it. */
const READ = new Set([".gitignore", ".gitattributes", ".gitmodules"]);
const READ_BELOW_GIT = new Set(["HEAD", "commondir", "gitdir", "config", "packed-refs", "index"]);

/** Settles as `git` does, which works in the tree at `dir`; rejects with a {@link TreeBroken} when something has kept it from ending. */
export async function unlessTrapped<T>(dir: string, git: PromiseLike<T>): Promise<T> {
  const found = new Set<string>();
  const failures: unknown[] = [];
  let search: Promise<void> | undefined;
  const timer = setInterval(() => {
    search ??= disarm(dir, found)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => (search = undefined));
  }, PATIENCE_MILLIS);
  let result: T;
  try {
    result = await git;
  } finally {
    clearInterval(timer);
    await search;
  }
  if (failures.length > 0) throw failures[0];
  if (found.size === 0) return result;
  const shown = [...found].map((path) => JSON.stringify(path)).join(", ");
  throw new TreeBroken(`git could not read the workspace ${dir} to its end: ${shown} held it up.`);
}

/** Takes every trap of a tree out of the way (T2); their paths, from its top, go into `found`. */
async function disarm(dir: string, found: Set<string>): Promise<void> {
  const folders = [{ at: Buffer.from(dir), belowGit: false }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(folder.at)) {
      const name = entry.name.toString();
      const at = Buffer.concat([folder.at, Buffer.from("/"), entry.name]);
      if (entry.isDirectory()) folders.push({ at, belowGit: folder.belowGit || name === ".git" });
      else if (await sprung(at, entry, folder.belowGit)) found.add(at.toString().slice(dir.length + 1));
    }
  }
}

async function sprung(at: Buffer, entry: Dirent<Buffer>, belowGit: boolean): Promise<boolean> {
  const name = entry.name.toString();
  const isRead = READ.has(name) || (belowGit && READ_BELOW_GIT.has(name));
  try {
    if (entry.isFIFO() && (isRead || belowGit)) return await letGo(at);
    if (!isRead || !entry.isFile() || (await lstat(at)).size <= BYTES_MAX) return false;
    await truncate(at);
    return true;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENXIO")) return false;
    throw error;
  }
}

/** Removes a pipe; whoever waits for it finds it empty. */
async function letGo(at: Buffer): Promise<boolean> {
  const pipe = await open(at, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  await rm(at);
  await pipe.close();
  return true;
}

async function entriesOf(folder: Buffer): Promise<readonly Dirent<Buffer>[]> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG")) return [];
    throw error;
  }
}
