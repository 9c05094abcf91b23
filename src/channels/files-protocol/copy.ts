/**
 * Copying and listing files of trees that agents have written.
 *
 * C1. Only regular files of at most 1 GiB are copied (oversize.ts); no link is followed at any part of a path, on either side (safe-path.ts).
 * C2. A file appears whole: it is written beside and renamed. What stands in its place is replaced, a directory refused.
 */
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, readdir, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { join } from "node:path";
import { FILE_BYTES_MAX } from "../../runtime/workspaces/oversize.ts";
import { PathRefused } from "../../runtime/workspaces/port.ts";
import { look, lookWithin, openRegular, pathWithin } from "../../runtime/workspaces/safe-path.ts";
import { isErrno } from "../../soup/errno.ts";

/** A file of the tree at `root`, by its path there. */
export type Spot = { readonly root: string; readonly path: string };

/**
 * Copies a file; settles with false when there is none.
 * @param mode permissions of the copy; those for programs and data unless given.
 * @throws PathRefused with a sentence for what is no regular file, or cannot stand there (C1, C2).
 */
export async function copyRegular(from: Spot, to: Spot, mode?: number): Promise<boolean> {
  const opened = await openRegular(from.root, from.path);
  if (opened === undefined) return false;
  await using file = opened;
  const info = await file.stat();
  if (info.size > FILE_BYTES_MAX)
    throw new PathRefused(`${JSON.stringify(from.path)} is longer than 1 GiB: write a smaller file.`);
  const at = await pathWithin(to.root, to.path, true);
  if ((await look(at))?.isDirectory() === true)
    throw new PathRefused(`${JSON.stringify(to.path)} is a directory: a file cannot take its place.`);
  const beside = `${at}.${randomUUID()}`;
  try {
    const source = file.createReadStream({ autoClose: false, start: 0 });
    await pipeline(source, createWriteStream(beside, { flags: "wx" }));
    await chmod(beside, mode ?? ((info.mode & 0o100) === 0 ? 0o644 : 0o755));
    await rename(beside, at);
  } finally {
    await rm(beside, { force: true });
  }
  return true;
}

/** What lies below a folder: paths relative to it, sorted. */
export type Listing = {
  /** Regular files. */
  readonly files: readonly string[];
  /** Whatever else is no folder: links, pipes, devices. */
  readonly others: readonly string[];
  /** There was more than is listed. */
  readonly cut: boolean;
};

/** Most entries of a folder that are listed. */
export const LISTED_MAX = 10_000;

/** Lists what lies below `path` of the tree at `root`, links not followed; nothing where it is no folder. */
export async function listRegular(root: string, path: string): Promise<Listing> {
  const files: string[] = [];
  const others: string[] = [];
  const folders = [""];
  let seen = 0;
  if ((await lookWithin(root, path))?.isDirectory() !== true) return { files, others, cut: false };
  for (let at = folders.shift(); at !== undefined && seen < LISTED_MAX; at = folders.shift()) {
    for (const entry of await entriesOf(join(root, path, at))) {
      if (++seen > LISTED_MAX) break;
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else (entry.isFile() ? files : others).push(name);
    }
  }
  return { files: files.sort(), others: others.sort(), cut: seen > LISTED_MAX || folders.length > 0 };
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG")) return [];
    throw error;
  }
}
