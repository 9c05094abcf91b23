/** Clearing what earlier turns left for the engine to read: the outcome record and the status file. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { look } from "./safe-path.ts";
import { removeAll } from "./worktrees.ts";

/** Directory and file of each record, relative to the root of a tree. */
const RECORDS: readonly (readonly [string, string])[] = [
  [".cfa", "outcome.json"],
  [".sortie", "status"],
];

/**
 * Removes the records from the tree at `root`. Follows no link: a directory that is one is itself removed, so that
 * the next turn cannot write through it either.
 */
export async function clearRecords(root: string): Promise<void> {
  for (const [directory, file] of RECORDS) {
    const stat = await look(join(root, directory));
    if (stat?.isSymbolicLink() === true) await rm(join(root, directory));
    else if (stat?.isDirectory() === true) await removeAll(join(root, directory, file));
  }
}
