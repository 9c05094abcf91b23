/**
 * The most that a job can come to, from its definition alone. null is: no number bounds it.
 *
 * C1. Sound: no run without outside help (`cfa resume`, an interrupt) exceeds these numbers, whatever its agents do. A turn
 *     may open and close by turns, write and ask as often as it likes, up to {@link CALLS_MAX} calls.
 * C2. The modest figures hold under the condition that their comment states, and are useless without it.
 */
import { CALLS_MAX } from "../../runtime/outbox-store.ts";
import type { JobDefinition } from "../definition.ts";
import { LIVE_STATES } from "../machine.ts";
import { depthOf, endlessDispatch, rosterOf, statesOf } from "./rosters.ts";

/** See the header. */
export type WorstCase = {
  /** Entries into INTENT, PLAN and EXECUTE. */
  readonly entries: number;
  /** Turns of state leads. */
  readonly leadTurns: number;
  /** Conversations open at once, that of the lead included; those of questions are not. */
  readonly openAtOnce: number | null;
  /** Conversations opened by agents in the whole job. */
  readonly dispatches: number | null;
  /** Turns of all agents, the proxy among them. */
  readonly turns: number | null;
  /** Questions, those that nobody but the engine answers included. */
  readonly questions: number | null;
  /** Calls of one turn that count: what it makes beyond them is ignored. */
  readonly callsPerTurn: number;
  /**
   * While no turn makes more than `limits.fan_out` calls that send, whoever they go to; while dispatched agents ask nothing and leave
   * no merge of their own unfinished, and leads ask once a turn at most; without the turns of a proxy. null where even then there is no
   * bound.
   */
  readonly modest: {
    readonly dispatches: number | null;
    readonly turns: number | null;
    readonly questions: number;
  };
};

/** The worst case of a job. */
export function worstCase(definition: JobDefinition): WorstCase {
  const { limits, start, budget } = definition;
  const turnsAtMost = (turns: number | null): number | null =>
    budget.turns === null ? turns : Math.min(turns ?? Infinity, budget.turns);
  const times = (turns: number | null, each: number): number | null => (turns === null ? null : turns * each);
  // A return from EXECUTE to INTENT enters three states again.
  const most = LIVE_STATES.length - LIVE_STATES.indexOf(start) + LIVE_STATES.length * limits.backtracks;
  // A state is left by a turn of its lead.
  const entries = budget.turns === null ? most : Math.min(most, budget.turns + 1);
  const leadTurns = turnsAtMost(most * limits.max_turns) ?? 0;
  const leads = statesOf(definition).map((state) => definition.states[state].agent);
  const alone = leads.every((agent) => rosterOf(definition, agent).length === 0);
  // Turns of agents that have a roster: a dispatched one with a roster has no limit but the budget.
  const dispatching = alone ? 0 : endlessDispatch(definition) === undefined ? leadTurns : turnsAtMost(null);
  const asking = alone ? leadTurns : turnsAtMost(null);
  // The proxy may ask the human again after every word of theirs.
  const turns = definition.proxy === undefined ? asking : turnsAtMost(null);
  const few = times(dispatching, limits.fan_out);
  return {
    entries,
    leadTurns,
    openAtOnce: openAtOnce(definition, alone),
    dispatches: times(dispatching, CALLS_MAX),
    turns,
    questions: times(asking, CALLS_MAX),
    callsPerTurn: CALLS_MAX,
    modest: {
      dispatches: few,
      // A message makes one turn, and `retries` of a conversation are had once.
      turns: turnsAtMost(few === null ? null : leadTurns + few * (1 + limits.retries)),
      questions: leadTurns,
    },
  };
}

/**
 * One conversation of the lead, and `fan_out` below each of every level; and below each that has had a turn, where a budget says how many
 * these are.
 */
function openAtOnce(definition: JobDefinition, alone: boolean): number | null {
  if (alone) return 1;
  const { limits, budget } = definition;
  const depth = depthOf(definition);
  const byBudget = budget.turns === null ? Infinity : 1 + budget.turns * limits.fan_out;
  let [all, level] = [1, 1];
  for (let at = 0; at < (depth ?? 0); at++) {
    level *= limits.fan_out;
    all += level;
  }
  const most = Math.min(depth === null ? Infinity : all, byBudget);
  return most === Infinity ? null : most;
}
