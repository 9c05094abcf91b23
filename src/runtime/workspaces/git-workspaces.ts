/**
 * The {@link Workspaces} of one job on a git repository.
 *
 * Owns the queue of each tree and the list of those that were found damaged; what the operations do is in the files beside
 * this one. Who may call what inside `exclusive` is said by the port.
 *
 * J1. A tree's queue is taken before that of its child, never the other way.
 * J2. No operation waits for anything but its place in a queue.
 */
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Mount } from "../boundary/port.ts";
import type { ThreadId } from "../../soup/message.ts";
import { branchTree, type OnPlace, openJob } from "./branch.ts";
import { clearRecord } from "./clear.ts";
import { completeMerge, declareResolved } from "./complete.ts";
import { copyTree } from "./copy.ts";
import { deliverJob } from "./deliver.ts";
import { dropTree, reconcileTrees } from "./drop.ts";
import { placeFile, requireTravelling, storeFile } from "./files.ts";
import { gitAt, text } from "./git.ts";
import { guarded } from "./guard.ts";
import { historyMounts } from "./history-view.ts";
import { mendTree, restoreDamaged } from "./mend.ts";
import { abandonMerge, mergeInto } from "./merge.ts";
import { type Branched, PathRefused, type Workspaces } from "./port.ts";
import { KeyedQueue } from "./queue.ts";
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
  const damaged = new Set<string>();
  const said = new Set<string>();
  const name = (tree: ThreadId): string => treeName(job.job, tree);
  const alone = <T>(tree: ThreadId, work: () => Promise<T>): Promise<T> => queue.run(name(tree), work);
  const guard = <T>(tree: ThreadId, work: () => Promise<T>): Promise<T> =>
    guarded(tree, work, () => damaged.add(name(tree)));
  const queued = <T>(tree: ThreadId, work: () => Promise<T>): Promise<T> =>
    alone(tree, () => guard(tree, work));
  const root = job.home;

  return {
    ...filesOf(job, guard),
    open: (base, seeds) => alone(root, () => openJob(job, base, seeds)),
    rebuild: (tree, state) => queued(tree, () => rebuildTree(job, tree, state)),
    path: (tree) => join(job.root, name(tree)),
    history: (tree) => guard(tree, async () => historyMounts(job, await requireTree(job, tree))),
    exclusive: alone,
    branch: (tree, parent, prove) =>
      proven(prove, (onPlace) => queued(parent, () => branchTree(job, tree, parent, onPlace))),
    copy: (tree, commit) => alone(tree, () => copyTree(job, tree, commit)),
    snapshot: (tree, label, since) =>
      guard(tree, async () => {
        const made = await snapshot(job, await requireTree(job, tree), label, since);
        const left = made.left.filter((sentence) => !said.has(`${tree} ${sentence}`));
        for (const sentence of left) said.add(`${tree} ${sentence}`);
        return { ...made, left };
      }),
    merge: (tree, parent) =>
      queued(parent, async () => {
        const above = await requireTree(job, parent);
        return queued(tree, () => mergeInto(job, tree, above));
      }),
    complete: (tree) => guard(tree, async () => completeMerge(job, await requireTree(job, tree))),
    abandon: (tree) => queued(tree, async () => abandonMerge(await requireTree(job, tree))),
    resolve: async (tree, path) => declareResolved(await requireTree(job, tree), path),
    mend: (tree, logged, label) =>
      queued(tree, async () => {
        await mendTree(job, tree, logged, label, damaged.has(name(tree)));
        damaged.delete(name(tree));
      }),
    restore: (tree, commit, label) =>
      queued(tree, async () => {
        const isDamaged = damaged.delete(name(tree));
        return isDamaged ? restoreDamaged(job, tree, commit, label) : restoreTree(job, tree, commit, label);
      }),
    drop: (tree) => queued(tree, () => dropTree(job, tree)),
    deliver: (mode, message, { summary, merges = [] } = {}) =>
      queued(root, () => deliverJob(job, { mode, message, summary, merges, target: options.target })),
    reconcile: async (live) => {
      for (const found of await reconcileTrees(job, live)) damaged.add(found);
    },
  };
}

/** Makes a tree and proves its place meanwhile; settles when both have. The parent's queue waits for the tree only. */
async function proven(
  prove: ((history: readonly Mount[]) => Promise<void>) | undefined,
  make: (onPlace: OnPlace) => Promise<Branched>,
): Promise<Branched> {
  const verdicts: Promise<{ readonly failure: unknown } | undefined>[] = [];
  const judged = async (history: readonly Mount[]): Promise<{ readonly failure: unknown } | undefined> =>
    prove?.(history).then(
      () => undefined,
      (failure: unknown) => ({ failure }),
    );
  const making = make((history) => void verdicts.push(judged(history)));
  await Promise.allSettled([making]);
  const [verdict] = await Promise.all(verdicts);
  const made = await making;
  if ("commit" in made && verdict !== undefined) throw verdict.failure;
  return made;
}

type Guard = <T>(tree: ThreadId, work: () => Promise<T>) => Promise<T>;

/** The operations that move files and records, all inside `exclusive`. */
function filesOf(job: JobGit, guard: Guard): Pick<Workspaces, "clear" | "place" | "keep"> {
  return {
    clear: (tree) =>
      guard(tree, async () => {
        const { dir, admin } = await requireTree(job, tree);
        await removeLocks(admin);
        await clearRecord(dir);
      }),
    place: (tree, files) =>
      guard(tree, async () => {
        const { dir } = await requireTree(job, tree);
        for (const file of files) await placeFile(job.files, dir, file);
      }),
    keep: async (folder, files) => {
      for (const { path, sha256 } of files) {
        requireTravelling(path);
        const stored = await storeFile(job.files, folder, sha256);
        if (stored?.sha256 !== sha256)
          throw new PathRefused(
            `the bytes of ${JSON.stringify(path)} are not those that the call has named.`,
          );
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
