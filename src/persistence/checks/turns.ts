/**
 * Turns: what is recorded of a turn belongs to the Run that stands in the soup, and its end brings its choice.
 *
 * T1. `start`, `turn` and `rollback` name thread, agent and turn number of a Run.
 * T2. A `turn` is followed in its commit by the firing of its choice; a failed one sends nothing.
 * T3. Nobody but the root chooses without a `turn` before it in the commit.
 * T4. What an interrupt abandons is the message of the Run on its thread.
 *
 * Turns of the proxy are looked at by proxies.ts.
 */
import type { Run } from "../../soup/molecule.ts";
import { questionOf } from "../conversation.ts";
import type { EntryBody } from "../entry.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

const CHOICES: readonly string[] = ["send-step", "nosend-step", "ask-step"];

/** The check of the turns of a log. */
export function turnsCheck(): LogCheck {
  let root = "";
  return {
    name: "turns",
    says: "records of turns belong to the Runs in the soup, and each turn brings its choice",
    step: (step) => {
      if (step.entry.kind === "open") root = step.entry.body.root.thread;
      return misplaced(step);
    },
    commit: (steps) => withoutChoice(steps) ?? withoutTurn(steps, root),
  };
}

function misplaced(step: Step): string | undefined {
  const { entry, before } = step;
  if (entry.kind === "interrupt") return misnamed(entry.body, step);
  if (entry.kind !== "start" && entry.kind !== "turn" && entry.kind !== "rollback") return undefined;
  const { thread, turn } = entry.body;
  if (questionOf(thread) !== undefined) return undefined;
  const run = before.cell(thread)?.lifecycles.find((one): one is Run => one.kind === "Run");
  if (run === undefined) return `it needs Run(A,${thread},m), and nothing runs on ${thread}`;
  if (run.turn !== turn) return `it names turn ${turn}, and turn ${run.turn} runs on ${thread}`;
  if ("agent" in entry.body && entry.body.agent !== run.agent)
    return `it names ${entry.body.agent}, and ${run.agent} runs on ${thread}`;
  return undefined;
}

function misnamed({ thread, abandons }: EntryBody<"interrupt">, { before }: Step): string | undefined {
  if (abandons === undefined) return undefined;
  const run = before.cell(thread)?.lifecycles.find((one): one is Run => one.kind === "Run");
  return run?.message.id === abandons.id
    ? undefined
    : `it abandons message ${abandons.id}, and nobody on ${thread} works on that`;
}

function withoutChoice(steps: readonly Step[]): Flaw | undefined {
  for (const [at, { entry }] of steps.entries()) {
    if (entry.kind !== "turn" || questionOf(entry.body.thread) !== undefined) continue;
    const choice = steps.slice(at + 1).find((step) => choiceOn(step) === entry.body.thread);
    if (choice === undefined)
      return {
        seq: entry.seq,
        problem: "its commit must go on with the choice of its Run: send-step, nosend-step or ask-step",
      };
    const problem = unfitting(entry.body, choice);
    if (problem !== undefined) return { seq: choice.entry.seq, problem };
  }
  return undefined;
}

function unfitting({ result, turn }: EntryBody<"turn">, { entry }: Step): string | undefined {
  if (result === "ok" || entry.kind !== "fire" || entry.body.rule === "nosend-step") return undefined;
  return `turn ${turn} ${result}: its choice must be nosend-step`;
}

function withoutTurn(steps: readonly Step[], root: string): Flaw | undefined {
  const ended = new Set<string>();
  for (const step of steps) {
    const { entry } = step;
    if (entry.kind === "turn") ended.add(entry.body.thread);
    const chooser = choiceOn(step);
    if (chooser !== undefined && chooser !== root && !ended.delete(chooser))
      return {
        seq: entry.seq,
        problem: `it needs the record of the turn on ${chooser} before it in its commit`,
      };
  }
  return undefined;
}

/** The thread on which a turn's choice is made; undefined for any other entry. */
function choiceOn({ entry }: Step): string | undefined {
  return entry.kind === "fire" && CHOICES.includes(entry.body.rule) ? entry.body.at["t"] : undefined;
}
