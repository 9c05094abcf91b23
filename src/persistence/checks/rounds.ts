/**
 * Rounds: a commit that holds firings of structural rules and nothing else is one round of the scheduler, so its firings
 * are pairwise disjoint in the configuration before it (docs/rules.md, "Rounds and order").
 *
 * R1. A commit with a choice, a move or a record is no round: its entries are judged one after the other, by the rules alone.
 */
import { findRedex } from "../../rules/fire.ts";
import { Claims } from "../../rules/round.ts";
import type { RuleTable } from "../../rules/table.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

/** The check of the rounds of a log. */
export function roundsCheck(table: RuleTable): LogCheck {
  return {
    name: "rounds",
    says: "the firings of a round are disjoint",
    commit: (steps) => (steps.every((step) => isStructural(table, step)) ? overlap(table, steps) : undefined),
  };
}

function isStructural(table: RuleTable, { entry }: Step): boolean {
  return entry.kind === "fire" && table.byId.get(entry.body.rule)?.structural === true;
}

function overlap(table: RuleTable, steps: readonly Step[]): Flaw | undefined {
  const [first] = steps;
  if (first === undefined || steps.length === 1) return undefined;
  const claims = new Claims();
  const withdrawal = steps.some((step) => isWithdrawal(table, step));
  for (const step of steps) {
    const { entry } = step;
    if (entry.kind !== "fire") continue;
    const redex = findRedex(table, first.before, entry.body);
    if (redex === undefined)
      return {
        seq: entry.seq,
        problem: "it matches only after an earlier firing of its round: it belongs into the next",
      };
    if (!claims.take(redex))
      return {
        seq: entry.seq,
        problem: "it needs what an earlier firing of its round has taken: it belongs into the next",
      };
    if (withdrawal && !isWithdrawal(table, step))
      return {
        seq: entry.seq,
        problem: "its round also fires withdrawal rules, and those go to their fixpoint first",
      };
  }
  return undefined;
}

function isWithdrawal(table: RuleTable, { entry }: Step): boolean {
  return entry.kind === "fire" && table.byId.get(entry.body.rule)?.text.withdrawal === true;
}
