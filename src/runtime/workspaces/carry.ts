/**
 * Artifacts travel beside the commits: from tree to tree, and from a commit that the log names back into its tree.
 *
 * K1. Artifacts never enter a work commit. What they were when cfa itself made or moved a tree (opened, branched,
 *     merged into) is kept as a list in the job's file store, by tree and commit, so that a tree can be put back to
 *     that commit with them.
 * K2. Only regular files are carried; an artifact that is a link, a directory or too large for a commit (oversize.ts) stays where it is.
 */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { storeFile } from "./files.ts";
import { FILE_BYTES_MAX } from "./oversize.ts";
import type { NamedFile } from "./port.ts";
import { lookWithin } from "./safe-path.ts";
import type { JobGit, Tree } from "./trees.ts";
import { readIfThere, removeAll, writeWhole } from "./worktrees.ts";

const listSchema = z.array(
  z.strictObject({ path: z.string(), sha256: z.string().length(64), executable: z.boolean() }),
);

/** Stores the artifacts of the tree at `dir`. */
export async function storeArtifacts(job: JobGit, dir: string): Promise<readonly NamedFile[]> {
  const stored: NamedFile[] = [];
  for (const name of job.artifacts) {
    const stat = await lookWithin(dir, name);
    if (stat?.isFile() !== true || stat.size > FILE_BYTES_MAX) continue;
    const file = await storeFile(job.files, dir, name);
    if (file !== undefined) stored.push(file);
  }
  return stored;
}

/** Keeps what the artifacts of `tree` are at `commit` (K1). */
export async function keepArtifacts(job: JobGit, tree: Tree, commit: string): Promise<void> {
  const at = listPath(job, tree, commit);
  await mkdir(dirname(at), { recursive: true });
  await writeWhole(at, `${JSON.stringify(await storeArtifacts(job, tree.dir))}\n`);
}

/** What the artifacts of `tree` were at `commit`; undefined when that was not kept. */
export async function keptArtifacts(
  job: JobGit,
  tree: Tree,
  commit: string,
): Promise<readonly NamedFile[] | undefined> {
  const kept = await readIfThere(listPath(job, tree, commit));
  return kept === undefined ? undefined : listSchema.parse(JSON.parse(kept));
}

/** Removes artifacts, as files, links or directories, from a tree. */
export async function removeArtifacts(job: JobGit, tree: Tree): Promise<void> {
  for (const name of job.artifacts)
    if ((await lookWithin(tree.dir, name)) !== undefined) await removeAll(join(tree.dir, name));
}

const listPath = (job: JobGit, tree: Tree, commit: string): string =>
  join(job.files, "artifacts", tree.name, `${commit}.json`);
