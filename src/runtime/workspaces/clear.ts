/** Making room for the outcome record of a turn: clearing what earlier turns left. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { look } from "./safe-path.ts";
import { removeAll } from "./worktrees.ts";

/**
 * Removes the outcome record from the tree at `root`. Follows no link: a directory that is one is itself removed, so
 * that the next turn cannot write through it either. The directory is there afterwards: a plain redirection can write
 * the record.
 */
export async function clearRecord(root: string): Promise<void> {
  const directory = join(root, ".cfa");
  const stat = await look(directory);
  if (stat?.isDirectory() === true) return removeAll(join(directory, "outcome.json"));
  if (stat?.isSymbolicLink() === true) await rm(directory);
  if (stat === undefined || stat.isSymbolicLink()) await mkdir(directory);
}
