/**
 * The {@link Workspaces} of one job on a git repository.
 *
 * Owns the queue of each tree and the gate of each parent that holds a conflict; what the operations do is in the
 * files beside this one. Who may call what inside `exclusive` is said by the port.
 *
 * J1. A merge takes its place in the parent's queue at once. If it meets another conflict there, it leaves the queue,
 *     so that the parent's turns can resolve it, and lines up again, in order, when the conflict is over.
 * J2. A tree's queue is taken before that of its child, never the other way.
 */
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadId } from "../../soup/message.ts";
import { branchTree, openJob } from "./branch.ts";
import { clearRecord } from "./clear.ts";
import { completeMerge, declareResolved } from "./complete.ts";
import { deliverJob } from "./deliver.ts";
import { dropTree, reconcileTrees } from "./drop.ts";
import { placeFile, storeFile } from "./files.ts";
import { gitAt, text } from "./git.ts";
import { abandonMerge, mergeInto } from "./merge.ts";
import type { Merged, Workspaces } from "./port.ts";
import { Gates, KeyedQueue } from "./queue.ts";
import { rebuildTree } from "./rebuild.ts";
import { restoreTree } from "./restore.ts";
import { partsOf } from "./safe-path.ts";
import { snapshot } from "./snapshot.ts";
import { isJobName, type JobGit, treeName } from "./trees.ts";
import { removeLocks, requireTree } from "./worktrees.ts";

/** What the workspaces of a job are made from. */
export type GitWorkspacesOptions = {
  /** Top of the worktree that the user named, absolute; a linked one included. */
  readonly repository: string;
  /** Job id: letters, digits, `.`, `_`, `-`. */
  readonly job: string;
  /** The job's thread; default `job:<id>`. That of a fork is named by the job that it was made of. */
  readonly home?: ThreadId;
  /** Directory of the trees; default `<repository>/.cfa/jobs/<id>/work`. */
  readonly root?: string;
  /** Directory of the file store; default `<repository>/.cfa/jobs/<id>/files`. */
  readonly files?: string;
  /** Artifact names, relative to the root of a tree, `/` between parts. */
  readonly artifacts: readonly string[];
  /** Short name of the branch that `deliver: merge` writes; absent when the job began at none. */
  readonly target?: string;
};

/**
 * The workspaces of a job. Makes the root directory, nothing else. Rejects with a sentence for an id or an artifact
 * name that cannot be used.
 */
export async function gitWorkspaces(options: GitWorkspacesOptions): Promise<Workspaces> {
  const job = await jobGit(options);
  const queue = new KeyedQueue();
  const gates = new Gates();
  const queued = <T>(tree: ThreadId, work: () => Promise<T>): Promise<T> =>
    queue.run(treeName(job.job, tree), work);

  /** One try of a merge; `over` settles when the conflict that holds it up is over (J1). */
  const tryMerge = (tree: ThreadId, parent: ThreadId): Promise<Merged | { readonly over: Promise<void> }> =>
    queued(parent, async () => {
      const above = await requireTree(job, parent);
      const result = await queued(tree, () => mergeInto(job, tree, above));
      return result === "held" ? { over: gates.wait(parent) } : result;
    });

  return {
    ...filesOf(job),
    open: (base, seeds) => queued(job.home, () => openJob(job, base, seeds)),
    rebuild: (tree, state) => queued(tree, () => rebuildTree(job, tree, state)),
    path: (tree) => join(job.root, treeName(job.job, tree)),
    exclusive: queued,
    branch: (tree, parent) => queued(parent, () => branchTree(job, tree, parent)),
    snapshot: async (tree, label, since) => snapshot(job, await requireTree(job, tree), label, since),
    merge: async (tree, parent) => {
      for (;;) {
        const result = await tryMerge(tree, parent);
        if (!("over" in result)) return result;
        await result.over;
      }
    },
    complete: async (tree) => {
      const result = await completeMerge(job, await requireTree(job, tree));
      if (result === undefined || "merge" in result) gates.open(tree);
      return result;
    },
    abandon: (tree) =>
      queued(tree, async () => {
        await abandonMerge(await requireTree(job, tree));
        gates.open(tree);
      }),
    resolve: async (tree, path) => declareResolved(await requireTree(job, tree), path),
    restore: (tree, commit, label) =>
      queued(tree, async () => {
        const result = await restoreTree(job, tree, commit, label);
        gates.open(tree);
        return result;
      }),
    drop: (tree) =>
      queued(tree, async () => {
        const result = await dropTree(job, tree);
        gates.open(tree);
        return result;
      }),
    deliver: (mode, message) => queued(job.home, () => deliverJob(job, mode, message, options.target)),
    reconcile: (live) => reconcileTrees(job, live),
  };
}

/** The operations that move files and records, all inside `exclusive`. */
function filesOf(job: JobGit): Pick<Workspaces, "clear" | "place" | "keep"> {
  return {
    clear: async (tree) => {
      const { dir, admin } = await requireTree(job, tree);
      await removeLocks(admin);
      await clearRecord(dir);
    },
    place: async (tree, files) => {
      const { dir } = await requireTree(job, tree);
      for (const file of files) await placeFile(job.files, dir, file);
    },
    keep: async (folder, files) => {
      for (const { path, sha256 } of files) {
        partsOf(path);
        const stored = await storeFile(job.files, folder, sha256);
        if (stored?.sha256 !== sha256)
          throw new Error(`the bytes of ${JSON.stringify(path)} are not those that the call has named.`);
      }
    },
  };
}

/** The places of a job and a git for them. Makes the root directory; rejects as {@link gitWorkspaces} does. */
export async function jobGit(options: GitWorkspacesOptions): Promise<JobGit> {
  if (!isJobName(options.job))
    throw new Error(
      `${JSON.stringify(options.job)} cannot name a job: use letters, digits, ".", "_" and "-".`,
    );
  for (const name of options.artifacts) partsOf(name);
  const state = join(options.repository, ".cfa", "jobs", options.job);
  const root = options.root ?? join(state, "work");
  await mkdir(root, { recursive: true });
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const common = text(await gitAt({ cwd: options.repository }).run(asked)).replace(/\n$/, "");
  const real = await realpath(root);
  return {
    job: options.job,
    home: options.home ?? `job:${options.job}`,
    repository: options.repository,
    root: real,
    files: options.files ?? join(state, "files"),
    artifacts: options.artifacts,
    common,
    git: gitAt({ cwd: options.repository, dir: common, job: real }),
  };
}
