/**
 * The most that a job can come to, from its definition alone. null is: no number bounds it.
 *
 * C1. A turn is taken to ask one question at most, and to write to a conversation once; a turn that closes what it has
 *     itself opened, and opens more, is not counted.
 */
import type { JobDefinition } from "../definition.ts";
import { LIVE_STATES } from "../machine.ts";
import { depthOf, endlessDispatch, statesOf } from "./rosters.ts";

/** See the header. */
export type WorstCase = {
  /** Entries into INTENT, PLAN and EXECUTE. */
  readonly entries: number;
  /** Turns of state leads. */
  readonly leadTurns: number;
  /** Conversations open at once, that of the lead included. */
  readonly openAtOnce: number | null;
  /** Conversations opened by agents in the whole job. */
  readonly dispatches: number | null;
  /** Turns of all agents. */
  readonly turns: number | null;
  /** The same while no dispatched agent asks a question. */
  readonly turnsWithoutQuestions: number | null;
  /** Questions, those that nobody but the engine answers included. */
  readonly questions: number | null;
};

/** The worst case of a job. */
export function worstCase(definition: JobDefinition): WorstCase {
  const { limits, start, budget } = definition;
  const most = (number: number | null, perTurn = 1, more = 0): number | null => {
    if (budget.turns === null) return number;
    return Math.min(number ?? Infinity, budget.turns * perTurn + more);
  };
  // A return from EXECUTE to INTENT enters three states again.
  const entries = LIVE_STATES.length - LIVE_STATES.indexOf(start) + LIVE_STATES.length * limits.backtracks;
  const leadTurns = entries * limits.max_turns;
  const alone = statesOf(definition).every(
    (state) => definition.agents[definition.states[state].agent]?.roster.length === 0,
  );
  const dispatches = alone
    ? 0
    : endlessDispatch(definition) === undefined
      ? leadTurns * limits.fan_out
      : null;
  const quiet = dispatches === null ? null : leadTurns + dispatches * (1 + limits.retries);
  return {
    entries,
    leadTurns: most(leadTurns) ?? leadTurns,
    openAtOnce: most(openAtOnce(definition), limits.fan_out, 1),
    dispatches: most(dispatches, limits.fan_out),
    turns: most(alone ? leadTurns : null),
    turnsWithoutQuestions: most(quiet),
    questions: most(alone ? leadTurns : null),
  };
}

/** One conversation of the lead, and `fan_out` below each of every level. */
function openAtOnce(definition: JobDefinition): number | null {
  const depth = depthOf(definition);
  if (depth === null) return null;
  let [all, level] = [1, 1];
  for (let at = 0; at < depth; at++) {
    level *= definition.limits.fan_out;
    all += level;
  }
  return all;
}
