/** What is no counterexample, and should be known before a job runs. */
import type { JobDefinition } from "../definition.ts";
import { LIVE_STATES } from "../machine.ts";
import { endOf, statesOf } from "./rosters.ts";

/** Sentences on a job; empty when there is nothing to say. */
export function remarksOn(definition: JobDefinition): readonly string[] {
  return [...parking(definition), ...asking(definition), ...usage(definition), ...patience(definition)];
}

/** Why the walk goes on where the budget ends. */
function parking({ budget }: JobDefinition): readonly string[] {
  if (budget.turns === null) return [];
  return [
    `budget.turns (${budget.turns}) parks the job wherever it stands, and \`cfa resume --budget\` goes on: the states above are those of a job that is always resumed`,
  ];
}

/** A dispatched agent has no limit of turns, and every answer gives it another one. */
function asking(definition: JobDefinition): readonly string[] {
  const { agents, states } = definition;
  const dispatches = statesOf(definition).some((state) => agents[states[state].agent]?.roster.length !== 0);
  if (!dispatches || endOf(definition) !== undefined) return [];
  return [
    "a dispatched agent may ask again after every answer, refusals included, so no number bounds the turns: set budget.turns to bound them",
  ];
}

function usage({ budget }: JobDefinition): readonly string[] {
  const keys = (["usd", "tokens"] as const).filter((key) => budget[key] !== null);
  return keys.map(
    (key) =>
      `budget.${key} counts what agents report of themselves (docs/cost.md): one that reports nothing is not bounded by it`,
  );
}

function patience({ human, deadline, states }: JobDefinition): readonly string[] {
  const asks = LIVE_STATES.some((state) => states[state].escalation !== "never");
  return human !== "none" && asks && deadline === null
    ? ["the job has no deadline: a question may wait for its human for ever"]
    : [];
}
