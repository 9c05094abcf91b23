/**
 * Reading and writing the small files that agents and cfa exchange, in directories that agents can write to.
 *
 * F1. Reading follows no link, waits for no writer, and takes no device and nothing over a bound.
 * F2. A reader sees a file whole or not at all: it is written under another name and then renamed or linked.
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isErrno } from "../soup/errno.ts";

/** Names that start so are half-written files. */
export const TEMPORARY = ".writing-";

/** The text of a file; or why it is not taken, as the end of a sentence; or undefined when there is none. */
export type RegularFile = { readonly text: string } | { readonly problem: string } | undefined;

/** Reads a regular file of at most `bytesMax` bytes (F1). Invalid UTF-8 becomes U+FFFD. */
export async function readRegular(path: string, bytesMax: number): Promise<RegularFile> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const info = await file.stat();
    if (!info.isFile()) return { problem: "is no regular file" };
    if (info.size > bytesMax) return { problem: `is larger than ${bytesMax} bytes` };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(info.size), 0, info.size, 0);
    return { text: buffer.toString("utf8", 0, bytesRead) };
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    if (isErrno(error, "ELOOP")) return { problem: "is a link, which is not followed" };
    if (isErrno(error, "EACCES", "ENXIO", "EISDIR")) return { problem: "cannot be read" };
    throw error;
  }
}

/** Writes a file in place of any other of its name; a link is replaced, not followed (F2). */
export async function replaceFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path));
}

/** Writes a file unless its name is taken, then it writes nothing and settles with false (F2). */
export async function createFile(path: string, text: string): Promise<boolean> {
  return withTemporary(path, text, async (temporary) => {
    try {
      await link(temporary, path);
      return true;
    } catch (error) {
      if (isErrno(error, "EEXIST")) return false;
      throw error;
    }
  });
}

async function withTemporary<T>(
  path: string,
  text: string,
  publish: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = join(dirname(path), `${TEMPORARY}${randomUUID()}`);
  try {
    await writeFile(temporary, text, { flag: "wx" });
    return await publish(temporary);
  } finally {
    await unlink(temporary).catch((error: unknown) => {
      // Renamed away, or never made.
      if (!isErrno(error, "ENOENT")) throw error;
    });
  }
}
