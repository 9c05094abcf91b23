/**
 * A conflict that a tree holds, from its beginning to the commit that ends it.
 *
 * X1. A record beside git's own state says which child is being merged, on top of what, and how each path stood when
 *     the conflict began. It stays after completion, until the next merge, so that a lost turn can be put back.
 * X2. A path with markers is resolved when no line with `<<<<<<<` or `>>>>>>>` is left in it; staging it with markers
 *     does not count. A path without markers (binary, deleted on one side) is resolved when it differs from how the
 *     conflict left it, or by declaration; no declaration makes up for markers.
 * X3. What the agent itself began (a merge, a rebase, a pick) is a conflict like any other, with `own` in its record: it may
 *     also be given up. Paths that git has left as one side had them count as resolved when they are changed or staged.
 * X4. The merge commit holds the whole work of the tree, so edits elsewhere that belong to the resolution are in it.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isErrno } from "../../soup/errno.ts";
import { look } from "./safe-path.ts";
import { blobsAt } from "./stage.ts";
import type { Tree } from "./trees.ts";
import { type Unfinished, unmergedPaths } from "./unfinished.ts";

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
  /** Thread whose work is being merged; for what the agent began itself the start of the commit. */
  thread: z.string(),
  /** Its commit; empty where git does not say what it applies. */
  commit: z.string(),
  /** What the agent itself began; null for the merge of a thread (X3). */
  own: z.enum(["merge", "rebase", "cherry-pick", "revert", "other"]).nullable(),
  /** Work commit of the tree on which the merge began; empty where cfa did not begin it. */
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

/** The record of the conflict that the tree holds now. */
export function openConflict(tree: Tree): ConflictRecord | undefined {
  const record = readConflict(tree);
  return record?.completed === null ? record : undefined;
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

/**
 * How each path of something that the agent began stands now. It may have been at work on it already: a path without markers
 * counts as untouched only when it is as one of its sides.
 */
async function describeOwn(tree: Tree, { unmerged }: Unfinished): Promise<readonly ConflictPath[]> {
  const blobs = await blobsAt(tree, [...unmerged.keys()]);
  const described = await describePaths(tree);
  return described.map((entry) => {
    const now = blobs.get(entry.path)?.id;
    const isSide = unmerged.get(entry.path)?.some(({ blob }) => blob === now) === true;
    return entry.markers || isSide ? entry : { ...entry, was: CHANGED };
  });
}

/**
 * The record for a tree that has been put back to a snapshot which holds these paths (byte strings) in conflict, but no merge:
 * git's own state of it is gone, the markers are there.
 */
export async function recordAgain(tree: Tree, paths: readonly string[]): Promise<ConflictRecord> {
  const entries = paths.map(async (path): Promise<ConflictPath> => {
    const { markers, hash } = await stateOf(tree, path);
    return { path, markers, was: hash, declared: false };
  });
  return {
    thread: "",
    commit: "",
    own: "other",
    onto: "",
    completed: null,
    paths: await Promise.all(entries),
  };
}

/** Stands for a content that no path has now. */
const CHANGED = "";

/** The record of something unfinished that the agent began (X3); `before` is the tree's open record, whose paths stay in it. */
export async function ownRecord(
  tree: Tree,
  found: Unfinished,
  before: ConflictRecord | undefined,
): Promise<ConflictRecord> {
  const { operation, commit } = found;
  const same = before?.own === operation && before.commit === commit;
  const known = before?.paths.filter((entry) => same || (entry.markers && !entry.declared)) ?? [];
  const names = new Set(known.map((entry) => entry.path));
  const fresh = (await describeOwn(tree, found)).filter((entry) => !names.has(entry.path));
  return {
    thread: commit.slice(0, 12),
    commit,
    own: operation,
    onto: "",
    completed: null,
    paths: [...known, ...fresh],
  };
}

/** Paths (byte strings) of the conflict that are not resolved yet (X2). */
export async function unresolvedPaths(tree: Tree, record: ConflictRecord): Promise<readonly string[]> {
  const stages = await unmergedPaths(tree);
  const known = new Map(record.paths.map((entry) => [entry.path, entry]));
  const paths = [...new Set([...known.keys(), ...stages.keys()])];
  const open = await Promise.all(
    paths.map(async (path) => {
      const entry = known.get(path);
      const now = await stateOf(tree, path);
      if (now.markers && entry?.markers === true) return true;
      if (entry?.declared === true) return false;
      if (now.markers) return entry === undefined;
      if (!stages.has(path)) return false;
      if (entry?.markers === true) return false;
      const onlyBase = stages.get(path)?.every(({ number }) => number === 1) === true;
      return !(onlyBase && now.hash === null) && now.hash === (entry?.was ?? null);
    }),
  );
  return paths.filter((_, at) => open[at]);
}

/** Whether a path (byte string) in which the conflict left markers still has some. */
export async function holdsMarkers(tree: Tree, record: ConflictRecord, path: string): Promise<boolean> {
  const left = record.paths.find((entry) => entry.path === path)?.markers === true;
  return left && (await stateOf(tree, path)).markers;
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
