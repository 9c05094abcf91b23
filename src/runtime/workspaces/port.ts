/**
 * Workspaces: the trees in which turns run. A tree is named by its thread; state threads share the tree `job:<id>`.
 *
 * W1. Every operation is idempotent: done again after a crash it completes or confirms what is there.
 * W2. Operations on one tree run one at a time, in the order of their calls; the caller queues turns with them
 *     through {@link Workspaces.exclusive}.
 * W3. Only refs under `refs/cfa/`, the branch `cfa/<job>` and the worktrees of the job are ever written, apart
 *     from an explicit {@link Workspaces.deliver}.
 */
import type { Mount } from "../boundary/port.ts";
import type { ThreadId } from "../../soup/message.ts";

/** A file that travels with a message: path in the tree, SHA-256 of its bytes, executable bit. */
export type NamedFile = { readonly path: string; readonly sha256: string; readonly executable: boolean };

/** The result of making a child's tree. */
export type Branched = { readonly commit: string } | { readonly refused: string };

/**
 * An operation of a workspace cannot be done, for something that whoever works in the trees may have caused: the worktree is
 * gone, its index or administration is damaged, git refuses, a file stands in the way. The message is one sentence.
 * {@link Workspaces.mend} puts a damaged tree back.
 */
export class TreeBroken extends Error {
  override readonly name: string = "TreeBroken";
}

/** A {@link TreeBroken} for what stands at some path; the tree itself is sound, so there is nothing to mend. */
export class PathRefused extends TreeBroken {
  override readonly name = "PathRefused";
}

/** What git was doing when it stopped in a tree, begun by the agent itself; `other`: a stash that was applied, for example. */
export type Operation = "merge" | "rebase" | "cherry-pick" | "revert" | "other";

/** What became of a conflict that a tree held: its last commit, or what is left of it. */
export type Completion =
  | { readonly merge: string }
  | {
      /** Paths in conflict; none for a rebase or a sequence of picks that has only stopped. */
      readonly unmerged: readonly string[];
      /** What the agent itself began; null for the merge of a child. */
      readonly own: Operation | null;
    };

/** A tree as the log says that it stood. Commits are full hashes. */
export type LoggedTree = {
  /** Its newest snapshot; null before the first. */
  readonly snapshot: string | null;
  /** The merge that it holds: the child, and the commit that is merged. */
  readonly conflict: { readonly child: ThreadId; readonly commit: string } | null;
  /** The commit at which its line began, and the newest of it; absent where the log knows of none. */
  readonly line?: { readonly began: string; readonly newest: string };
};

/** The result of a merge into the parent's tree. */
export type Merged =
  /** The tree holds the work; `merge` is its merge commit, or the head when there was nothing to merge. */
  | { readonly result: "merged"; readonly merge: string; readonly commit: string; readonly ref: string }
  /** The child's commit stays on `ref`. */
  | {
      readonly result: "conflict";
      /** The parent's tree holds the conflict; false when the child's own tree did, so that no merge has begun. */
      readonly held: boolean;
      readonly commit: string;
      readonly ref: string;
      readonly paths: readonly string[];
    }
  /** Nothing was done: the parent's tree holds another conflict. */
  | { readonly result: "held"; readonly own: Operation | null; readonly paths: readonly string[] };

/** What a snapshot found. */
export type Snapshot = {
  /** Commit of everything in the tree but ignored files, artifacts included. */
  readonly commit: string;
  /** True when the content differs from that of the snapshot `since`, by default the one before. */
  readonly changed: boolean;
  /** What stands in the tree and is not in the commit whole, one sentence each; said once of each path while a process runs. */
  readonly left: readonly string[];
};

/**
 * Where a finished job's work went. With `problem`, a sentence for the user, it could not be delivered as asked and was left on
 * the branch of the job.
 */
export type Delivery = { readonly branch: string; readonly commit: string; readonly problem?: string };

/** Ways to hand over the result (job.yaml `deliver`). */
export type DeliverMode = "branch" | "merge" | "pr-ready";

/** All that the log says of a tree. Commits are full hashes. */
export type TreeState = {
  /** Commit at which it began. */
  readonly began: string;
  /** Snapshot from which the artifacts came that it began with; null where there was none. */
  readonly artifacts: string | null;
  /** Newest commit of its own line. */
  readonly line: string;
  /** Its newest snapshot; null before the first. */
  readonly snapshot: string | null;
  /** The merge that it holds: the child, and the commit that is merged. */
  readonly conflict: { readonly child: ThreadId; readonly commit: string } | null;
};

/** The port. One instance serves one job. Operations reject with {@link TreeBroken} for what work in the trees may have caused. */
export interface Workspaces {
  /**
   * Makes the job's tree on branch `cfa/<job>` from `base`. `seeds` are artifact files copied in, untracked; text is
   * written as UTF-8. Rejects with a sentence when the branch holds the work of an earlier run.
   */
  open(
    base: string,
    seeds: readonly { readonly path: string; readonly bytes: string | Uint8Array }[],
  ): Promise<{ readonly commit: string }>;
  /** Directory of a tree, whether or not it exists. */
  path(tree: ThreadId): string;
  /**
   * Makes a tree that is missing as the log says that it stood. One that is there, and one that has left, stay as they are.
   * Queued on the tree.
   */
  rebuild(tree: ThreadId, state: TreeState): Promise<void>;
  /**
   * What a confined program sees of the tree's history: enough to look at it, all of it read-only. Inside `exclusive`. Absent where
   * there is none.
   */
  history?(tree: ThreadId): Promise<readonly Mount[]>;
  /** Runs `work` when every earlier operation and turn on the tree has ended; nothing else touches the tree meanwhile. */
  exclusive<T>(tree: ThreadId, work: () => Promise<T>): Promise<T>;
  /**
   * Makes `tree` as a child of `parent`: work commit of the parent, worktree from it, artifacts copied in. Queued on `parent`.
   * `prove` is called once, as soon as the place of the tree stands and before its files need be there, with what a confined program
   * sees of its history; its failure is that of the call.
   */
  branch(
    tree: ThreadId,
    parent: ThreadId,
    prove?: (history: readonly Mount[]) => Promise<void>,
  ): Promise<Branched>;
  /**
   * Makes `tree` as a copy of a commit, with a repository of its own: what is done in it reaches no other. It is scratch: only
   * `path`, `exclusive` and `drop` take it besides, and it does not outlive a {@link Workspaces.reconcile}. Queued on the tree.
   */
  copy(tree: ThreadId, commit: string): Promise<Branched>;
  /** Clears the outcome record of earlier turns. Inside `exclusive`. Never follows links. */
  clear(tree: ThreadId): Promise<void>;
  /** Copies named files from the job's file store into the tree. Inside `exclusive`. */
  place(tree: ThreadId, files: readonly NamedFile[]): Promise<void>;
  /** Takes files into the job's file store; `folder` has their bytes, under their SHA-256. Rejects with a sentence for one that it has not. */
  keep(folder: string, files: readonly NamedFile[]): Promise<void>;
  /** Commits everything in the tree on a private ref, touching neither branch, index nor HEAD. Inside `exclusive`. */
  snapshot(tree: ThreadId, label: string, since?: string): Promise<Snapshot>;
  /** Puts the tree back to a logged snapshot; what it held besides is kept on the returned ref. Queued on the tree. */
  restore(
    tree: ThreadId,
    commit: string | null,
    label: string,
  ): Promise<{ readonly kept: string | undefined }>;
  /**
   * Puts a tree that is missing or was found damaged back to what the log says, and makes refs of its line that somebody has
   * deleted anew; any other stays as it is. Queued on the tree.
   */
  mend(tree: ThreadId, logged: LoggedTree, label: string): Promise<void>;
  /** Work commit of `tree`, then a merge commit of it into `parent`'s tree. Queued on `parent`. */
  merge(tree: ThreadId, parent: ThreadId): Promise<Merged>;
  /**
   * Completes what git has left unfinished in the tree, when no path of it is unresolved. Inside `exclusive`. Undefined: there
   * was nothing unfinished.
   */
  complete(tree: ThreadId): Promise<Completion | undefined>;
  /** Ends a merge that has just begun in the tree and that nobody will resolve, as if it had never begun. Queued on the tree. */
  abandon(tree: ThreadId): Promise<void>;
  /** Declares a path of a conflicted tree resolved as it stands now. Rejects with a sentence when it is not unmerged. */
  resolve(tree: ThreadId, path: string): Promise<void>;
  /** Removes the worktree; its last state stays on the returned private ref. Queued on the tree. */
  drop(tree: ThreadId): Promise<{ readonly ref: string | null }>;
  /**
   * Hands over the job's tree and removes its worktree. `message` is that of a commit that has to be made; for `pr-ready` the text
   * of the artifact `summary` takes its place, where there is one. `merges` are commits that the log says were merged into the
   * tree: a result that lacks one of them, or anything that the tree held, is delivered with a problem.
   */
  deliver(
    mode: DeliverMode,
    message: string,
    more?: { readonly summary?: string | undefined; readonly merges?: readonly string[] },
  ): Promise<Delivery>;
  /** Removes worktrees, locks and half-made leftovers that none of `live` names. Called once before anything else runs. */
  reconcile(live: readonly ThreadId[]): Promise<void>;
}
