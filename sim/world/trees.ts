/**
 * A model of git as far as cfa needs it: commits with parents, trees with content, merges with conflicts. It outlives every process.
 *
 * K1. Content maps paths to edits; an edit is a word that occurs once in a run, so content says whose work it holds.
 * K2. A path that two sides have changed differently is a conflict, and its text is `conflict(a|b)` until somebody writes it.
 * K3. A tree counts when it is `finished`; anything else is half-made and may be removed at any time.
 */
import { invariant } from "../../src/soup/invariant.ts";
import type { Witness } from "./witness.ts";

/** What files hold, by path (K1). */
export type Content = ReadonlyMap<string, string>;

/** A commit. A snapshot has the head below it as its one parent, and what was being merged. */
export type Commit = {
  readonly id: string;
  readonly parents: readonly string[];
  readonly content: Content;
  readonly snapshot: boolean;
  /** The commit whose merge was unfinished in the tree. */
  readonly merging: string | null;
};

/** A merge that met a conflict; `completed` is its commit once it is resolved. */
export type Conflict = { readonly child: string; readonly commit: string; readonly completed: string | null };

/** A worktree. */
export type Tree = {
  readonly thread: string;
  readonly origin: string;
  head: string;
  content: Map<string, string>;
  conflict: Conflict | undefined;
  finished: boolean;
  /** Newest snapshot. */
  last: string | undefined;
};

/** The last state of a tree that has ended; `unfinished` paths are those of a merge that it still held. */
export type Ended = { readonly commit: string; readonly unfinished: readonly string[] };

/** See the header. */
export class Trees {
  readonly commits = new Map<string, Commit>();
  readonly trees = new Map<string, Tree>();
  readonly ended = new Map<string, Ended>();
  /** Copies that the proxy works in. */
  readonly copies = new Set<string>();
  readonly base: string;
  readonly #witness: Witness;

  constructor(witness: Witness) {
    this.#witness = witness;
    this.base = this.commit([], new Map([["README.md", "base"]]));
  }

  /** Makes a commit; returns its id. */
  commit(
    parents: readonly string[],
    content: Content,
    rest: Partial<Pick<Commit, "snapshot" | "merging">> = {},
  ): string {
    const id = (this.commits.size + 1).toString(16).padStart(40, "0");
    const { snapshot = false, merging = null } = rest;
    this.commits.set(id, { id, parents, content: new Map(content), snapshot, merging });
    return id;
  }

  at(id: string): Commit {
    const commit = this.commits.get(id);
    if (commit === undefined) throw new Error(`there is no commit ${id}`);
    return commit;
  }

  /** The finished tree of a thread. */
  find(thread: string): Tree | undefined {
    const tree = this.trees.get(thread);
    return tree?.finished === true ? tree : undefined;
  }

  /** The finished tree of a thread. Throws a sentence when there is none. */
  require(thread: string): Tree {
    const tree = this.find(thread);
    if (tree === undefined) throw new Error(`the workspace of ${thread} does not exist (any more)`);
    return tree;
  }

  /** Begins a tree at a commit (K3). */
  begin(thread: string, at: string, parent: string | null): Tree {
    const content = new Map(this.at(at).content);
    const tree: Tree = {
      thread,
      origin: at,
      head: at,
      content,
      conflict: undefined,
      finished: false,
      last: undefined,
    };
    this.trees.set(thread, tree);
    this.#witness.see({ kind: "tree-made", tree: thread, parent });
    return tree;
  }

  remove(thread: string): void {
    if (this.trees.delete(thread)) this.#witness.see({ kind: "tree-removed", tree: thread });
  }

  /** Commits the work of a tree when there is any; returns the end of its line. */
  workCommit(tree: Tree): string {
    if (!same(this.at(tree.head).content, tree.content)) tree.head = this.commit([tree.head], tree.content);
    return tree.head;
  }

  /** Commits everything as it is, beside the line. */
  snapshot(tree: Tree): string {
    const merging = isOpen(tree.conflict) ? tree.conflict.commit : null;
    tree.last = this.commit([tree.head], tree.content, { snapshot: true, merging });
    return tree.last;
  }

  isAncestor(ancestor: string, of: string): boolean {
    return this.#ancestors(of).has(ancestor);
  }

  /** Merges a commit into a tree whose work is committed: a merge commit, or the paths in conflict (K2). */
  merge(
    tree: Tree,
    child: string,
    commit: string,
  ): { readonly merge: string } | { readonly paths: readonly string[] } {
    const onto = this.workCommit(tree);
    if (this.isAncestor(commit, onto)) return { merge: this.#mergeOf(commit, onto) };
    const { content, paths } = this.#threeWay(onto, commit);
    tree.content = content;
    if (paths.length > 0) {
      tree.conflict = { child, commit, completed: null };
      return { paths };
    }
    const merge = this.commit([onto, commit], content);
    tree.head = merge;
    this.#witness.see({ kind: "merged", tree: child, into: tree.thread, merge, commit });
    return { merge };
  }

  /** Commits a merge whose conflicts are resolved. */
  finishMerge(tree: Tree): string {
    const { conflict } = tree;
    invariant(isOpen(conflict), `${tree.thread} holds no merge`);
    const merge = this.commit([tree.head, conflict.commit], tree.content);
    tree.head = merge;
    tree.conflict = { ...conflict, completed: merge };
    const { child, commit } = conflict;
    this.#witness.see({ kind: "merged", tree: child, into: tree.thread, merge, commit });
    return merge;
  }

  #ancestors(of: string): ReadonlySet<string> {
    const seen = new Set<string>([of]);
    for (const id of seen) for (const parent of this.at(id).parents) seen.add(parent);
    return seen;
  }

  #mergeOf(commit: string, head: string): string {
    for (const id of this.#ancestors(head)) if (this.at(id).parents.slice(1).includes(commit)) return id;
    return head;
  }

  #threeWay(onto: string, commit: string): { content: Map<string, string>; paths: string[] } {
    const ours = this.at(onto).content;
    const theirs = this.at(commit).content;
    const known = this.#ancestors(onto);
    const common = [...this.#ancestors(commit)].find((id) => known.has(id));
    const base = this.at(common ?? this.base).content;
    const content = new Map(ours);
    const paths: string[] = [];
    for (const [path, their] of theirs) {
      const our = ours.get(path);
      if (their === base.get(path) || their === our) continue;
      if (our === base.get(path)) content.set(path, their);
      else {
        content.set(path, `conflict(${our ?? ""}|${their})`);
        paths.push(path);
      }
    }
    return { content, paths };
  }
}

/** Paths of a tree that are still in conflict (K2). */
export function unresolved(content: Content): readonly string[] {
  return [...content].flatMap(([path, text]) => (text.startsWith("conflict(") ? [path] : []));
}

/** A conflict that nobody has resolved yet. */
export function isOpen(conflict: Conflict | undefined): conflict is Conflict {
  return conflict?.completed === null;
}

/** The same files with the same text. */
export function same(one: Content, other: Content): boolean {
  return one.size === other.size && [...one].every(([path, text]) => other.get(path) === text);
}
