/**
 * The trees of a job in its log: each is made for a thread that is about to be, and leaves once, after its thread (docs/workspaces.md).
 *
 * W1. `workspace` says ready or refused, not both, for the thread to which its parent is about to send, or of which the parent is
 *     going or gone. Those of questions are looked at by persistence/checks/proxies.ts.
 * W2. `release` is of a thread that has ended and whose tree has not left, into that of its parent; `completed` ends a conflict that
 *     the receiving tree holds; a thread's own tree can hold what its agent has begun.
 * W3. The copy that was made for a question leaves once.
 * W4. The tree of a thread that was dropped is not merged, nor is one that leaves into nothing; that of one that was closed is merged,
 *     unless something above it was dropped, or its commit tells, by mail or a warning, what hindered it.
 */
import { questionOf } from "../../persistence/conversation.ts";
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { Flaw, LogCheck, Step } from "../../persistence/verify.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { JobFacts } from "./facts.ts";

/** The check of the trees; `facts` are those before each entry, `trees` is kept by it. */
export function treesCheck(facts: Pick<JobFacts, "parents">, trees: TreeFacts): LogCheck {
  return {
    name: "trees",
    says: "trees are made for threads that are about to be, and leave once after them",
    step: (step) => {
      const problem = misplaced(step, facts, trees);
      trees.apply(step);
      return problem;
    },
    commit: (steps) => leftOut(steps, facts, trees),
  };
}

/** What the entries so far say of the trees. */
export class TreeFacts {
  /** Threads that have ended and whose tree has not left. */
  readonly unreleased = new Set<ThreadId>();
  /** Threads that have ended and were not to be merged. */
  readonly dropped = new Set<ThreadId>();
  /** The thread whose work a tree holds in conflict, by tree. */
  readonly conflicts = new Map<ThreadId, ThreadId>();
  /** Conversations of questions that have a copy. */
  readonly copies = new Set<ThreadId>();

  apply({ entry, before }: Pick<Step, "entry" | "before">): void {
    if (entry.kind === "fire" && entry.body.rule === "term-final") {
      const thread = entry.body.at["t"] ?? "";
      if (isGoing(before, thread)) this.dropped.add(thread);
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

/** The thread is going, and not to be merged. */
function isGoing(configuration: Configuration, thread: ThreadId): boolean {
  return configuration.cell(thread)?.terminates.some(({ mode }) => mode === "drop") ?? false;
}

function misplaced(
  { entry, before }: Step,
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
  { unreleased, conflicts, copies, dropped }: TreeFacts,
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
  if (into !== parent) return `the tree of ${thread} leaves into that of ${parent ?? "nobody"}`;
  if (result === "dropped") return undefined;
  if (into === null) return `the tree of ${thread} leaves into nothing: it is dropped`;
  return dropped.has(thread) ? `${thread} was dropped: nothing of it is merged` : undefined;
}

/** Work that was to be merged, and has left otherwise without a word (W4). */
function leftOut(
  steps: readonly Step[],
  { parents }: Pick<JobFacts, "parents">,
  { dropped }: TreeFacts,
): Flaw | undefined {
  for (const { entry, before } of steps) {
    if (entry.kind !== "release" || entry.body.result !== "dropped" || entry.body.into === null) continue;
    const { thread } = entry.body;
    if (questionOf(thread) !== undefined || steps.some((one) => tellsOf(one.entry, thread))) continue;
    let at: ThreadId | undefined = thread;
    while (at !== undefined && !dropped.has(at) && !isGoing(before, at)) at = parents.get(at);
    if (at !== undefined) continue;
    const problem = `${thread} was closed: its work is merged, or its commit tells by mail or a warning why it is not`;
    return { seq: entry.seq, problem };
  }
  return undefined;
}

function tellsOf(entry: Entry, thread: ThreadId): boolean {
  if (entry.kind === "note") return entry.body.level === "warn" && entry.body.text.includes(thread);
  return entry.kind === "post" && entry.body.message.body.includes(thread);
}
