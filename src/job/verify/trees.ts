/**
 * The trees of a job in its log: each is made for a thread that is about to be, and leaves once, after its thread (docs/workspaces.md).
 *
 * W1. `workspace` says ready or refused, not both, for the thread to which its parent is about to send, or of which the parent is
 *     going or gone. Those of questions are looked at by persistence/checks/proxies.ts.
 * W2. `release` is of a thread that has ended and whose tree has not left, into that of its parent; `completed` ends a conflict that
 *     the receiving tree holds; a thread's own tree can hold what its agent has begun.
 * W3. The copy that was made for a question leaves once.
 */
import { questionOf } from "../../persistence/conversation.ts";
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { LogCheck } from "../../persistence/verify.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { JobFacts } from "./facts.ts";

/** The check of the trees; `facts` are those before each entry, `trees` is kept by it. */
export function treesCheck(facts: Pick<JobFacts, "parents">, trees: TreeFacts): LogCheck {
  return {
    name: "trees",
    says: "trees are made for threads that are about to be, and leave once after them",
    step: ({ entry, before }) => {
      const problem = misplaced(entry, before, facts, trees);
      trees.apply(entry);
      return problem;
    },
  };
}

/** What the entries so far say of the trees. */
export class TreeFacts {
  /** Threads that have ended and whose tree has not left. */
  readonly unreleased = new Set<ThreadId>();
  /** The thread whose work a tree holds in conflict, by tree. */
  readonly conflicts = new Map<ThreadId, ThreadId>();
  /** Conversations of questions that have a copy. */
  readonly copies = new Set<ThreadId>();

  apply(entry: Entry): void {
    if (entry.kind === "fire" && entry.body.rule === "term-final") {
      const thread = entry.body.at["t"] ?? "";
      if (treeOf(thread) === thread) this.unreleased.add(thread);
    }
    if (
      entry.kind === "workspace" &&
      questionOf(entry.body.thread) !== undefined &&
      entry.body.commit !== null
    )
      this.copies.add(entry.body.thread);
    if (entry.kind === "release") this.#release(entry.body);
  }

  #release({ thread, into, result }: EntryBody<"release">): void {
    if (this.copies.delete(thread)) return;
    const tree = into === null ? undefined : treeOf(into);
    if (tree !== treeOf(thread)) this.unreleased.delete(thread);
    if (tree === undefined) return;
    if (result === "conflict") this.conflicts.set(tree, thread);
    if (result === "completed") this.conflicts.delete(tree);
  }
}

/** The tree in which a thread works: all leads of states work in that of the job. */
export function treeOf(thread: ThreadId): ThreadId {
  const job = /^state:(.+):[A-Z]+:\d+$/u.exec(thread)?.[1];
  return job === undefined ? thread : `job:${job}`;
}

function misplaced(
  entry: Entry,
  before: Configuration,
  facts: Pick<JobFacts, "parents">,
  trees: TreeFacts,
): string | undefined {
  if (entry.kind === "workspace") return unwanted(entry.body, before);
  return entry.kind === "release" ? misreleased(entry.body, facts, trees) : undefined;
}

/** See W1. */
function unwanted(
  { thread, parent, commit, refused }: EntryBody<"workspace">,
  before: Configuration,
): string | undefined {
  if ((commit === null) === (refused === null))
    return "it is ready at a commit, or refused with a reason: one of the two";
  if (questionOf(thread) !== undefined) return undefined;
  if (before.isClosed(parent) || before.dying(parent)) return undefined;
  const sends = before
    .cell(parent)
    ?.lifecycles.some((one) => one.kind === "Send" && isTo(one.payloads.head, thread));
  return sends === true
    ? undefined
    : `${parent} must be about to send to ${thread}, or going: a tree is made for nothing else`;
}

function isTo(head: { readonly kind: string } | undefined, thread: ThreadId): boolean {
  return head !== undefined && "thread" in head && head.kind === "deliver" && head.thread === thread;
}

/** See W2 and W3. */
function misreleased(
  { thread, into, result }: EntryBody<"release">,
  { parents }: Pick<JobFacts, "parents">,
  { unreleased, conflicts, copies }: TreeFacts,
): string | undefined {
  if (questionOf(thread) !== undefined)
    return copies.has(thread) ? undefined : `${thread} has no copy that could leave`;
  const tree = into === null ? undefined : treeOf(into);
  if (result === "completed")
    return tree !== undefined && conflicts.get(tree) === thread
      ? undefined
      : `${into ?? "nothing"} holds no conflict with the work of ${thread}`;
  if (tree === treeOf(thread))
    return result === "conflict"
      ? undefined
      : `the tree of ${thread} is its own: it cannot be ${result} into itself`;
  if (!unreleased.has(thread)) return `${thread} must have ended, and its tree must not have left before`;
  const parent = parents.get(thread) ?? null;
  return into === parent ? undefined : `the tree of ${thread} leaves into that of ${parent ?? "nobody"}`;
}
