/**
 * Single steps of a test: a round, a firing, an outside move. All pure: the configuration they get stays as it is.
 */
import { type Choice, firingOf, NotARedex } from "../rules/fire.ts";
import { type Move, move } from "../rules/moves.ts";
import { firstStructural, type Redex, redexes } from "../rules/redex.ts";
import { fullAgenda, nextRound } from "../rules/round.ts";
import type { RuleId } from "../rules/rule.ts";
import { complete, type Rule, type RuleTable } from "../rules/table.ts";
import type { Configuration } from "../soup/configuration.ts";
import { printAtom, printMolecule } from "../soup/print.ts";
import { parseChoice } from "./choice.ts";
import { type Event, type Fired, firedBy } from "./fired.ts";
import { printConfiguration } from "./soup.ts";
import { printMove } from "./trace.ts";

/** A configuration and the steps that led to it. */
export type Steps<E extends Event = Event> = {
  readonly configuration: Configuration;
  readonly events: readonly E[];
};

/** How {@link step} goes on. */
export type StepOptions = {
  /** A whole round (docs/rules.md, "Rounds and order"), which is the default, or the first firing alone. */
  readonly by?: "round" | "firing";
  readonly table?: RuleTable;
};

/** One round, or one firing, of the rules that need no choice; without events when the configuration is inert. */
export function step(configuration: Configuration, options: StepOptions = {}): Steps<Fired> {
  const { by = "round", table = complete } = options;
  const fired = by === "round" ? roundOf(table, configuration) : firstOf(table, configuration);
  const events: Fired[] = [];
  for (const redex of fired) events.push(firedBy(events.at(-1)?.after ?? configuration, redex));
  return { configuration: events.at(-1)?.after ?? configuration, events };
}

function roundOf(table: RuleTable, configuration: Configuration): readonly Redex[] {
  return nextRound(table, configuration, fullAgenda(configuration)).fired;
}

function firstOf(table: RuleTable, configuration: Configuration): readonly Redex[] {
  for (const { thread } of configuration.cells()) {
    const found = firstStructural(table, configuration, thread);
    if (found !== undefined) return [found];
  }
  return [];
}

/** Values of the variables by which a rule's redexes are told apart: agents, threads, question. */
export type At = { readonly [K in "A" | "B" | "t" | "t'" | "e"]?: string };

function printAt(at: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(at).map(([name, value]) => `${name} = ${printAtom(value ?? "")}`);
  return given.length === 0 ? "anywhere" : `with ${given.join(", ")}`;
}

function printRedex(redex: Redex): string {
  const { at } = firingOf(redex);
  return `  ${printAt(at)}: ${redex.matched.map(printMolecule).join(" ‖ ")}`;
}

function formula({ text }: Rule): string {
  const when = (text.when ?? []).join(", ");
  return `${text.left} → ${text.right}${when === "" ? "" : ` when ${when}`}`;
}

/** The one redex of a rule that fits. Throws NotARedex with what would fit, in notation. */
function redexAt(table: RuleTable, configuration: Configuration, id: RuleId, at: At): Redex {
  const rule = table.byId.get(id);
  if (rule === undefined) {
    throw new NotARedex(
      `there is no rule "${id}" in the table "${table.name}": ${[...table.byId.keys()].join(", ")}`,
    );
  }
  const all = redexes(table, configuration).filter((redex) => redex.rule === rule);
  const fitting = all.filter((redex) => {
    const named = firingOf(redex).at;
    return Object.entries(at).every(([name, value]) => named[name] === value);
  });
  const [first] = fitting;
  const several = new Set(fitting.map((redex) => JSON.stringify(firingOf(redex).at))).size > 1;
  if (first !== undefined && !several) return first;
  const problem = several
    ? [`${id} matches more than once ${printAt(at)}; name the one that is meant:`, ...fitting.map(printRedex)]
    : [`${id} does not match ${printAt(at)}. It is ${formula(rule)}`, ...elsewhere(configuration, all)];
  throw new NotARedex(problem.join("\n"));
}

function elsewhere(configuration: Configuration, all: readonly Redex[]): string[] {
  if (all.length === 0) return ["It matches nowhere in", `  ${printConfiguration(configuration)}`];
  return ["It matches", ...all.map(printRedex)];
}

/**
 * Fires one rule: `fire(c, "wake", { t: "t1" })`. `at` may leave out what is not needed to tell redexes apart. A choice is
 * an object, or notation: `fire(c, "send-step", { t: "t0" }, "ps = [terminate(t1)]")`.
 * @throws NotARedex when the rule does not match there, with the places where it does; or when the choice is not the rule's.
 */
export function fire(
  configuration: Configuration,
  rule: RuleId,
  at: At = {},
  choice?: Choice | string,
  table: RuleTable = complete,
): Configuration {
  const redex = redexAt(table, configuration, rule, at);
  return firedBy(configuration, redex, typeof choice === "string" ? parseChoice(choice) : choice).after;
}

/**
 * An outside move that must be accepted: mail, an interrupt, a withdrawal, a workspace (docs/rules.md, "Outside moves").
 * @throws Error with the sentence that its poster would get.
 */
export function happen(configuration: Configuration, one: Move): Configuration {
  const moved = move(configuration, one);
  if ("refused" in moved) throw new Error(`${printMove(one)}: ${moved.refused}`);
  return moved.configuration;
}
