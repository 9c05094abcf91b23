/**
 * Traces: the soup before, the rule that fires, the soup after, as docs/rules.md shows them and tests write them.
 *
 *     given roster(lead: writer), cap(3), ready(t1), refused(t2: disk full), closed(t9)
 *     Idle(lead,t0) ‖ Mailbox(lead,t0,[go])
 *     → wake
 *     Run(lead,t0,go) ‖ Mailbox(lead,t0,[]) ; closed t9
 *
 * After the rule's id stands its choice: `→ send-step ps = [terminate(t1)]`. A soup may take several lines.
 */
import { type Choice, fire } from "../../src/rules/fire.ts";
import { redexes, type Redex } from "../../src/rules/redex.ts";
import type { RuleTable } from "../../src/rules/table.ts";
import { splitArguments } from "../../src/rules/terms.ts";
import type { WorkspaceFact } from "../../src/soup/cell.ts";
import { Configuration } from "../../src/soup/configuration.ts";
import { configurationOf, Edit } from "../../src/soup/edit.ts";
import type { Message, Payload, Policy } from "../../src/soup/message.ts";
import { parseMolecule, parseSoup } from "../../src/soup/parse.ts";
import { printSoup } from "../../src/soup/print.ts";

/** One firing of a trace. */
export type Step = { readonly rule: string; readonly choice: Choice | undefined; readonly after: string };

/** A parsed trace. */
export type Trace = { readonly given: string; readonly before: string; readonly steps: readonly Step[] };

/** Splits a trace into its parts. */
export function parseTrace(text: string): Trace {
  const lines = text.trim().split("\n");
  const given = lines[0]?.startsWith("given ") === true ? (lines.shift() ?? "") : "";
  const [before = "", ...rest] = lines.join("\n").split(/^\s*→ /mu);
  const steps = rest.map((part): Step => {
    const [head = "", ...after] = part.split("\n");
    const [rule = "", ...chosen] = head.trim().split(" ");
    return { rule, choice: parseChoice(chosen.join(" ")), after: after.join(" ").trim() };
  });
  return { given, before: before.trim(), steps };
}

/** The arguments of each `name(…)` of a `given` line. */
function factsOf(given: string, name: string): string[] {
  return [...given.matchAll(/(\w+)\(([^)]*)\)/gu)].flatMap(([, word, inside]) =>
    word === name ? [inside ?? ""] : [],
  );
}

const words = (text: string): string[] => text.split(/[\s,]+/u).filter((word) => word !== "");

/** The configuration of a soup in notation (`…; closed t1, t2` at its end), with the facts of a `given` line. */
export function configurationFrom(soup: string, given = ""): Configuration {
  const pairs = (name: string) => factsOf(given, name).map((one) => one.split(":"));
  const rosters = Object.fromEntries(
    pairs("roster").map(([agent = "", others = ""]) => [agent, words(others)]),
  );
  const cap = factsOf(given, "cap").at(-1) ?? "3";
  const [molecules = "", ended = ""] = soup.split(/;\s*closed/u);
  const closed = [...factsOf(given, "closed"), ended].flatMap(words);
  let result = configurationOf(
    Configuration.empty({ rosters, cap: Number(cap) }),
    parseSoup(molecules),
    closed,
  );
  const record = (thread: string, fact: WorkspaceFact) => {
    result = new Edit(result).workspace(thread, fact).done();
  };
  for (const thread of factsOf(given, "ready").flatMap(words)) record(thread, { ready: true, commit: "c" });
  for (const [thread = "", because = ""] of pairs("refused"))
    record(thread, { ready: false, because: because.trim() });
  return result;
}

/** The canonical form of a configuration: its soup in notation, sorted, and its closed threads. */
export function stateOf(configuration: Configuration): { soup: string[]; closed: string[] } {
  return { soup: printSoup(configuration), closed: [...configuration.closed()].sort() };
}

/** Everything in a configuration, ids and turn numbers included, independent of the order of molecules. */
export function everythingOf(configuration: Configuration): string[] {
  const plain = (_key: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && Symbol.iterator in value
      ? [...(value as Iterable<unknown>)]
      : value;
  const molecules = [...configuration.molecules()].map((molecule) => JSON.stringify(molecule, plain));
  return [...molecules, ...[...configuration.closed()].map((thread) => `closed ${thread}`)].sort();
}

/** The redexes of a rule. */
export function redexesFor(table: RuleTable, configuration: Configuration, rule: string): Redex[] {
  return redexes(table, configuration).filter((redex) => redex.rule.id === rule);
}

/** The states that a rule leads to, one a redex. */
export function successors(table: RuleTable, configuration: Configuration, step: Omit<Step, "after">) {
  return redexesFor(table, configuration, step.rule).map((redex) => fire(configuration, redex, step.choice));
}

function message(text: string): Message {
  const parsed = parseMolecule(`Interrupt(_,${text})`);
  if (parsed.kind !== "Interrupt") throw new Error("unreachable");
  return parsed.message;
}

function payloads(text: string): Payload[] {
  const parsed = parseMolecule(`Send(_,_,${text})`);
  if (parsed.kind !== "Send") throw new Error("unreachable");
  return [...parsed.payloads];
}

/** Parses `ps = […]`, or `e = e1, x = colour?, π = never`. */
function parseChoice(text: string): Choice | undefined {
  if (text === "") return undefined;
  const given = splitArguments(text).map((one) => one.split(/\s*=\s*/u));
  let choice: Choice = {};
  for (const [name = "", value = ""] of given) {
    if (name === "ps") choice = { ...choice, ps: payloads(value) };
    else if (name === "e") choice = { ...choice, e: value };
    else if (name === "π") choice = { ...choice, π: value as Policy };
    else choice = { ...choice, [name]: message(value) };
  }
  return choice;
}
