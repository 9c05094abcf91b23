/**
 * The job's file store: contents by hash, copied out of trees and into trees.
 *
 * F1. A content is stored once, under the SHA-256 of its bytes, written beside and renamed, never changed.
 * F2. What is no regular file inside the tree is refused with a sentence (safe-path.ts), and so is a file that no commit would hold (oversize.ts).
 * F3. `.sortie` does not travel: only the agent of a tree says there that it needs a person (A2O §3.2).
 */
import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, copyFile, chmod, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FILE_BYTES_MAX } from "./oversize.ts";
import { type NamedFile, PathRefused } from "./port.ts";
import { look, openRegular, partsOf, pathWithin } from "./safe-path.ts";

/** Folder of the status file (runtime/status-file.ts). */
const STATUS_FOLDER = ".sortie";

/** Stores the file `path` of the tree at `root`; undefined when it does not exist. */
export async function storeFile(store: string, root: string, path: string): Promise<NamedFile | undefined> {
  requireTravelling(path);
  const file = await openRegular(root, path);
  if (file === undefined) return undefined;
  const beside = join(store, `.${randomUUID()}`);
  try {
    if ((await file.stat()).size > FILE_BYTES_MAX)
      throw new PathRefused(`${JSON.stringify(path)} is longer than 1 GiB: hand on a smaller file.`);
    await mkdir(store, { recursive: true });
    const sha256 = await copyHashing(file, beside);
    await rename(beside, join(store, sha256));
    const { mode } = await file.stat();
    return { path, sha256, executable: (mode & 0o100) !== 0 };
  } finally {
    await file.close();
    await rm(beside, { force: true });
  }
}

async function copyHashing(from: FileHandle, to: string): Promise<string> {
  const hash = createHash("sha256");
  const out = await open(to, "wx", 0o600);
  try {
    for await (const chunk of from.createReadStream({ autoClose: false, start: 0 })) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError("a stream without encoding yields buffers");
      hash.update(chunk);
      await out.writeFile(chunk);
    }
  } finally {
    await out.close();
  }
  return hash.digest("hex");
}

/** Copies a stored file into the tree at `root`; a link in its place is replaced, a directory refused. */
export async function placeFile(store: string, root: string, file: NamedFile): Promise<void> {
  if (!/^[0-9a-f]{64}$/.test(file.sha256)) throw new Error(`${JSON.stringify(file.sha256)} is no SHA-256`);
  const content = join(store, file.sha256);
  if ((await look(content)) === undefined)
    throw new Error(`the content of ${JSON.stringify(file.path)} is not in the job's file store: ${content}`);
  await writeFileWithin(root, file.path, file.executable, (beside) => copyFile(content, beside));
}

/** Writes `content` (text as UTF-8) as the file `path` of the tree at `root`, like {@link placeFile}. */
export async function writeInto(root: string, path: string, content: string | Uint8Array): Promise<void> {
  await writeFileWithin(root, path, false, (beside) => writeFile(beside, content));
}

async function writeFileWithin(
  root: string,
  path: string,
  executable: boolean,
  write: (beside: string) => Promise<void>,
): Promise<void> {
  requireTravelling(path);
  const at = await pathWithin(root, path, true);
  if ((await look(at))?.isDirectory() === true)
    throw new PathRefused(
      `${JSON.stringify(path)} is a directory in the workspace: a file cannot take its place.`,
    );
  const beside = `${at}.${randomUUID()}`;
  try {
    await write(beside);
    await chmod(beside, executable ? 0o755 : 0o644);
    await rename(beside, at);
  } finally {
    await rm(beside, { force: true });
  }
}

/** Throws a sentence for a path that is none of a tree (safe-path.ts), or whose file stays in its tree (F3). */
export function requireTravelling(path: string): void {
  if (partsOf(path)[0]?.toLowerCase() !== STATUS_FOLDER) return;
  throw new PathRefused(
    `${JSON.stringify(path)} belongs to the status file, by which each agent speaks for itself: say it in the message.`,
  );
}
