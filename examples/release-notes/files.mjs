/**
 * Files of the workspace.
 *
 * F1. A file is written beside its place and moved there, so it is whole or absent, and a symbolic link is replaced,
 *     never followed.
 * F2. Everything that is not a result lies under {@link SCRATCH} and is gone when the job is done.
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Folder of the work in progress: the sections and the lead's record of its writers. */
export const SCRATCH = ".release-notes";

/** The result. */
export const NOTES = "RELEASE_NOTES.md";

/** Where section `number` is written. */
export const sectionPath = (number) => `${SCRATCH}/${String(number).padStart(2, "0")}.md`;

/** The text of a file, its lines ended as they were written whatever git made of them; undefined when there is none. */
export async function readText(path) {
  try {
    return (await readFile(path, "utf8")).replaceAll("\r\n", "\n");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes a file whole (F1); one that holds the text already is left alone. */
export async function writeText(path, content) {
  if ((await readText(path)) === content) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.tmp`, content);
  await rename(`${path}.tmp`, path);
}

/** Removes the work in progress (F2). */
export const removeScratch = () => rm(SCRATCH, { recursive: true, force: true });
