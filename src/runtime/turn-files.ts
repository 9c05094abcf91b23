/**
 * What stands in workspace and outbox around a turn: the artifact that it aligns, the record that it leaves, the outbox
 * that an earlier one left.
 */
import type { Stats } from "node:fs";
import { lstat, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Brief } from "./director.ts";
import { isErrno } from "../soup/errno.ts";
import { OUTCOME_FILE } from "./outbox-calls.ts";
import { readRegular } from "./outbox-file.ts";

/** A state that is entered again aligns the artifact that is there; otherwise it drafts one (CfA §4, START). */
export async function entryOf({ entry, artifact }: Brief, workspace: string): Promise<"draft" | "align"> {
  if (entry === "draft" || artifact === null) return "draft";
  const stat = await lstatOrNothing(join(workspace, artifact));
  return stat?.isFile() === true ? "align" : "draft";
}

async function lstatOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/**
 * Keeps the outbox of a lost turn, and the record that it left, under the first free `…lost-N` (T2). Returns whether the turn had
 * begun: then what stands in its workspace is its own, and nothing of an earlier turn.
 */
export async function setAside(outbox: string, workspace: string): Promise<boolean> {
  const record = await readRecord(workspace);
  const kept = await moveAside(outbox);
  if (record !== null && kept !== undefined) await writeFile(join(kept, OUTCOME_FILE.name), record);
  // A kill may have come after an earlier resume has moved it.
  return kept !== undefined || (await lstatOrNothing(lostName(outbox, 1))) !== undefined;
}

const lostName = (outbox: string, n: number): string => `${outbox}.lost-${n}`;

/** Renames an outbox to the first free `…lost-N`; undefined when there is none. */
export async function moveAside(outbox: string): Promise<string | undefined> {
  for (let n = 1; ; n++) {
    const kept = lostName(outbox, n);
    try {
      await rename(outbox, kept);
      return kept;
    } catch (error) {
      if (isErrno(error, "ENOENT")) return undefined;
      if (!isErrno(error, "ENOTEMPTY", "EEXIST")) throw error;
    }
  }
}

/** Longest outcome record that is read, in bytes. */
const RECORD_BYTES = 65_536;

/** The text of the outcome record of a tree; "" for one that cannot be read as a regular file (CfA §4). */
export async function readRecord(workspace: string): Promise<string | null> {
  const directory = join(workspace, OUTCOME_FILE.directory);
  const stat = await lstatOrNothing(directory);
  if (stat === undefined) return null;
  if (!stat.isDirectory()) return "";
  const file = await readRegular(join(directory, OUTCOME_FILE.name), RECORD_BYTES);
  if (file === undefined) return null;
  return "text" in file ? file.text : "";
}
