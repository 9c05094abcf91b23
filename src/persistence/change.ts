/**
 * What an entry did to the soup: the molecules that it took out and those that it put in.
 *
 * C1. Only the threads that an entry names can change; the cost does not depend on the rest of the soup.
 * C2. Molecules are compared by identity: what a step leaves alone stays the very same value (soup/edit.ts, D1).
 */
import type { Configuration } from "../soup/configuration.ts";
import { moleculesOf } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Molecule } from "../soup/molecule.ts";
import { findRedex } from "../rules/fire.ts";
import type { RuleTable } from "../rules/table.ts";
import type { Draft } from "./entry.ts";

/** A step as a rule is read: what it matched, and what stood there afterwards. */
export type Change = {
  /** For a firing the matched molecules, those that stay included; for a move what it took. */
  readonly left: readonly Molecule[];
  /** What stands in their place. */
  readonly right: readonly Molecule[];
  readonly consumed: readonly Molecule[];
  readonly produced: readonly Molecule[];
  /** The thread that ended by it. */
  readonly closed: ThreadId | undefined;
};

/** The threads that an entry names: those whose molecules it may change come first. */
export function threadsNamed(draft: Draft): readonly ThreadId[] {
  if (draft.kind === "fire") {
    const { t, "t'": other } = draft.body.at;
    return [t, other].filter((thread) => thread !== undefined);
  }
  if (draft.kind === "open") return [draft.body.root.thread];
  if (draft.kind === "workspace") return [draft.body.thread, draft.body.parent];
  if (draft.kind === "release")
    return draft.body.into === null ? [draft.body.thread] : [draft.body.thread, draft.body.into];
  return "thread" in draft.body && draft.body.thread !== null ? [draft.body.thread] : [];
}

/** What `draft` did between two configurations; undefined for an entry that changes no molecule. */
export function changeOf(
  table: RuleTable,
  draft: Draft,
  before: Configuration,
  after: Configuration,
): Change | undefined {
  const threads = [...new Set(threadsNamed(draft))];
  const old = threads.flatMap((thread) => moleculesOn(before, thread));
  const young = threads.flatMap((thread) => moleculesOn(after, thread));
  const [was, is] = [new Set(old), new Set(young)];
  const consumed = old.filter((molecule) => !is.has(molecule));
  const produced = young.filter((molecule) => !was.has(molecule));
  if (draft.kind !== "fire" && consumed.length + produced.length === 0) return undefined;
  const matched = draft.kind === "fire" ? findRedex(table, before, draft.body)?.matched : undefined;
  const kept = (matched ?? []).filter((molecule) => is.has(molecule));
  const closed = threads.find((thread) => after.isClosed(thread) && !before.isClosed(thread));
  return { left: matched ?? consumed, right: [...produced, ...kept], consumed, produced, closed };
}

/** The molecules that stand on a thread, its Parent edge included. */
export function moleculesOn(configuration: Configuration, thread: ThreadId): readonly Molecule[] {
  const cell = configuration.cell(thread);
  return cell === undefined ? [] : [...moleculesOf(cell)];
}
