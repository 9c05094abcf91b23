/**
 * Making trees: the job's from its base, a child's from its parent.
 *
 * M1. A tree is finished by its marker, written last; made again it is confirmed when finished and built anew when not.
 * M2. A child begins at the work commit of its parent, with the parent's artifacts beside it as untracked files, and
 *     without status, outcome record or `.sortie` of its dispatcher.
 */
import { join } from "node:path";
import type { ThreadId } from "../../soup/message.ts";
import { keepArtifacts, storeArtifacts } from "./carry.ts";
import { openConflict } from "./conflict.ts";
import { placeFile, writeInto } from "./files.ts";
import { readCommits } from "./git.ts";
import type { Branched } from "./port.ts";
import { jobBranch, type JobGit, PRIVATE, refs, type Tree, treeName } from "./trees.ts";
import { unfinishedIn } from "./unfinished.ts";
import { workCommit } from "./work-commit.ts";
import {
  findTree,
  makeWorktree,
  markFinished,
  origin,
  removeAll,
  removeLocks,
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

/** Makes the tree of `thread` as a child of `parent`'s (M2). */
export async function branchTree(job: JobGit, thread: ThreadId, parent: ThreadId): Promise<Branched> {
  const finished = await finishedAt(job, thread);
  if (finished !== undefined) return { commit: finished };
  const above = await requireTree(job, parent);
  await removeLocks(above.admin);
  if (openConflict(above) !== undefined || (await unfinishedIn(above)) !== undefined)
    return {
      refused: `the workspace of ${parent} holds an unfinished merge: resolve its conflicts first, then dispatch again.`,
    };
  const commit = await workCommit(job, above);
  const [tree, artifacts] = await Promise.all([
    makeWorktree(job, thread, commit, undefined),
    storeArtifacts(job, above.dir),
    job.git.run(["update-ref", refs.thread(job.job, treeName(job.job, thread)), commit]),
  ]);
  await removePrivate(tree);
  for (const file of artifacts) await placeFile(job.files, tree.dir, file);
  await finish(job, tree, commit);
  return { commit };
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
