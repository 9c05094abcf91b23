/**
 * What the effects of a real run (runtime/effects.ts, runtime/release.ts) come to when the world always obliges.
 *
 * F1. Trees leave deepest first; a close merges, everything else drops; a merge conflicts only when a turn asked for it.
 * F2. Nothing is branched from a tree into which an ended thread is still to be merged, unless the tree holds a conflict.
 */
import type { Draft, EntryBody } from "../../persistence/entry.ts";
import { refusalOf } from "../../rules/refusal.ts";
import type { Director, View } from "../../runtime/director.ts";
import { conflictMailId } from "../../runtime/held.ts";
import type { ThreadId } from "../../soup/message.ts";

/** What effects look at. */
type Settling = {
  readonly view: () => View;
  readonly live: () => readonly ThreadId[];
  /** The next merge ends in a conflict; reset by it. */
  clumsy: boolean;
};

const COMMIT = "commit";

/** What the next effect reports; nothing when none is wanted. */
export function effectOf(model: Settling, director: Director): readonly Draft[] {
  const view = model.view();
  for (const thread of view.ledger.unreleased) {
    const drafts = releaseOf(thread, model, view, director);
    if (drafts.length > 0) return drafts;
  }
  for (const thread of model.live()) {
    const drafts = workspaceOf(thread, view, director);
    if (drafts.length > 0) return drafts;
  }
  const delivery = director.delivery(view);
  if (delivery === undefined) return [];
  return [{ kind: "deliver", body: { branch: "cfa", commit: COMMIT, mode: delivery.mode } }];
}

/** The tree of an ended thread leaves; nothing while it has to wait. */
function releaseOf(thread: ThreadId, model: Settling, view: View, director: Director): readonly Draft[] {
  const { ledger } = view;
  const { children, parent, ending } = ledger.thread(thread);
  if (children.some((child) => ledger.unreleased.has(child))) return [];
  if (parent === undefined || ending !== "merge" || isGoing(parent, view))
    return [release(thread, parent, "dropped")];
  const tree = director.treeOf(parent);
  if (ledger.conflicts.has(tree)) return [];
  if (ledger.conflicts.has(director.treeOf(thread)))
    return [release(thread, parent, "dropped"), conflictMail(thread, view)];
  if (!model.clumsy) return [release(thread, parent, "merged")];
  model.clumsy = false;
  return [release(thread, parent, "conflict"), conflictMail(thread, view)];
}

/** The thread or one above it is dropped or has been: nothing need go into its tree. */
function isGoing(thread: ThreadId, { ledger, configuration }: View): boolean {
  for (let at: ThreadId | undefined = thread; at !== undefined; at = ledger.thread(at).parent) {
    const { ending, closed } = ledger.thread(at);
    if (ending === "drop" && (closed || configuration.dying(at))) return true;
  }
  return false;
}

function release(
  thread: ThreadId,
  into: ThreadId | undefined,
  result: EntryBody<"release">["result"],
): Draft {
  const body = { thread, into: into ?? null, result, ref: null, commit: COMMIT } as const;
  return {
    kind: "release",
    body: {
      ...body,
      snapshot: result === "merged" ? COMMIT : null,
      paths: result === "conflict" ? ["a file"] : [],
    },
  };
}

function conflictMail(thread: ThreadId, { ledger }: View): Draft {
  const receiver = ledger.thread(ledger.thread(thread).parent ?? ledger.root);
  const message = { id: conflictMailId(thread), from: null, kind: "control", body: "conflict" } as const;
  return {
    kind: "post",
    body: { agent: receiver.agent, thread: receiver.thread, message, head: false, origin: "engine" },
  };
}

/** The workspace that the head of a thread's broadcast waits for. */
function workspaceOf(sender: ThreadId, view: View, director: Director): readonly Draft[] {
  const { configuration, ledger } = view;
  const cell = configuration.cell(sender);
  const send = cell?.lifecycles.find((one) => one.kind === "Send");
  const head = send?.kind === "Send" ? send.payloads.head : undefined;
  if (send === undefined || head?.kind !== "deliver" || cell?.terminates.length !== 0) return [];
  const known = configuration.cell(head.thread)?.workspace !== undefined || ledger.threads.has(head.thread);
  if (known || refusalOf(configuration, send.agent, sender, head) !== undefined) return [];
  if (mergesInto(director.treeOf(sender), view, director)) return [];
  return [
    { kind: "workspace", body: { thread: head.thread, parent: sender, commit: COMMIT, refused: null } },
  ];
}

function mergesInto(tree: ThreadId, { ledger }: View, director: Director): boolean {
  if (ledger.conflicts.has(tree)) return false;
  return [...ledger.unreleased].some((thread) => {
    const { parent, ending } = ledger.thread(thread);
    return parent !== undefined && ending === "merge" && director.treeOf(parent) === tree;
  });
}
