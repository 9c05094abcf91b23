/**
 * Turns: what is recorded of a turn belongs to the Run that stands in the soup, and its end brings its choice.
 *
 * T1. `start`, `turn` and `rollback` name thread, agent and turn number of a Run; an aborted `turn` those of one whose place an
 *     interrupt has taken or that went with its thread, and each but once.
 * T2. A `turn` is followed in its commit by the firing of its choice; a failed one sends nothing, an aborted one has none.
 * T3. Nobody but the root chooses without a `turn` before it in the commit.
 * T4. A turn that has not ended well leaves no outcome record, and one calls optional only what its own choice sends to.
 * T5. What an interrupt abandons is the message of the Run on its thread.
 *
 * Turns of the proxy are looked at by proxies.ts.
 */
import type { Configuration } from "../../soup/configuration.ts";
import type { Run } from "../../soup/molecule.ts";
import { questionOf } from "../conversation.ts";
import type { EntryBody } from "../entry.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

/** What takes a Run away without the choice of its turn. */
const OVERTAKES: readonly string[] = ["interrupt", "term-run"];
const CHOICES: readonly string[] = ["send-step", "nosend-step", "ask-step"];

/** The check of the turns of a log. */
export function turnsCheck(): LogCheck {
  let root = "";
  const overtaken = new Map<string, string>();
  return {
    name: "turns",
    says: "records of turns belong to the Runs in the soup, and each turn brings its choice",
    step: (step) => {
      if (step.entry.kind === "open") root = step.entry.body.root.thread;
      const gone = overtakenBy(step);
      if (gone !== undefined) overtaken.set(keyOf(gone), gone.agent);
      return misplaced(step, overtaken) ?? leavesRecord(step);
    },
    commit: (steps) => withoutChoice(steps) ?? withoutTurn(steps, root),
  };
}

/** The Run whose place a firing takes without the choice of its turn. */
function overtakenBy({ entry, before }: Step): Run | undefined {
  if (entry.kind !== "fire" || !OVERTAKES.includes(entry.body.rule)) return undefined;
  return runOn(before, entry.body.at["t"] ?? "");
}

function runOn(configuration: Configuration, thread: string): Run | undefined {
  return configuration.cell(thread)?.lifecycles.find((one): one is Run => one.kind === "Run");
}

const keyOf = ({ thread, turn }: { readonly thread: string; readonly turn: number }) => `${thread} ${turn}`;

function misplaced(step: Step, overtaken: Map<string, string>): string | undefined {
  const { entry, before } = step;
  if (entry.kind === "interrupt") return misnamed(entry.body, step);
  if (entry.kind !== "start" && entry.kind !== "turn" && entry.kind !== "rollback") return undefined;
  const { thread, turn } = entry.body;
  if (questionOf(thread) !== undefined) return undefined;
  if (entry.kind === "turn" && entry.body.result === "aborted") return mistaken(entry.body, overtaken);
  const run = runOn(before, thread);
  if (run === undefined) return `it needs Run(A,${thread},m), and nothing runs on ${thread}`;
  if (run.turn !== turn) return `it names turn ${turn}, and turn ${run.turn} runs on ${thread}`;
  if ("agent" in entry.body && entry.body.agent !== run.agent)
    return `it names ${entry.body.agent}, and ${run.agent} runs on ${thread}`;
  return undefined;
}

/** See T4. */
function leavesRecord({ entry }: Step): string | undefined {
  if (entry.kind !== "turn" || entry.body.result === "ok" || entry.body.outcome === null) return undefined;
  const { turn, thread, result } = entry.body;
  return `turn ${turn} on ${thread} ${result}: it leaves no outcome record`;
}

function mistaken(turn: EntryBody<"turn">, overtaken: Map<string, string>): string | undefined {
  const agent = overtaken.get(keyOf(turn));
  if (agent === undefined) return `nothing has taken the place of turn ${turn.turn} on ${turn.thread}`;
  if (agent !== turn.agent) return `it names ${turn.agent}, and ${agent} ran on ${turn.thread}`;
  overtaken.delete(keyOf(turn));
  return undefined;
}

function misnamed({ thread, abandons }: EntryBody<"interrupt">, { before }: Step): string | undefined {
  if (abandons === undefined) return undefined;
  return runOn(before, thread)?.message.id === abandons.id
    ? undefined
    : `it abandons message ${abandons.id}, and nobody on ${thread} works on that`;
}

function withoutChoice(steps: readonly Step[]): Flaw | undefined {
  for (const [at, { entry }] of steps.entries()) {
    if (entry.kind !== "turn" || !hasChoice(entry.body)) continue;
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

function unfitting({ result, turn, optional }: EntryBody<"turn">, { entry }: Step): string | undefined {
  const payloads = entry.kind === "fire" ? (entry.body.choice?.ps ?? []) : [];
  const stranger = optional.find((thread) => !payloads.some((one) => sendsTo(one, thread)));
  if (stranger !== undefined)
    return `turn ${turn} calls ${stranger} optional: its choice must send something there`;
  if (result === "ok" || entry.kind !== "fire" || entry.body.rule === "nosend-step") return undefined;
  return `turn ${turn} ${result}: its choice must be nosend-step`;
}

function sendsTo(one: Payloads[number], thread: string): boolean {
  return one.kind === "deliver" && one.thread === thread;
}

type Payloads = NonNullable<NonNullable<EntryBody<"fire">["choice"]>["ps"]>;

function withoutTurn(steps: readonly Step[], root: string): Flaw | undefined {
  const ended = new Set<string>();
  for (const step of steps) {
    const { entry } = step;
    if (entry.kind === "turn" && hasChoice(entry.body)) ended.add(entry.body.thread);
    const chooser = choiceOn(step);
    if (chooser !== undefined && chooser !== root && !ended.delete(chooser))
      return {
        seq: entry.seq,
        problem: `it needs the record of the turn on ${chooser} before it in its commit`,
      };
  }
  return undefined;
}

/** Turns of the proxy bring something else, and one that was overtaken brings nothing. */
function hasChoice({ thread, result }: EntryBody<"turn">): boolean {
  return questionOf(thread) === undefined && result !== "aborted";
}

/** The thread on which a turn's choice is made; undefined for any other entry. */
function choiceOn({ entry }: Step): string | undefined {
  return entry.kind === "fire" && CHOICES.includes(entry.body.rule) ? entry.body.at["t"] : undefined;
}
