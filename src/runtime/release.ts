/**
 * Release: the tree of an ended thread leaves, merged into its parent's tree or dropped (docs/rules.md, `term-final`).
 *
 * R1. A close that the parent asked for merges; a withdrawal drops; a parent that is itself being dropped takes nothing.
 * R2. On a conflict the parent's tree holds it and the parent gets mail; the child's commit stays on its ref.
 * R3. When nobody is left to resolve a conflict, the parent's tree is put back and the child's work stays on its ref.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Director, View } from "./director.ts";
import type { ThreadRecord } from "./ledger.ts";
import type { Merged, Workspaces } from "./workspaces/port.ts";

type With = { readonly workspaces: Workspaces; readonly director: Director };

/** Lets the tree of an ended thread go; what came of it, as drafts. */
export async function releaseTree(thread: ThreadId, view: View, options: With): Promise<readonly Draft[]> {
  const record = view.ledger.thread(thread);
  const { parent } = record;
  if (parent === undefined || record.ending !== "merge") return dropped(record, options);
  const receiver = view.ledger.thread(parent);
  const gone = receiver.closed || view.configuration.dying(parent);
  if (gone && receiver.ending === "drop") return dropped(record, options);
  const tree = options.director.treeOf(parent);
  const merged = await options.workspaces.merge(options.director.treeOf(thread), tree);
  if (merged.result === "conflict" && gone) return abandoned(record, merged, tree, view, options);
  const label = `after-${record.serial}`;
  const { commit } = await options.workspaces.exclusive(tree, () => options.workspaces.snapshot(tree, label));
  return mergedDrafts(record, receiver, merged, commit);
}

function mergedDrafts(
  record: ThreadRecord,
  receiver: ThreadRecord,
  merged: Merged,
  snapshot: string,
): Draft[] {
  const body: EntryBody<"release"> = {
    thread: record.thread,
    into: receiver.thread,
    result: merged.result,
    ref: merged.ref,
    commit: merged.result === "merged" ? merged.merge : merged.commit,
    snapshot: merged.result === "merged" ? snapshot : null,
    paths: merged.result === "merged" ? [] : [...merged.paths],
  };
  const release: Draft = { kind: "release", body };
  if (merged.result === "merged") return [release];
  return [release, { kind: "post", body: conflictMail(record, receiver, merged.paths) }];
}

/** Id of the mail that tells of a conflict with the work of a thread. */
export function conflictMailId(child: ThreadId): string {
  return `conflict:${child}`;
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

async function dropped(record: ThreadRecord, { workspaces, director }: With): Promise<Draft[]> {
  const { ref } = await workspaces.drop(director.treeOf(record.thread));
  const { thread, parent } = record;
  const body = {
    thread,
    into: parent ?? null,
    result: "dropped",
    ref,
    commit: null,
    snapshot: null,
    paths: [],
  } as const;
  return [{ kind: "release", body: { ...body, paths: [] } }];
}

async function abandoned(
  record: ThreadRecord,
  merged: Extract<Merged, { result: "conflict" }>,
  tree: ThreadId,
  view: View,
  { workspaces }: With,
): Promise<Draft[]> {
  await workspaces.restore(tree, view.ledger.snapshots.get(tree) ?? null, `conflict-${record.serial}`);
  const { thread, parent } = record;
  const text = `the work of ${thread} conflicts with its parent's, which has ended: it is not merged and stays on ${merged.ref}`;
  return [
    {
      kind: "release",
      body: {
        thread,
        into: parent ?? null,
        result: "dropped",
        ref: merged.ref,
        commit: merged.commit,
        snapshot: null,
        paths: [...merged.paths],
      },
    },
    { kind: "note", body: { level: "warn", thread, text } },
  ];
}
