/**
 * Making trees: the job's from its base, a child's from its parent.
 *
 * M1. A tree is finished by its marker, written last; made again it is confirmed when finished and built anew when not.
 * M2. A child begins at the work commit of its parent, with the parent's artifacts beside it as untracked files, and
 *     without status, outcome record or `.sortie` of its dispatcher.
 * M3. Its place is made while the work commit is; whoever has to prove something of the place need not wait for the files.
 */
import { join } from "node:path";
import type { Mount } from "../boundary/port.ts";
import type { ThreadId } from "../../soup/message.ts";
import { keepArtifacts, storeArtifacts } from "./carry.ts";
import { openConflict } from "./conflict.ts";
import { placeFile, writeInto } from "./files.ts";
import { readCommits } from "./git.ts";
import { historyPlaces } from "./history-view.ts";
import type { Branched } from "./port.ts";
import { together } from "./together.ts";
import { jobBranch, type JobGit, PRIVATE, refs, type Tree, treeName } from "./trees.ts";
import { unfinishedIn } from "./unfinished.ts";
import { lookAt, workCommit } from "./work-commit.ts";
import {
  fillPlace,
  findTree,
  makePlace,
  makeWorktree,
  markFinished,
  origin,
  removeAll,
  removeLocks,
  removeWorktree,
  requireTree,
} from "./worktrees.ts";

/** An artifact that the operator gives. */
export type Seed = { readonly path: string; readonly bytes: string | Uint8Array };

/** Makes the job's tree on branch `cfa/<job>` at `base`. */
export async function openJob(
  job: JobGit,
  base: string,
  seeds: readonly Seed[],
): Promise<{ readonly commit: string }> {
  const thread = job.home;
  const name = treeName(job.job, thread);
  const finished = await finishedAt(job, thread);
  if (finished !== undefined) return { commit: finished };
  const names = [
    `${base}^{commit}`,
    refs.branch(job.job),
    refs.thread(job.job, name),
    refs.ended(job.job, name),
  ];
  const [start, branch, line, ended] = await readCommits(job.git, names);
  if (start === undefined) throw new Error(`the base ${base} is no commit of ${job.repository}`);
  if (branch !== undefined && branch.id !== start.id && (line === undefined || ended !== undefined))
    throw new Error(
      `the branch ${jobBranch(job.job)} holds the work of an earlier run: rename or delete it, or start another job with --new.`,
    );
  const at = ended === undefined && line !== undefined ? line.id : start.id;
  await job.git.run(["update-ref", "--stdin"], {
    input: `update ${refs.base(job.job)} ${start.id}\nupdate ${refs.thread(job.job, name)} ${at}\n`,
  });
  const tree = await makeWorktree(job, thread, at, jobBranch(job.job));
  await removePrivate(tree);
  for (const seed of seeds) await writeInto(tree.dir, seed.path, seed.bytes);
  await finish(job, tree, at);
  return { commit: at };
}

/** Told of the history of a tree as soon as its place stands, before there is any file in it (M3). */
export type OnPlace = (history: readonly Mount[]) => void;

/** Makes the tree of `thread` as a child of `parent`'s (M2). */
export async function branchTree(
  job: JobGit,
  thread: ThreadId,
  parent: ThreadId,
  onPlace: OnPlace,
): Promise<Branched> {
  const known = await findTree(job, thread);
  const finished = known && (await origin(known.admin));
  if (known !== undefined && finished !== undefined) {
    onPlace(await historyPlaces(job, known));
    return { commit: finished };
  }
  const above = await requireTree(job, parent);
  await removeLocks(above.admin);
  const refused = {
    refused: `the workspace of ${parent} holds an unfinished merge: resolve its conflicts first, then dispatch again.`,
  };
  if (openConflict(above) !== undefined) return refused;
  const [tree, commit, artifacts] = await together([
    placeBelow(job, thread, above, onPlace),
    handOver(job, above),
    storeArtifacts(job, above.dir),
  ]);
  if (commit === undefined) {
    await removeWorktree(job, tree.name);
    return refused;
  }
  await fillPlace(job, tree, commit);
  await removePrivate(tree);
  for (const file of artifacts) await placeFile(job.files, tree.dir, file);
  await finish(job, tree, commit);
  return { commit };
}

/** The place of a child, while the work commit that it begins at is still being made (M3). */
async function placeBelow(job: JobGit, thread: ThreadId, above: Tree, onPlace: OnPlace): Promise<Tree> {
  const place = await makePlace(job, thread, refs.thread(job.job, above.name));
  onPlace(await historyPlaces(job, place));
  return place;
}

/** The work commit of a tree; undefined when it holds something unfinished. */
async function handOver(job: JobGit, tree: Tree): Promise<string | undefined> {
  const seen = await lookAt(job, tree);
  return (await unfinishedIn(tree, seen.found)) === undefined
    ? workCommit(job, tree, false, seen)
    : undefined;
}

async function finish(job: JobGit, tree: Tree, commit: string): Promise<void> {
  await keepArtifacts(job, tree, commit);
  await markFinished(tree, commit);
}

async function finishedAt(job: JobGit, thread: ThreadId): Promise<string | undefined> {
  const tree = await findTree(job, thread);
  return tree === undefined ? undefined : origin(tree.admin);
}

/** The base may track a status or an outcome record; no tree begins with one. */
async function removePrivate(tree: Tree): Promise<void> {
  for (const name of PRIVATE) await removeAll(join(tree.dir, name));
}
