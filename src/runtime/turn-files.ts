/**
 * What stands in workspace and outbox around a turn: the artifact that it aligns, the files that come with its message, the record that
 * it leaves, the outbox that an earlier one left.
 */
import type { Stats } from "node:fs";
import { lstat, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Brief } from "./director.ts";
import { isErrno } from "../soup/errno.ts";
import type { ThreadId } from "../soup/message.ts";
import { OUTCOME_FILE } from "./outbox-calls.ts";
import { readRegular } from "./outbox-file.ts";
import { type NamedFile, PathRefused, type Workspaces } from "./workspaces/port.ts";

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

/** Files that came with a message, as the turn on it finds them. */
export type Placed = {
  readonly files: readonly NamedFile[];
  /** Those for which there is no place in the tree, one sentence each: that is nobody's failure. */
  readonly problems: readonly string[];
};

/** Puts files into a tree, one after the other. Inside `exclusive`. */
export async function placeFiles(
  workspaces: Pick<Workspaces, "place">,
  tree: ThreadId,
  files: readonly NamedFile[],
): Promise<Placed> {
  const placed: NamedFile[] = [];
  const problems: string[] = [];
  for (const file of files) {
    try {
      await workspaces.place(tree, [file]);
      placed.push(file);
    } catch (error) {
      if (!(error instanceof PathRefused)) throw error;
      problems.push(`file ${file.path} came with the message and was not placed: ${error.message}`);
    }
  }
  return { files: placed, problems };
}

/** A prompt with what is to be said of files that came with its message. */
export function withUnplaced(prompt: string, { problems }: Placed): string {
  return [prompt, ...problems.map((problem) => `[${problem}]`)].join("\n\n");
}
