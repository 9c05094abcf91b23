/** What the facts of a turn hold where a test is about something else. */
import type { Amount, TurnFacts } from "../../src/runtime/agents/port.ts";

const unlimited: Amount = { spent: 0, complete: true, limit: null };

/** No limits, nothing spent, no tools of the role. */
export const PLAIN_TURN: Pick<TurnFacts, "timeout" | "spending" | "skill" | "tools"> = {
  timeout: 600_000,
  spending: { turns: unlimited, tokens: unlimited, usd: unlimited, stateTurns: null },
  skill: null,
  tools: [],
};
