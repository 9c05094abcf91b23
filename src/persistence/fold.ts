/**
 * Folding a log: entries in, configuration out. The log alone justifies every step.
 *
 * O1. Only `fire` and the outside moves change the configuration; every other kind is a record.
 * O2. A firing that its rule does not allow, or a move whose condition fails, ends the fold with {@link LogInvalid}.
 * O3. Folding checks the rules, not the hashes: those are checked by chain.ts.
 */
import { NotARedex, replay } from "../rules/fire.ts";
import { type Move, move } from "../rules/moves.ts";
import type { RuleTable } from "../rules/table.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { Draft, Entry } from "./entry.ts";

/** A log that the rule table does not justify; names the entry and what would have been required. */
export class LogInvalid extends Error {
  override readonly name = "LogInvalid";
}

/** The outside move that an entry records; undefined for firings and records. */
export function moveOf(draft: Draft): Move | undefined {
  switch (draft.kind) {
    case "open":
      return { kind: "open", root: draft.body.root, rosters: draft.body.rosters, cap: draft.body.cap };
    case "configure": {
      const { rosters, cap } = draft.body;
      return {
        kind: "configure",
        ...(rosters === undefined ? {} : { rosters }),
        ...(cap === undefined ? {} : { cap }),
      };
    }
    case "workspace":
    case "post":
    case "interrupt":
    case "terminate":
    case "rollback":
      return { ...draft.body, kind: draft.kind } as Move; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the union of bodies matches the union of moves kind by kind
    default:
      return undefined;
  }
}

/** The configuration after one draft, or the sentence that refuses it. */
export function applyDraft(
  table: RuleTable,
  configuration: Configuration,
  draft: Draft,
): { readonly configuration: Configuration } | { readonly refused: string } {
  if (draft.kind === "fire") {
    try {
      return { configuration: replay(table, configuration, draft.body) };
    } catch (error) {
      if (error instanceof NotARedex) return { refused: error.message };
      throw error;
    }
  }
  const outside = moveOf(draft);
  return outside === undefined ? { configuration } : move(configuration, outside);
}

/**
 * The configuration after one entry of a log.
 * @throws LogInvalid when the table does not justify it.
 */
export function foldEntry(table: RuleTable, configuration: Configuration, entry: Entry): Configuration {
  const next = applyDraft(table, configuration, entry);
  if ("configuration" in next) return next.configuration;
  throw new LogInvalid(`entry ${entry.seq} (${entry.kind}) is not allowed: ${next.refused}`);
}
