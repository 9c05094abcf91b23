/**
 * A merge that a tree holds unfinished, from the conflict to the merge commit.
 *
 * X1. A record beside git's own state says which child is being merged, on top of what, and how each path stood when
 *     the conflict began. It stays after completion, until the next merge, so that a lost turn can be put back.
 * X2. A path with markers is resolved when no line with `<<<<<<<` or `>>>>>>>` is left in it; staging it with markers
 *     does not count. A path without markers (binary, deleted on one side) is resolved when it differs from how the
 *     conflict left it, or by declaration.
 * X3. The merge commit holds the whole work of the tree, so edits elsewhere that belong to the resolution are in it.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fields } from "./git.ts";
import { isErrno, look } from "./safe-path.ts";
import type { Tree } from "./trees.ts";

const pathSchema = z.strictObject({
  /** Byte string. */
  path: z.string(),
  /** The conflict left markers in the file. */
  markers: z.boolean(),
  /** How the conflict left it: hash of content or link target; null when nothing was there. */
  was: z.string().nullable(),
  declared: z.boolean(),
});

const recordSchema = z.strictObject({
  /** Thread whose work is being merged. */
  thread: z.string(),
  /** Its commit. */
  commit: z.string(),
  /** Work commit of the tree on which the merge began. */
  onto: z.string(),
  /** The merge commit, once made. */
  completed: z.string().nullable(),
  paths: z.array(pathSchema),
});

/** The record of a conflict (X1). */
export type ConflictRecord = z.infer<typeof recordSchema>;

type ConflictPath = z.infer<typeof pathSchema>;

const recordPath = (tree: Tree): string => join(tree.admin, "cfa-conflict.json");

/** The record of the tree's newest conflict, completed or not. */
export function readConflict(tree: Tree): ConflictRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(recordPath(tree), "utf8")));
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Writes the record; synchronous, so that a declaration and a completion cannot overwrite each other. */
export function writeConflict(tree: Tree, record: ConflictRecord): void {
  const path = recordPath(tree);
  writeFileSync(`${path}.new`, JSON.stringify(record));
  renameSync(`${path}.new`, path);
}

/** Forgets the tree's newest conflict. */
export async function forgetConflict(tree: Tree): Promise<void> {
  await rm(recordPath(tree), { force: true });
}

/** How each unmerged path of the tree stands now. */
export async function describePaths(tree: Tree): Promise<readonly ConflictPath[]> {
  const paths = [...(await unmergedPaths(tree)).keys()];
  return Promise.all(
    paths.map(async (path) => {
      const state = await stateOf(tree, path);
      return { path, markers: state.markers, was: state.hash, declared: false };
    }),
  );
}

/** Unmerged paths (byte strings) of the index, each with its stages. */
export async function unmergedPaths(tree: Tree): Promise<ReadonlyMap<string, readonly number[]>> {
  const stages = new Map<string, number[]>();
  for (const entry of fields(await tree.git.run(["ls-files", "--unmerged", "-z"]))) {
    // <mode> <object> <stage>\t<path>
    const tab = entry.indexOf("\t");
    const path = entry.slice(tab + 1);
    stages.set(path, [...(stages.get(path) ?? []), Number(entry.slice(tab - 1, tab))]);
  }
  return stages;
}

/** Paths (byte strings) of the conflict that are not resolved yet (X2). */
export async function unresolvedPaths(tree: Tree, record: ConflictRecord): Promise<readonly string[]> {
  const stages = await unmergedPaths(tree);
  const known = new Map(record.paths.map((entry) => [entry.path, entry]));
  const paths = [...new Set([...known.keys(), ...stages.keys()])];
  const open = await Promise.all(
    paths.map(async (path) => {
      const entry = known.get(path);
      if (entry?.declared === true) return false;
      const now = await stateOf(tree, path);
      if (now.markers) return entry === undefined || entry.markers;
      if (!stages.has(path)) return false;
      if (entry?.markers === true) return false;
      const onlyBase = stages.get(path)?.every((stage) => stage === 1) === true;
      return !(onlyBase && now.hash === null) && now.hash === (entry?.was ?? null);
    }),
  );
  return paths.filter((_, at) => open[at]);
}

/** Hash of what stands at a path, and whether it holds conflict markers. */
async function stateOf(tree: Tree, path: string): Promise<{ hash: string | null; markers: boolean }> {
  const at = Buffer.concat([Buffer.from(`${tree.dir}/`), Buffer.from(path, "latin1")]);
  const stat = await look(at);
  if (stat === undefined || stat.isDirectory())
    return { hash: stat === undefined ? null : "directory", markers: false };
  if (stat.isSymbolicLink()) return { hash: hashOf(await readlink(at, "buffer"), "link"), markers: false };
  if (!stat.isFile()) return { hash: "special", markers: false };
  const content = await readFile(at);
  return { hash: hashOf(content, String(stat.mode)), markers: hasMarkers(content) };
}

const hashOf = (content: Buffer, kind: string): string =>
  createHash("sha256").update(`${kind}\0`).update(content).digest("hex");

function hasMarkers(content: Buffer): boolean {
  return /^(<{7}|>{7})( |\r?$)/m.test(content.toString("latin1"));
}
