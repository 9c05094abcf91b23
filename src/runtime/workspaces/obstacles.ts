/**
 * Ignored files of a tree that stand where a merge would put a new file. Git overwrites such files without a word.
 *
 * O1. They are moved aside into the worktree's administration before the merge and put back after it, also when a
 *     kill came between.
 * O2. A path that was in the way becomes an unmerged one: both sides in the index, the tree's own file on disk.
 */
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fields } from "./git.ts";
import { look } from "./safe-path.ts";
import { blobsAt } from "./stage.ts";
import type { Tree } from "./trees.ts";
import { readIfThere, removeAll, writeWhole } from "./worktrees.ts";

const aside = (tree: Tree): string => join(tree.admin, "cfa-aside");
/** Absolute path, as bytes, of a path (byte string) of the tree. */
export const onDisk = (tree: Tree, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${tree.dir}/`), Buffer.from(path, "latin1")]);

/** Paths (byte strings) that `commit` adds to `onto` and at which the tree already holds a file. */
export async function obstaclesOf(tree: Tree, onto: string, commit: string): Promise<readonly string[]> {
  const added = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", onto, commit];
  const paths = fields(await tree.git.run(added));
  const stats = await Promise.all(paths.map((path) => look(onDisk(tree, path))));
  return paths.filter((_, at) => {
    const stat = stats[at];
    return stat !== undefined && !stat.isDirectory();
  });
}

/** Moves the files at `paths` aside (O1). */
export async function moveObstaclesAside(tree: Tree, paths: readonly string[]): Promise<void> {
  await mkdir(aside(tree), { recursive: true });
  await writeWhole(join(aside(tree), "list.json"), JSON.stringify(paths));
  for (const [at, path] of paths.entries()) await rename(onDisk(tree, path), join(aside(tree), String(at)));
}

/** Puts back what was moved aside, over whatever stands there now. Returns its paths. */
export async function putBack(tree: Tree): Promise<readonly string[]> {
  const list = await readIfThere(join(aside(tree), "list.json"));
  if (list === undefined) return [];
  const paths = z.array(z.string()).parse(JSON.parse(list));
  for (const [at, path] of paths.entries()) {
    const kept = join(aside(tree), String(at));
    if ((await look(kept)) !== undefined) await rename(kept, onDisk(tree, path));
  }
  await removeAll(aside(tree));
  return paths;
}

/** Makes `paths` unmerged: the tree's file against the one that the merge has put into the index (O2). */
export async function markUnmerged(tree: Tree, paths: readonly string[]): Promise<void> {
  const ours = await blobsAt(tree, paths);
  const entries = fields(await tree.git.run(["ls-files", "--stage", "-z"]));
  const lines = entries.flatMap((entry) => {
    const tab = entry.indexOf("\t");
    const path = entry.slice(tab + 1);
    const [mode, theirs = "", stage] = entry.slice(0, tab).split(" ");
    const own = ours.get(path);
    if (stage !== "0" || own === undefined) return [];
    const none = "0".repeat(theirs.length);
    return [`0 ${none}\t${path}\0`, `${own.mode} ${own.id} 2\t${path}\0`, `${mode} ${theirs} 3\t${path}\0`];
  });
  await tree.git.run(["update-index", "-z", "--index-info"], { input: lines.join("") });
}
