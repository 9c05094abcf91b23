/**
 * Rounds: a commit that holds firings of structural rules and nothing else is one round of the scheduler, so its firings
 * are pairwise disjoint in the configuration before it (docs/rules.md, "Rounds and order").
 *
 * R1. A commit with a choice, a move or a record is no round: its entries are judged one after the other, by the rules alone.
 * R2. Where a withdrawal rule matches, a round holds withdrawal rules only: nothing starts below a thread that is going.
 */
import { findRedex } from "../../rules/fire.ts";
import { redexesOf } from "../../rules/redex.ts";
import { Claims } from "../../rules/round.ts";
import type { RuleTable } from "../../rules/table.ts";
import { threadsNamed } from "../change.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

/** The check of the rounds of a log. */
export function roundsCheck(table: RuleTable): LogCheck {
  const dying = new Set<string>();
  return {
    name: "rounds",
    says: "the firings of a round are disjoint, and withdrawal comes first",
    commit: (steps) => {
      const isRound = steps.length > 0 && steps.every((step) => isStructural(table, step));
      const flaw = isRound ? (overlap(table, steps) ?? outOfTurn(table, steps, dying)) : undefined;
      for (const step of steps) noteDying(dying, step);
      return flaw;
    },
  };
}

/** Keeps the threads that are going: withdrawal rules match at those alone. */
function noteDying(dying: Set<string>, { entry, after }: Step): void {
  if (entry.kind !== "fire" && entry.kind !== "terminate") return;
  for (const thread of threadsNamed(entry)) {
    if (after.dying(thread)) dying.add(thread);
    else dying.delete(thread);
  }
}

/** See R2. */
function outOfTurn(table: RuleTable, steps: readonly Step[], dying: ReadonlySet<string>): Flaw | undefined {
  const other = steps.find((step) => !isWithdrawal(table, step));
  const before = steps[0]?.before;
  if (other === undefined || before === undefined) return undefined;
  for (const thread of dying) {
    const first = redexesOf(table, before, thread).find(({ rule }) => rule.text.withdrawal === true);
    if (first !== undefined)
      return {
        seq: other.entry.seq,
        problem: `${thread} is going, and ${first.rule.id} matches there: withdrawal rules go to their fixpoint first`,
      };
  }
  return undefined;
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
