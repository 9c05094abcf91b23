/**
 * Reaching files of a tree that an agent has written, without being led out of it.
 *
 * P1. A path of a tree is relative, `/` between its parts, without empty, `.` and `..` parts, and touches neither
 *     `.git` nor `.cfa`.
 * P2. No link is followed, at any part. Nobody else writes to the tree meanwhile (its turn has ended), so looking
 *     before reaching is enough; the last part is opened without following all the same.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { isErrno } from "../../soup/errno.ts";
import { PathRefused } from "./port.ts";

/** What there is at a path, links not followed; undefined when nothing is. */
export async function look(path: string | Buffer): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** The parts of a path of a tree. Throws a sentence when it is none (P1). */
export function partsOf(path: string): readonly string[] {
  const parts = path.split("/");
  if (path.includes("\0") || parts.some((part) => part === "" || part === "." || part === ".."))
    throw new PathRefused(
      `${JSON.stringify(path)} is no path inside the workspace: name a file relative to its root.`,
    );
  const first = parts[0]?.toLowerCase();
  if (first === ".cfa" || parts.some((part) => part.toLowerCase() === ".git"))
    throw new PathRefused(
      `${JSON.stringify(path)} belongs to ${first === ".cfa" ? "cfa" : "git"}: name another file.`,
    );
  return parts;
}

/**
 * Absolute path of the file `path` of the tree at `root`, after a look at each directory on the way (P2).
 * Throws a sentence when one is a link or no directory; with `make`, missing ones are made.
 */
export async function pathWithin(root: string, path: string, make = false): Promise<string> {
  const parts = partsOf(path);
  let at = root;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    if (make) await makeDirectory(at);
    const stat = await look(at);
    if (stat !== undefined && !stat.isDirectory())
      throw new PathRefused(
        `${JSON.stringify(path)} leads through ${JSON.stringify(part)}, which is ${stat.isSymbolicLink() ? "a link" : "no directory"}: name the file itself.`,
      );
  }
  return join(at, parts.at(-1) ?? "");
}

/** What there is at `path` of the tree at `root`; undefined when nothing is, or the way there leads through a link. */
export async function lookWithin(root: string, path: string): ReturnType<typeof look> {
  let at = root;
  const parts = partsOf(path);
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    if ((await look(at))?.isDirectory() !== true) return undefined;
  }
  return look(join(at, parts.at(-1) ?? ""));
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
}

/**
 * Opens the regular file `path` of the tree at `root` for reading. Undefined when there is none.
 * Throws a sentence for links, directories, devices and pipes.
 */
export async function openRegular(root: string, path: string): Promise<FileHandle | undefined> {
  const at = await pathWithin(root, path);
  let file: FileHandle;
  try {
    file = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    if (isErrno(error, "ELOOP"))
      throw new PathRefused(`${JSON.stringify(path)} is a link: name the file itself.`, { cause: error });
    if (isErrno(error, "ENXIO"))
      throw new PathRefused(`${JSON.stringify(path)} is no regular file.`, { cause: error });
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new PathRefused(`${JSON.stringify(path)} is no regular file.`);
}
