/**
 * Release: the tree of an ended thread leaves, merged into its parent's tree or dropped (docs/rules.md, `term-final`).
 *
 * R1. A close that the parent asked for merges; a withdrawal drops; a parent that is itself being dropped takes nothing.
 * R2. On a conflict the parent's tree holds it and the parent gets mail; the child's commit stays on its ref.
 * R3. When nobody is left to resolve a conflict, the merge is abandoned and the child's work stays on its ref.
 * R4. A tree that holds a conflict itself cannot be merged further up: all of it stays on its ref, and the parent is told.
 * R5. What the agents have done to the trees never ends the run: a damaged tree is put back first, a merge that meets something
 *     unfinished waits until the log has it (held.ts, H1), and what git refuses all the same is told to the parent.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Director, View } from "./director.ts";
import { conflictMailId, heldDrafts, loggedTree } from "./held.ts";
import type { ThreadRecord } from "./thread-record.ts";
import { type Merged, TreeBroken, type Workspaces } from "./workspaces/port.ts";

type With = { readonly workspaces: Workspaces; readonly director: Director };

/** The trees below it leave first, and a conflict in the receiving tree that somebody can still resolve comes first. */
export function isBlocked(thread: ThreadId, view: View, { director }: Pick<With, "director">): boolean {
  const { parent, ending } = view.ledger.thread(thread);
  for (const one of view.ledger.unreleased) if (isBelow(one, thread, view)) return true;
  if (parent === undefined || ending !== "merge" || takesNothing(parent, view)) return false;
  const tree = director.treeOf(parent);
  return view.ledger.conflicts.has(tree) && !isOrphaned(parent, tree, view);
}

/** Lets the tree of an ended thread go; what came of it, as drafts. `view` is asked again when the merge is done. */
export async function releaseTree(
  thread: ThreadId,
  view: () => View,
  options: With,
): Promise<readonly Draft[]> {
  const { workspaces, director } = options;
  const record = view().ledger.thread(thread);
  const { parent } = record;
  if (parent === undefined || record.ending !== "merge" || takesNothing(parent, view())) {
    return [await dropped(record, options)];
  }
  const tree = director.treeOf(parent);
  if (view().ledger.conflicts.has(tree)) {
    const why = "the tree of its parent, which has ended, holds a merge that nobody resolved";
    return [await dropped(record, options), warning(`the work of ${thread} is not merged: ${why}`)];
  }
  const own = director.treeOf(thread);
  const label = `after-${record.serial}`;
  try {
    await workspaces.mend(tree, loggedTree(view().ledger, tree), label);
    await workspaces.mend(own, loggedTree(view().ledger, own), label);
    const merged = await workspaces.merge(own, tree);
    if (merged.result === "held") return heldDrafts(parent, merged.own, merged.paths, view());
    return await afterMerge(record, parent, merged, view, options);
  } catch (error) {
    if (!(error instanceof TreeBroken)) throw error;
    return refused(record, view().ledger.thread(parent), error.message, await dropped(record, options));
  }
}

type Done = Exclude<Merged, { result: "held" }>;

async function afterMerge(
  record: ThreadRecord,
  parent: ThreadId,
  merged: Done,
  view: () => View,
  { workspaces, director }: With,
): Promise<readonly Draft[]> {
  const tree = director.treeOf(parent);
  const receiver = view().ledger.thread(parent);
  if (merged.result === "conflict" && !merged.held) return unmergeable(record, receiver, merged);
  if (merged.result === "conflict" && isOrphaned(parent, tree, view())) {
    await workspaces.abandon(tree);
    return abandoned(record, merged);
  }
  if (merged.result === "conflict") return mergedDrafts(record, receiver, merged, null);
  const label = `after-${record.serial}`;
  const snapshot = await workspaces
    .exclusive(tree, () => workspaces.snapshot(tree, label))
    .catch((error: unknown) => {
      if (!(error instanceof TreeBroken)) throw error;
      return { commit: merged.merge };
    });
  return mergedDrafts(record, receiver, merged, snapshot.commit);
}

function isBelow(thread: ThreadId, above: ThreadId, { ledger }: View): boolean {
  let at = ledger.thread(thread).parent;
  while (at !== undefined && at !== above) at = ledger.thread(at).parent;
  return at !== undefined;
}

/** The thread or one above it has been dropped: its tree leaves without a merge, so nothing need go into it (R1). */
function takesNothing(thread: ThreadId, { ledger, configuration }: View): boolean {
  for (let at: ThreadId | undefined = thread; at !== undefined; at = ledger.thread(at).parent) {
    const { ending, closed } = ledger.thread(at);
    if (ending === "drop" && (closed || configuration.dying(at))) return true;
  }
  return false;
}

/** The thread has ended, and its tree was its own: no turn will run there any more. */
function isOrphaned(thread: ThreadId, tree: ThreadId, { ledger, configuration }: View): boolean {
  return tree === thread && (ledger.thread(thread).closed || configuration.dying(thread));
}

function mergedDrafts(
  record: ThreadRecord,
  receiver: ThreadRecord,
  merged: Done,
  snapshot: string | null,
): Draft[] {
  const body: EntryBody<"release"> = {
    thread: record.thread,
    into: receiver.thread,
    result: merged.result,
    ref: merged.ref,
    commit: merged.result === "merged" ? merged.merge : merged.commit,
    snapshot,
    paths: merged.result === "merged" ? [] : [...merged.paths],
  };
  const release: Draft = { kind: "release", body };
  // Whoever works in the tree next is told by its prompt.
  if (merged.result === "merged" || receiver.closed) return [release];
  return [release, { kind: "post", body: conflictMail(record, receiver, merged.paths) }];
}

function conflictMail(
  record: ThreadRecord,
  receiver: ThreadRecord,
  paths: readonly string[],
): EntryBody<"post"> {
  const body = [
    `The work of ${record.agent} on ${record.thread} conflicts with your tree in:`,
    ...paths.map((path) => `  ${path}`),
    "Your tree holds the merge: edit these files until no conflict markers are left (for a file without markers change it, or run `cfa resolve PATH`), then end your turn. cfa completes the merge.",
  ].join("\n");
  return {
    agent: receiver.agent,
    thread: receiver.thread,
    message: { id: conflictMailId(record.thread), from: null, kind: "control", body },
    head: false,
    origin: "engine",
  };
}

type Conflict = Extract<Merged, { result: "conflict" }>;

async function dropped(record: ThreadRecord, { workspaces, director }: With): Promise<Draft> {
  try {
    const { ref } = await workspaces.drop(director.treeOf(record.thread));
    return keptAside(record, ref, null, []);
  } catch (error) {
    if (!(error instanceof TreeBroken)) throw error;
    return keptAside(record, null, null, []);
  }
}

/** Git refuses the merge for something that is no conflict (R5). */
function refused(record: ThreadRecord, receiver: ThreadRecord, why: string, left: Draft): Draft[] {
  const kept =
    left.kind === "release" && left.body.ref !== null ? ` All of it stays on ${left.body.ref}.` : "";
  return [
    left,
    told(record, receiver, `The work of ${record.agent} on ${record.thread} is not merged: ${why}${kept}`),
  ];
}

/** Mail about the work of a thread to its parent; a warning when that has ended. */
function told(record: ThreadRecord, { agent, thread, closed }: ThreadRecord, text: string): Draft {
  if (closed) return warning(text);
  const message = { id: conflictMailId(record.thread), from: null, kind: "control", body: text } as const;
  return { kind: "post", body: { agent, thread, message, head: false, origin: "engine" } };
}

function keptAside(
  { thread, parent }: ThreadRecord,
  ref: string | null,
  commit: string | null,
  paths: readonly string[],
): Draft {
  const body = { thread, into: parent ?? null, result: "dropped", ref, commit, snapshot: null } as const;
  return { kind: "release", body: { ...body, paths: [...paths] } };
}

function abandoned(record: ThreadRecord, { ref, commit, paths }: Conflict): Draft[] {
  const text = `the work of ${record.thread} conflicts with its parent's, which has ended: it is not merged and stays on ${ref}`;
  return [keptAside(record, ref, commit, paths), warning(text)];
}

/** The thread's own tree held a merge that it has not resolved: nothing of it could be merged further up. */
function unmergeable(
  record: ThreadRecord,
  receiver: ThreadRecord,
  { ref, commit, paths }: Conflict,
): Draft[] {
  const text = `The work of ${record.agent} on ${record.thread} is not merged: its own tree still held an unresolved merge${paths.length === 0 ? "" : ` in ${paths.join(", ")}`}. All of it stays on ${ref}.`;
  return [keptAside(record, ref, commit, paths), told(record, receiver, text)];
}

function warning(text: string): Draft {
  return { kind: "note", body: { level: "warn", thread: null, text } };
}
