/**
 * The workspaces port on the model of git (trees.ts), as one process of cfa has it.
 *
 * P1. An operation is a row of steps; between two of them the process may die and leave what it has done so far.
 * P2. Queues and gates are those of the real implementation (runtime/workspaces/queue.ts); they die with their process.
 */
import type { Merged, NamedFile, TreeState, Workspaces } from "../../src/runtime/workspaces/port.ts";
import { KeyedQueue } from "../../src/runtime/workspaces/queue.ts";
import { invariant } from "../../src/soup/invariant.ts";
import type { ThreadId } from "../../src/soup/message.ts";
import type { MemoryFiles } from "./memory-files.ts";
import { MOUNT } from "./mount.ts";
import type { Failure, Gate } from "./ports.ts";
import { restoreTree } from "./restore.ts";
import { isOpen, type Tree, type Trees, same, unresolved } from "./trees.ts";
import type { Witness } from "./witness.ts";

/** What they are made of. */
export type SimulatedWorkspacesOptions = {
  readonly job: string;
  readonly trees: Trees;
  readonly files: MemoryFiles;
  readonly witness: Witness;
  readonly gate: Gate;
  /** Whether the next operation goes wrong, and how. */
  readonly failure: () => Failure;
};

/** Directory of a tree. */
export function treePath(thread: ThreadId): string {
  return `${MOUNT}/work/${thread.replaceAll(/[^A-Za-z0-9.]/gu, "-")}`;
}

/** See the header. */
export class SimulatedWorkspaces implements Workspaces {
  readonly #with: SimulatedWorkspacesOptions;
  readonly #queue = new KeyedQueue();
  readonly #root: ThreadId;

  constructor(options: SimulatedWorkspacesOptions) {
    this.#with = options;
    this.#root = `job:${options.job}`;
  }

  path(tree: ThreadId): string {
    return treePath(tree);
  }

  exclusive<T>(tree: ThreadId, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(tree, work);
  }

  open(base: string): Promise<{ readonly commit: string }> {
    return this.exclusive(this.#root, async () => {
      const made = await this.#make(this.#root, () => base, null);
      return { commit: made.origin };
    });
  }

  branch(tree: ThreadId, parent: ThreadId): Promise<{ commit: string } | { refused: string }> {
    return this.exclusive(parent, async () => {
      const { trees } = this.#with;
      const known = trees.find(tree);
      if (known !== undefined) return { commit: known.origin };
      const above = trees.require(parent);
      if (isOpen(above.conflict)) return { refused: `the workspace of ${parent} holds an unfinished merge` };
      const made = await this.#make(tree, () => trees.workCommit(trees.require(parent)), parent);
      return { commit: made.origin };
    });
  }

  copy(tree: ThreadId, commit: string): Promise<{ commit: string } | { refused: string }> {
    return this.exclusive(tree, () =>
      this.#step(`copy ${commit} for ${tree}`, () => {
        this.#with.trees.at(commit);
        this.#with.files.makeDirectory(treePath(tree), true);
        this.#with.trees.copies.add(tree);
        return { commit };
      }),
    );
  }

  rebuild(tree: ThreadId, _state: TreeState): Promise<void> {
    return this.#step(`rebuild ${tree}`, () => {
      const { trees } = this.#with;
      invariant(trees.find(tree) !== undefined || trees.ended.has(tree), `${tree} has gone by itself`);
    });
  }

  clear(tree: ThreadId): Promise<void> {
    return this.#step(`clear ${tree}`, () => {
      this.#touch(tree, "clear");
      this.#with.files.remove(`${treePath(tree)}/.cfa/outcome.json`);
    });
  }

  place(tree: ThreadId, files: readonly NamedFile[]): Promise<void> {
    return this.#step(`place ${files.length} files in ${tree}`, () => this.#touch(tree, "place"));
  }

  keep(_folder: string, files: readonly NamedFile[]): Promise<void> {
    return this.#step(`keep ${files.length} files`, () => undefined);
  }

  snapshot(tree: ThreadId, label: string, since?: string) {
    return this.#step(`snapshot ${label} of ${tree}`, () => {
      const { trees } = this.#with;
      const found = trees.require(tree);
      this.#touch(tree, "snapshot");
      const before = since ?? found.last ?? found.origin;
      return {
        commit: trees.snapshot(found),
        changed: !same(trees.at(before).content, found.content),
        left: [],
      };
    });
  }

  restore(tree: ThreadId, commit: string | null, label: string) {
    return this.exclusive(tree, async () => {
      await this.#step(`restore ${label} of ${tree}`, () => {
        const { trees } = this.#with;
        this.#touch(tree, "restore");
        const found = trees.require(tree);
        restoreTree(trees, found, commit ?? found.origin);
      });
      return { kept: undefined };
    });
  }

  merge(tree: ThreadId, parent: ThreadId): Promise<Merged> {
    return this.exclusive(parent, () => {
      this.#with.trees.require(parent);
      return this.exclusive(tree, () => this.#mergeInto(tree, parent));
    });
  }

  mend(tree: ThreadId): Promise<void> {
    return this.#step(`mend ${tree}`, () => undefined);
  }

  complete(tree: ThreadId) {
    return this.#step(`complete ${tree}`, () => {
      const { trees } = this.#with;
      const found = trees.require(tree);
      this.#touch(tree, "complete");
      if (!isOpen(found.conflict)) return undefined;
      const left = unresolved(found.content);
      return left.length > 0 ? { unmerged: left, own: null } : { merge: trees.finishMerge(found) };
    });
  }

  abandon(tree: ThreadId): Promise<void> {
    return this.exclusive(tree, async () => {
      await this.#step(`abandon ${tree}`, () => {
        const found = this.#with.trees.require(tree);
        this.#touch(tree, "abandon");
        found.content = new Map(this.#with.trees.at(found.head).content);
        found.conflict = undefined;
      });
    });
  }

  resolve(tree: ThreadId): Promise<void> {
    return Promise.reject(new Error(`nobody resolves ${tree} from outside in a simulation`));
  }

  drop(tree: ThreadId): Promise<{ readonly ref: string | null }> {
    return this.exclusive(tree, async () => {
      await this.#step(`keep ${tree}`, () => this.#keepLast(tree));
      await this.#step(`drop ${tree}`, () => this.#remove(tree));
      return { ref: this.#with.trees.ended.has(tree) ? this.#ref(tree) : null };
    });
  }

  deliver(): Promise<{ readonly branch: string; readonly commit: string }> {
    const { trees, witness, job } = this.#with;
    return this.exclusive(this.#root, async () => {
      const commit = await this.#step("deliver", () => {
        const tree = trees.find(this.#root);
        if (tree === undefined) return trees.ended.get(this.#root)?.commit ?? trees.base;
        if (isOpen(tree.conflict))
          throw new Error(`the workspace of ${this.#root} holds an unfinished merge`);
        const work = trees.workCommit(tree);
        trees.ended.set(this.#root, { commit: work, unfinished: [] });
        return work;
      });
      await this.#step("remove the job's tree", () => this.#remove(this.#root));
      witness.see({ kind: "delivered", commit });
      return { branch: `cfa/${job}`, commit };
    });
  }

  reconcile(live: readonly ThreadId[]): Promise<void> {
    return this.#step("reconcile", () => {
      for (const copy of this.#with.trees.copies) this.#remove(copy);
      const wanted = new Set(live);
      for (const { thread, finished } of this.#with.trees.trees.values()) {
        if (finished && wanted.has(thread)) continue;
        if (finished && !this.#with.trees.ended.has(thread)) this.#keepLast(thread);
        this.#remove(thread);
      }
    });
  }

  async #mergeInto(tree: ThreadId, parent: ThreadId): Promise<Merged> {
    const { trees } = this.#with;
    const ref = this.#ref(tree);
    const prepared = await this.#step(`commit ${tree}`, () => {
      this.#touch(tree, "merge");
      this.#touch(parent, "merge");
      const child = trees.find(tree);
      const above = trees.require(parent);
      if (isOpen(above.conflict))
        return above.conflict.child === tree
          ? { conflict: above.conflict }
          : { held: unresolved(above.content) };
      if (child !== undefined && isOpen(child.conflict)) this.#keepLast(tree);
      else if (child !== undefined)
        trees.ended.set(tree, { commit: trees.workCommit(child), unfinished: [] });
      const ended = trees.ended.get(tree);
      if (ended === undefined) throw new Error(`there is no work of ${tree} to merge`);
      return { ended };
    });
    if ("held" in prepared) return { result: "held", own: null, paths: prepared.held };
    const result = await this.#step(`merge ${tree} into ${parent}`, (): Merged => {
      const above = trees.require(parent);
      if ("conflict" in prepared) {
        const { commit } = prepared.conflict;
        return { result: "conflict", held: true, commit, ref, paths: unresolved(above.content) };
      }
      const { commit, unfinished } = prepared.ended;
      if (unfinished.length > 0) return { result: "conflict", held: false, commit, ref, paths: unfinished };
      const begun = trees.merge(above, tree, commit);
      return "merge" in begun
        ? { result: "merged", merge: begun.merge, commit, ref }
        : { result: "conflict", held: true, commit, ref, paths: begun.paths };
    });
    await this.#step(`remove ${tree}`, () => this.#remove(tree));
    return result;
  }

  async #make(thread: ThreadId, from: () => string, parent: ThreadId | null): Promise<Tree> {
    const { trees, files } = this.#with;
    const known = trees.find(thread);
    if (known !== undefined) return known;
    await this.#step(`begin ${thread}`, () => trees.begin(thread, from(), parent), this.#with.failure);
    return this.#step(`finish ${thread}`, () => {
      const tree = trees.trees.get(thread) ?? trees.begin(thread, from(), parent);
      files.makeDirectory(treePath(thread), true);
      tree.finished = true;
      return tree;
    });
  }

  #keepLast(thread: ThreadId): void {
    const { trees } = this.#with;
    const tree = trees.find(thread);
    if (tree === undefined) return;
    const unfinished = isOpen(tree.conflict) ? unresolved(tree.content) : [];
    trees.ended.set(thread, { commit: trees.snapshot(tree), unfinished });
  }

  #remove(thread: ThreadId): void {
    this.#touch(thread, "remove");
    this.#with.trees.remove(thread);
    this.#with.trees.copies.delete(thread);
    this.#with.files.remove(treePath(thread));
  }

  #touch(tree: ThreadId, by: string): void {
    this.#with.witness.see({ kind: "tree-touched", tree, by });
  }

  #ref(thread: ThreadId): string {
    return `refs/cfa/${this.#with.job}/ended/${thread}`;
  }

  /** One step (P1), which may go wrong. */
  #step<T>(what: string, perform: () => T, failure = this.#with.failure): Promise<T> {
    return this.#with.gate(what, perform, failure);
  }
}
