/**
 * Snapshots: everything in a tree but ignored files, artifacts included, `.cfa/` and `.sortie/` left out.
 *
 * N1. A snapshot is made with a copy of the tree's index; it touches neither branch, index nor HEAD.
 * N2. Its first parent is the snapshot before (if any), its last one HEAD; the message names HEAD and, while the tree
 *     holds a conflict, the commit that is being merged, what is unfinished and the unmerged paths. So HEAD and conflict
 *     can be put back with it.
 * N3. The newest snapshot is named anew only from the one that was read before: a process that has lost the job meanwhile moves no ref.
 * N4. When content, HEAD and conflict are those of the snapshot before, that one is returned; nothing is written but
 *     the label's ref.
 */
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { openConflict } from "./conflict.ts";
import { bytes, type CommitObject, readCommits, text } from "./git.ts";
import { leftOut } from "./left-out.ts";
import type { Snapshot } from "./port.ts";
import { look, lookWithin } from "./safe-path.ts";
import { type Change, stage, survey } from "./stage.ts";
import { isPrivate, type JobGit, PRIVATE, refs, type Tree } from "./trees.ts";
import { unfinishedIn } from "./unfinished.ts";
import { commitTree, requireLine } from "./work-commit.ts";
import { removeLocks } from "./worktrees.ts";

/** What a snapshot's commit says besides its content. */
export type Recorded = {
  readonly commit: string;
  readonly tree: string;
  /** HEAD at that time; null when there was none. */
  readonly head: string | null;
  /** Commit whose merge the tree held. */
  readonly merging: string | null;
  /** What git had left unfinished, a merge included; null when nothing was. */
  readonly unfinished: string | null;
  /** Paths (byte strings) that were unmerged. */
  readonly unmerged: readonly string[];
};

/** Takes a snapshot under `refs/cfa/<job>/snapshots/<name>/<label>`. */
export async function snapshot(job: JobGit, tree: Tree, label: string, since?: string): Promise<Snapshot> {
  await requireLine(job, tree);
  const latest = refs.latest(job.job, tree.name);
  const known = readCommits(job.git, since === undefined ? [latest] : [latest, since]);
  const [content, [before, earlier]] = await Promise.all([contentOf(job, tree), known]);
  const last = before === undefined ? undefined : recordedIn(before);
  const same = last !== undefined && isSame(last, content);
  const commit = same
    ? last.commit
    : await write(job, content, last?.commit, `Snapshot ${label} of ${tree.thread}`);
  const named = `update ${refs.snapshot(job.job, tree.name, label)} ${commit}\n`;
  await job.git.run(["update-ref", "--stdin"], {
    input: same ? named : `${named}update ${latest} ${commit} ${before?.id ?? "0".repeat(commit.length)}\n`,
  });
  const changed = (since === undefined ? before : earlier)?.tree !== content.tree;
  return { commit, changed, left: content.left };
}

/** The content of a tree, as a git tree object, and what it stands on. */
export type Content = Omit<Recorded, "commit"> & {
  /** What is not in it whole (left-out.ts). */
  readonly left: readonly string[];
};

/** Whether two trees held the same content on the same HEAD, with the same left unfinished. */
export function isSame(a: Omit<Content, "left">, b: Omit<Content, "left">): boolean {
  return (
    a.tree === b.tree &&
    a.head === b.head &&
    a.merging === b.merging &&
    a.unfinished === b.unfinished &&
    a.unmerged.join("\0") === b.unmerged.join("\0")
  );
}

/** Records the content of a tree in the object database; the copy of the index is gone afterwards (N1). */
export async function contentOf(job: JobGit, tree: Tree): Promise<Content> {
  await removeLocks(tree.admin);
  const found = await survey(tree.git);
  const unfinished = await unfinishedIn(tree, found);
  const record = openConflict(tree);
  const stands = {
    head: found.head,
    merging: unfinished?.operation === "merge" ? unfinished.commit : null,
    unfinished: unfinished?.operation ?? (record === undefined ? null : (record.own ?? "merge")),
    unmerged: [...(unfinished?.unmerged.keys() ?? record?.paths.map((entry) => entry.path) ?? [])],
  };
  const changes = [
    ...found.changes.filter((change) => !isPrivate(change.path) && !change.path.endsWith("/")),
    ...(await artifactsOnDisk(job, tree)),
  ];
  const hidden = await privateNames(tree);
  if (changes.length === 0 && hidden.length === 0 && found.head !== null) {
    const [head] = await readCommits(job.git, [found.head]);
    if (head !== undefined) return { tree: head.tree, ...stands, left: leftOut(found.changes, []) };
  }
  const index = join(tree.admin, "cfa-index");
  try {
    if ((await look(join(tree.admin, "index"))) !== undefined)
      await copyFile(join(tree.admin, "index"), index);
    const unstaged = await stage(tree, changes, index);
    // The agent may have staged or committed them.
    if (hidden.length > 0)
      await tree.git.run(["rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", ...hidden], { index });
    const left = leftOut(found.changes, unstaged);
    return { tree: (await tree.git.run(["write-tree"], { index })).trim(), ...stands, left };
  } finally {
    await rm(index, { force: true });
  }
}

/** Artifacts are recorded even if the repository ignores their names. */
async function artifactsOnDisk(job: JobGit, tree: Tree): Promise<readonly Change[]> {
  const stats = await Promise.all(job.artifacts.map((name) => lookWithin(tree.dir, name)));
  return job.artifacts
    .filter((_, at) => stats[at]?.isFile() === true || stats[at]?.isSymbolicLink() === true)
    .map((name): Change => ({ path: bytes(name), kind: "untracked", gone: false }));
}

async function privateNames(tree: Tree): Promise<readonly string[]> {
  const stats = await Promise.all(PRIVATE.map((name) => look(join(tree.dir, name))));
  return PRIVATE.filter((_, at) => stats[at] !== undefined);
}

/** Writes the commit of a content (N2). */
export async function write(
  job: JobGit,
  content: Content,
  before: string | undefined,
  title: string,
): Promise<string> {
  const merging = content.merging === null ? "" : `Cfa-Merging: ${content.merging}\n`;
  const unfinished = content.unfinished === null ? "" : `Cfa-Unfinished: ${content.unfinished}\n`;
  const unmerged = content.unmerged.map((path) => `Cfa-Unmerged: ${JSON.stringify(path)}\n`).join("");
  const parents = [before, content.merging ?? undefined, content.head ?? undefined].filter(
    (id) => id !== undefined,
  );
  const message = `${title}\n\nCfa-Head: ${content.head ?? "none"}\n${merging}${unfinished}${unmerged}`;
  return commitTree(job.git, content.tree, [...new Set(parents)], message);
}

/** What a commit records as a snapshot; undefined when it is none. */
export function recordedIn(commit: CommitObject): Recorded | undefined {
  const head = /^Cfa-Head: (none|[0-9a-f]+)$/m.exec(commit.message)?.[1];
  if (head === undefined || !commit.message.startsWith("Snapshot ")) return undefined;
  const merging = /^Cfa-Merging: ([0-9a-f]+)$/m.exec(commit.message)?.[1] ?? null;
  return {
    commit: commit.id,
    tree: commit.tree,
    head: head === "none" ? null : head,
    merging,
    unfinished: /^Cfa-Unfinished: (\S+)$/m.exec(commit.message)?.[1] ?? null,
    unmerged: [...text(commit.message).matchAll(/^Cfa-Unmerged: (".*")$/gm)].map(([, path = '""']) =>
      z.string().parse(JSON.parse(path)),
    ),
  };
}
