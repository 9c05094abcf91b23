/**
 * The agenda: the threads on which a structural rule may match, kept up to date so that a round never looks at all.
 *
 * G1. A thread that is not on the agenda has no structural redex; one that is may have none.
 */
import type { Draft } from "../persistence/entry.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";

/** Threads whose redexes a draft may change. */
export function threadsOf(draft: Draft, before: Configuration): ThreadId[] {
  switch (draft.kind) {
    case "fire": {
      const { t, "t'": other } = draft.body.at;
      const threads = [t, other].filter((thread) => thread !== undefined);
      const parent = draft.body.rule === "term-final" && t !== undefined ? before.parent(t) : undefined;
      return parent === undefined ? threads : [...threads, parent];
    }
    case "open":
      return [draft.body.root.thread];
    case "workspace":
      return [draft.body.thread, draft.body.parent];
    case "post":
    case "interrupt":
    case "terminate":
    case "rollback":
      return [draft.body.thread];
    default:
      return [];
  }
}

/** Threads without a molecule that could anchor a structural rule leave the agenda. */
export function nextAgenda(
  threads: ReadonlySet<ThreadId>,
  configuration: Configuration,
): ReadonlySet<ThreadId> {
  const next = new Set<ThreadId>();
  for (const thread of threads) {
    const cell = configuration.cell(thread);
    if (cell === undefined || cell.closed) continue;
    const restless =
      cell.terminates.length + cell.interrupts.length + cell.questions.length > 0 ||
      cell.mailboxes.some(({ messages }) => messages.length > 0) ||
      cell.lifecycles.some(({ kind }) => kind === "Send");
    if (restless) next.add(thread);
  }
  return next;
}
