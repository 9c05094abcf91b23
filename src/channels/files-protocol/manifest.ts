/**
 * What an agent starts with of its siblings: copies of their outputs, and `inbox/dependencies.json` (docs/files-dependencies.md).
 *
 * M1. Only regular files are copied, from the outbox of the sibling that has completed; no link is followed, at any part of a path.
 * M2. An output that is not there whole fails the turn with a sentence that names it. Of a sibling that was skipped nothing is copied.
 * M3. Done again it comes to the same.
 */
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Dependencies } from "../../runtime/dependencies/readiness.ts";
import { placeOf } from "../../runtime/dependencies/place.ts";
import { TreeBroken } from "../../runtime/workspaces/port.ts";
import { look, lookWithin, openRegular, pathWithin } from "../../runtime/workspaces/safe-path.ts";
import { writeInto } from "../../runtime/workspaces/files.ts";
import { filesHome, INBOX_FOLDER } from "./layout.ts";

/** The manifest, in the inbox. */
export const MANIFEST_FILE = "dependencies.json";
/** Most files that are copied for one turn. */
export const COPIED_MAX = 10_000;

/** The text of the manifest: what the agent declares, and what came of each that it names. */
export function manifestOf({ depends_on, wait_for, settled }: Dependencies): string {
  const states = Object.fromEntries(settled.map(({ agent, standing }) => [agent, standing]));
  return `${JSON.stringify({ depends_on, wait_for, states }, null, 2)}\n`;
}

/**
 * Copies the outputs into the home `home` and writes the manifest. Returns why the turn cannot begin, one sentence (M2).
 * `jobDirectory` is `.cfa/jobs/<id>`.
 */
export async function placeDependencies(
  jobDirectory: string,
  home: string,
  dependencies: Dependencies,
): Promise<string | undefined> {
  const room = { left: COPIED_MAX };
  try {
    for (const { agent, outputs, copy_to } of dependencies.depends_on) {
      const settled = dependencies.settled.find((one) => one.agent === agent);
      if (settled?.standing !== "completed") continue;
      const from = filesHome(jobDirectory, settled.thread);
      for (const output of outputs) {
        const failure = await copyOutput(from, posix.join(output, "."), home, placeOf(output, copy_to), room);
        if (failure !== undefined) return `${output} of ${agent}, which it depends on, ${failure}`;
      }
    }
    await writeInto(home, `${INBOX_FOLDER}/${MANIFEST_FILE}`, manifestOf(dependencies));
    return undefined;
  } catch (error) {
    if (!(error instanceof TreeBroken)) throw error;
    return `its inbox cannot be filled: ${error.message}`;
  }
}

/** Copies a file or everything in a folder; the end of a sentence that begins with its name when it cannot. */
async function copyOutput(
  from: string,
  path: string,
  home: string,
  place: string,
  room: { left: number },
): Promise<string | undefined> {
  const found = await lookWithin(from, path);
  if (found === undefined) return "is not there";
  if (found.isDirectory()) {
    for (const name of (await readdir(join(from, path))).sort()) {
      const failure = await copyOutput(from, `${path}/${name}`, home, `${place}/${name}`, room);
      if (failure !== undefined)
        return failure.startsWith("holds") ? failure : `holds ${name}, which ${failure}`;
    }
    return undefined;
  }
  if (found.isSymbolicLink()) return "is a link, and no link is followed";
  if (!found.isFile()) return "is no regular file";
  if (room.left === 0) return `is one file too many: at most ${COPIED_MAX} are copied`;
  room.left -= 1;
  await copyFileWithin(from, path, home, place);
  return undefined;
}

async function copyFileWithin(from: string, path: string, home: string, place: string): Promise<void> {
  await using file = await openRegular(from, path);
  if (file === undefined) throw new TreeBroken(`${path} has gone while it was copied.`);
  const at = await pathWithin(home, place, true);
  if ((await look(at))?.isDirectory() === true)
    throw new TreeBroken(`${place} is a folder: a file cannot take its place.`);
  const beside = `${at}.${randomUUID()}`;
  try {
    await pipeline(file.createReadStream({ autoClose: false }), createWriteStream(beside, { flags: "wx" }));
    await rename(beside, at);
  } finally {
    await rm(beside, { force: true });
  }
}
