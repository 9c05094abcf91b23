/**
 * Merges that git had begun when it was killed.
 *
 * H1. Git writes tree and index before it says anywhere that a merge is under way. A note beside its state, written before
 *     the merge and removed when that is committed or recorded as a conflict, closes the gap.
 * H2. When a note is found at start and HEAD has not moved, everything that differs from the commit below, which holds
 *     the whole work of the tree, is git's and goes; ignored files that were in the way stay (obstacles.ts).
 * H3. When HEAD has moved, the merge is whole.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { forgetConflict } from "./conflict.ts";
import { moveObstaclesAside, onDisk, putBack } from "./obstacles.ts";
import { look } from "./safe-path.ts";
import { type JobGit, reservedNames, type Tree } from "./trees.ts";
import { removeMergeState } from "./unfinished.ts";
import { readIfThere, removeLocks, writeWhole } from "./worktrees.ts";

const noteSchema = z.strictObject({
  /** Work commit of the tree on which the merge begins. */
  onto: z.string(),
  /** What is merged. */
  commit: z.string(),
  /** Paths (byte strings) of ignored files that were moved aside for it. */
  obstacles: z.array(z.string()).readonly(),
  /** The tree must hold the conflict: its record stays. */
  again: z.boolean(),
});

const notePath = (tree: Tree): string => join(tree.admin, "cfa-merging.json");

/** Says that git is about to merge (H1). */
export async function noteMerge(tree: Tree, note: z.infer<typeof noteSchema>): Promise<void> {
  await writeWhole(notePath(tree), JSON.stringify(note));
}

/** Says that the merge is over, one way or the other (H1). */
export async function forgetMerge(tree: Tree): Promise<void> {
  await rm(notePath(tree), { force: true });
}

/** Undoes what a git that was killed within a merge has left in the tree (H2, H3). */
export async function undoHalfMerge(job: JobGit, tree: Tree): Promise<void> {
  const note = await readIfThere(notePath(tree));
  if (note === undefined) return;
  const { onto, commit, obstacles, again } = noteSchema.parse(JSON.parse(note));
  await removeLocks(tree.admin);
  if ((await tree.git.run(["rev-parse", "HEAD"])).trim() === onto) {
    if (!again) await forgetConflict(tree);
    await putBack(tree);
    await moveObstaclesAside(tree, await present(tree, obstacles));
    await removeMergeState(tree);
    // What the merge has added is taken for tracked, so that git removes it, also where it is ignored.
    await tree.git.run(["read-tree", commit]);
    await tree.git.run(["read-tree", "--reset", "-u", onto]);
    const kept = reservedNames(job).flatMap((name) => ["-e", `/${name.replace(/[\\*?[\]!# ]/g, "\\$&")}`]);
    await tree.git.run(["clean", "-f", "-d", "-q", ...kept]);
    await putBack(tree);
  }
  await forgetMerge(tree);
}

async function present(tree: Tree, paths: readonly string[]): Promise<readonly string[]> {
  const stats = await Promise.all(paths.map((path) => look(onDisk(tree, path))));
  return paths.filter((_, at) => stats[at] !== undefined);
}
