/** Clearing what earlier turns left for the engine to read: the outcome record. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { look } from "./safe-path.ts";
import { removeAll } from "./worktrees.ts";

/**
 * Removes the outcome record from the tree at `root`. Follows no link: a directory that is one is itself removed, so
 * that the next turn cannot write through it either.
 */
export async function clearRecord(root: string): Promise<void> {
  const directory = join(root, ".cfa");
  const stat = await look(directory);
  if (stat?.isSymbolicLink() === true) await rm(directory);
  else if (stat?.isDirectory() === true) await removeAll(join(directory, "outcome.json"));
}
