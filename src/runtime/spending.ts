/**
 * What several turns have used together, summed up from their ends.
 *
 * S1. An amount is what is known at least, and says how many turns did not tell all of it; null when none has told anything.
 * S2. Tokens and money are known apart: an agent that reports the one may say nothing of the other.
 */
import { z } from "zod";
import type { Spending } from "./agents/port.ts";
import type { Usage } from "./usage.ts";

const count = z.int().nonnegative();
const sumSchema = z.strictObject({ spent: z.number().nonnegative().nullable(), unknown: count });

/** Schema of {@link Spent}, as checkpoints hold it. */
export const spentSchema = z.strictObject({ turns: count, tokens: sumSchema, usd: sumSchema });

/** How much of one thing was used: `unknown` is the number of turns that did not tell all of it. */
export type Sum = Readonly<z.infer<typeof sumSchema>>;

/** See the header. */
export type Spent = { readonly turns: number; readonly tokens: Sum; readonly usd: Sum };

/** Before any turn has ended. */
export const NOTHING_SPENT: Spent = {
  turns: 0,
  tokens: { spent: 0, unknown: 0 },
  usd: { spent: 0, unknown: 0 },
};

/** With one more turn. */
export function withTurn(before: Spent, usage: Usage): Spent {
  return {
    turns: before.turns + 1,
    tokens: added(before, "tokens", usage),
    usd: added(before, "usd", usage),
  };
}

/**
 * What a turn leaves untold although a budget bounds it, as a sentence; undefined when there is nothing to say, or a turn before has left
 * it untold, too: the log says it once.
 */
export function untoldIn(usage: Usage, spending: Spending): string | undefined {
  const keys = (["tokens", "usd"] as const).filter(
    (key) => spending[key].limit !== null && spending[key].complete && !isWhole(usage, key),
  );
  if (keys.length === 0) return undefined;
  const what = keys.map((key) => (key === "usd" ? "money" : "tokens")).join(" and ");
  const budgets = keys.map((key) => `budget.${key}`).join(" and ");
  return `it did not tell all of the ${what} that it used: ${budgets} can only count what is told`;
}

function isWhole(usage: Usage, key: "tokens" | "usd"): boolean {
  return usage[key] !== null && usage.partial?.includes(key) !== true;
}

function added(before: Spent, key: "tokens" | "usd", usage: Usage): Sum {
  const { spent, unknown } = before[key];
  const more = usage[key];
  // A sum of nothing is known to be nothing only before the first turn.
  const known = more === null ? (before.turns === 0 ? null : spent) : (spent ?? 0) + more;
  return { spent: known, unknown: isWhole(usage, key) ? unknown : unknown + 1 };
}
