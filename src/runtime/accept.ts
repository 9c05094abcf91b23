/** Which drafts of a round go into the log, and what they make of the configuration (scheduler.ts, S4). */
import type { Draft } from "../persistence/entry.ts";
import { applyDraft } from "../persistence/fold.ts";
import { firingOf } from "../rules/fire.ts";
import type { Redex } from "../rules/redex.ts";
import type { RuleTable } from "../rules/table.ts";
import type { Configuration } from "../soup/configuration.ts";
import { invariant } from "../soup/invariant.ts";
import type { ThreadId } from "../soup/message.ts";
import { threadsOf } from "./agenda.ts";

/** A round that can be committed. */
export type Accepted = {
  /** The drafts, a note in place of each move whose condition fails. */
  readonly accepted: readonly Draft[];
  readonly configuration: Configuration;
  /** Threads that the drafts touch. */
  readonly threads: ReadonlySet<ThreadId>;
};

/** Steps the configuration through drafts. A firing that the rules do not allow is a bug. */
export function accept(table: RuleTable, before: Configuration, drafts: readonly Draft[]): Accepted {
  const accepted: Draft[] = [];
  const threads = new Set<ThreadId>();
  let configuration = before;
  for (const draft of drafts) {
    const next = applyDraft(table, configuration, draft);
    if ("refused" in next) {
      invariant(draft.kind !== "fire", `a firing is not allowed: ${next.refused}`);
      const thread = "thread" in draft.body ? draft.body.thread : null;
      const text = `${draft.kind} was refused: ${next.refused}`;
      accepted.push({ kind: "note", body: { level: "warn", thread, text } });
      continue;
    }
    for (const thread of threadsOf(draft, configuration)) threads.add(thread);
    configuration = next.configuration;
    accepted.push(draft);
  }
  return { accepted, configuration, threads };
}

/** The draft of a firing that needs no choice. */
export function structuralDraft(redex: Redex): Draft {
  const { rule, at } = firingOf(redex);
  return { kind: "fire", body: { rule, at: { ...at } } };
}
