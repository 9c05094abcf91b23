/** Budgets, deadlines and the times at which they run out (docs/job.md, "Limits and budgets"). */
import type { Amount, Spending } from "../runtime/agents/port.ts";
import type { View } from "../runtime/director.ts";
import type { Ledger } from "../runtime/ledger.ts";
import type { Sum } from "../runtime/spending.ts";
import type { ThreadRecord } from "../runtime/thread-record.ts";
import { isLive } from "./machine.ts";
import type { StateRecord } from "./state-record.ts";

/** Which budget is spent, as a sentence; undefined when all hold. What is unknown counts as nothing, and is warned of (below). */
export function spentBudget(record: StateRecord, { ledger, running, now }: View): string | undefined {
  const { turns, tokens, usd, wall } = record.budget;
  const { spent } = ledger;
  if (turns !== null && spent.turns + running >= turns) return `the budget of ${turns} turns is spent`;
  if (tokens !== null && isSpent(spent.tokens, tokens))
    return `the budget of ${tokens} tokens is spent${untold(spent.tokens)}`;
  if (usd !== null && isSpent(spent.usd, usd)) return `the budget of ${usd} USD is spent${untold(spent.usd)}`;
  if (wall !== null && now.getTime() >= wallEnd(record, wall))
    return `the budget of ${wall % 60_000 === 0 ? `${wall / 60_000} minutes` : `${wall / 1000} seconds`} is spent`;
  return undefined;
}

function isSpent({ spent }: Sum, limit: number): boolean {
  return spent !== null && spent >= limit;
}

function untold({ unknown }: Sum): string {
  if (unknown === 0) return "";
  return `, not counting ${unknown === 1 ? "a turn" : `${unknown} turns`} that did not tell`;
}

function wallEnd(record: StateRecord, wall: number): number {
  return Date.parse(record.openedAt) + record.restedMillis + wall;
}

/** What is spent, and what may be, for an agent that asks (docs/mcp.md); `lead` leads the present state. */
export function spendingOf(
  record: StateRecord,
  thread: ThreadRecord,
  lead: boolean,
  ledger: Ledger,
): Spending {
  const { turns, tokens, usd } = record.budget;
  const reported = ({ spent, unknown }: Sum, limit: number | null): Amount => ({
    spent,
    complete: unknown === 0,
    limit,
  });
  const counted = (spent: number, limit: number | null): Amount => ({ spent, complete: true, limit });
  return {
    turns: counted(ledger.spent.turns, turns),
    tokens: reported(ledger.spent.tokens, tokens),
    usd: reported(ledger.spent.usd, usd),
    stateTurns: lead ? counted(thread.turns, record.definition.limits.max_turns) : null,
  };
}

/** The job's deadline has passed. */
export function pastDeadline({ definition, openedAt }: StateRecord, now: Date): boolean {
  return definition.deadline !== null && now.getTime() >= Date.parse(openedAt) + definition.deadline;
}

/** When the present entry into a state has lasted too long, without the time spent parked; undefined without a limit. */
export function stateDeadline(record: StateRecord): number | undefined {
  const { state } = record.machine;
  const limit = isLive(state) ? record.definition.states[state].state_timeout : null;
  return limit === null ? undefined : Date.parse(record.timedFrom) + limit;
}

/** The next time at which one of them runs out. */
export function nextAlarm(record: StateRecord): Date | undefined {
  const { deadline } = record.definition;
  const { wall } = record.budget;
  const times = [
    deadline === null ? undefined : Date.parse(record.openedAt) + deadline,
    wall === null || record.parked !== null ? undefined : wallEnd(record, wall),
    stateDeadline(record),
  ].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}
