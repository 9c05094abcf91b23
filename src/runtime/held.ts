/**
 * Conflicts that trees hold, between the log and the trees: what the agent itself began and left unfinished (a merge, a rebase, a
 * pick) is logged and mailed like the conflict of a close (release.ts), and what ends a conflict is logged.
 *
 * H1. The ledger has a conflict of a tree whenever git has one there at the end of a turn, or when a merge meets one. So an
 *     approval, a merge and a branch never go by it.
 * H2. In the log, what an agent began itself is a `release` of its thread into the very tree in which it works.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import type { ThreadId } from "../soup/message.ts";
import type { View } from "./director.ts";
import type { Ledger } from "./ledger.ts";
import type { FinishedTurn } from "./turn.ts";
import type { LoggedTree, Operation } from "./workspaces/port.ts";

/** Id of the mail that tells of a conflict with the work of a thread; with `turn` of what its own agent began. */
export function conflictMailId(thread: ThreadId, turn?: number): string {
  return turn === undefined ? `conflict:${thread}` : `conflict:${thread}:${turn}`;
}

/** Whether a message is the mail that tells of the conflict of this thread. */
export function isConflictMail(message: { readonly id: string }, thread: ThreadId): boolean {
  const id = conflictMailId(thread);
  return message.id === id || message.id.startsWith(`${id}:`);
}

/** What follows for the log from the state in which the end of a turn on `thread` has left its tree. */
export function afterCompletion(
  tree: ThreadId,
  thread: ThreadId,
  { completed, commit, result }: Pick<FinishedTurn, "completed" | "commit" | "result">,
  view: View,
): readonly Draft[] {
  const conflict = view.ledger.conflicts.get(tree);
  if (completed !== undefined && "unmerged" in completed)
    return conflict === undefined ? heldDrafts(thread, completed.own, completed.unmerged, view) : [];
  if (conflict === undefined) return [];
  // Of what an agent began itself nothing need be left in a tree that has been put back.
  const isGone = !isOfChild(conflict.child, view.ledger) && commit !== null && result.stop !== "aborted";
  if (completed === undefined && !isGone) return [];
  const body: EntryBody<"release"> = {
    thread: conflict.child,
    into: thread,
    result: "completed",
    ref: null,
    commit: completed?.merge ?? null,
    snapshot: commit,
    paths: [],
  };
  return [{ kind: "release", body }];
}

/** The tree of `thread` holds something unfinished that the ledger does not know of: the entry, and mail to its agent. */
export function heldDrafts(
  thread: ThreadId,
  own: Operation | null,
  paths: readonly string[],
  { ledger, configuration }: View,
): Draft[] {
  const { agent, turn, closed } = ledger.thread(thread);
  const held: Draft = {
    kind: "release",
    body: {
      thread,
      into: thread,
      result: "conflict",
      ref: null,
      commit: null,
      snapshot: null,
      paths: [...paths],
    },
  };
  if (closed || configuration.dying(thread)) return [held];
  const id = conflictMailId(thread, turn);
  const message = { id, from: null, kind: "control", body: mailBody(own, paths) } as const;
  return [held, { kind: "post", body: { agent, thread, message, head: false, origin: "engine" } }];
}

const COMMANDS: Readonly<Record<Operation, string>> = {
  merge: "git merge",
  rebase: "git rebase",
  "cherry-pick": "git cherry-pick",
  revert: "git revert",
  other: "git",
};

function mailBody(own: Operation | null, paths: readonly string[]): string {
  const command = COMMANDS[own ?? "merge"];
  const where = paths.length === 0 ? "." : " in:";
  const giveUp = own === "other" ? "" : `, or give it up with \`${command} --abort\``;
  const isContinued = own === "rebase" || own === "cherry-pick" || own === "revert";
  const ends = isContinued
    ? `Resolve what is in conflict and go on with \`${command} --continue\`${giveUp}.`
    : `Edit these files until no conflict markers are left (for a file without markers change it, or run \`cfa resolve PATH\`)${giveUp}, then end your turn. cfa commits the result.`;
  return [
    `Your workspace holds what ${command} has left unfinished${where}`,
    ...paths.map((path) => `  ${path}`),
    `${ends} Until then nothing of it is merged, delivered or branched from.`,
  ].join("\n");
}

type Conflict = { readonly child: ThreadId; readonly paths: readonly string[] };

/** What holds a tree up, in words: `the merge of dispatch:1.1.1 is unresolved in a.txt`. */
export function unresolved({ child, paths }: Conflict, ledger: Ledger): string {
  const where = paths.length === 0 ? "" : ` in ${paths.join(", ")}`;
  if (isOfChild(child, ledger)) return `the merge of ${child} is unresolved${where}`;
  return `what git was doing in the workspace (a merge, a rebase or the like) is unfinished${where}`;
}

/** The conflict is that of a close; the ledger keeps no release of what an agent began itself (H2). */
export function isOfChild(thread: ThreadId, { threads }: Ledger): boolean {
  return threads.get(thread)?.release?.result === "conflict";
}

/** A tree as the log says that it stood. */
export function loggedTree(ledger: Ledger, tree: ThreadId): LoggedTree {
  const child = ledger.conflicts.get(tree)?.child;
  const release = child === undefined ? undefined : ledger.threads.get(child)?.release;
  const conflict =
    child === undefined || release?.result !== "conflict" || release.commit === null
      ? null
      : { child, commit: release.commit };
  const record = ledger.trees.get(tree);
  const line = record === undefined ? {} : { line: { began: record.began, newest: record.line } };
  return { snapshot: ledger.snapshots.get(tree) ?? null, conflict, ...line };
}
