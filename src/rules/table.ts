/**
 * A rule table, compiled once: rules by anchor kind, in the order of the document.
 *
 * K1. Building refuses a table in which a rule repeats an id, lacks its documentation, needs a scan, reads an unbound variable, names an
 *     unknown guard, or is anchored where matching does not look: such a table never runs.
 * K2. The order of rules is the order of the records; matching never uses another.
 */
import type { Configuration } from "../soup/configuration.ts";
import { invariant } from "../soup/invariant.ts";
import { type Anchor, anchorsOf } from "./anchor.ts";
import { type Builder, compileBuilder, variablesIn } from "./build.ts";
import { COMPLETE } from "./complete.ts";
import { type FactRead, type Guard, GUARDS } from "./guards.ts";
import { LITERAL } from "./literal.ts";
import { compileMatcher, type Matcher } from "./match.ts";
import type { RuleId, RuleText } from "./rule.ts";
import { parseSide, type Term } from "./terms.ts";
import { type Bindings, NAMING, type Variable } from "./variables.ts";

/** A compiled rule. */
export type Rule = {
  readonly text: RuleText;
  readonly id: RuleId;
  /** Where its first molecule may be. */
  readonly anchors: readonly Anchor[];
  readonly matchers: readonly Matcher[];
  readonly guards: readonly Guard[];
  /** For each molecule of the left side: it stands unchanged on the right too. */
  readonly kept: readonly boolean[];
  readonly products: readonly Builder[];
  /** Facts of threads that its guards rely on. */
  readonly reads: readonly FactRead[];
  /** Facts of threads that its products change. */
  readonly writes: readonly FactRead[];
  /** The naming variables that its left side binds. */
  readonly names: readonly (typeof NAMING)[number][];
  /** Needs no choice from outside. */
  readonly structural: boolean;
  /** Its left side binds a second thread, t'. */
  readonly paired: boolean;
};

/** The rules that may match at each anchor, in the order of the table. */
export type RulesByAnchor = Readonly<Record<Anchor, readonly Rule[]>>;

/** A compiled table. */
export type RuleTable = {
  readonly name: "complete" | "literal" | "custom";
  readonly rules: readonly Rule[];
  readonly byAnchor: RulesByAnchor;
  /** Those of them that are structural. */
  readonly structuralByAnchor: RulesByAnchor;
  readonly byId: ReadonlyMap<string, Rule>;
};

/** The rule says what it does. */
export function isDocumented({ about }: RuleText): boolean {
  return about !== undefined && about.trim() !== "";
}

/** Compiles one rule. */
export function compileRule(text: RuleText): Rule {
  invariant(
    isDocumented(text),
    `rule ${text.id}: it does not say what it does; give it \`about\`, a sentence`,
  );
  const left = parseSide(text.left);
  const right = parseSide(text.right);
  const [first] = left;
  const anchors = first === undefined ? [] : anchorsOf(first);
  invariant(anchors.length > 0, `rule ${text.id}: matching never starts at ${first?.kind ?? "nothing"}`);
  invariant(
    left.slice(0, -1).every(({ optional }) => !optional),
    `rule ${text.id}: only the last molecule may be optional`,
  );
  const bound = new Set<Variable>(["t"]);
  const matchers = left.map((term) => compileMatcher(term, bound));
  const guards = (text.when ?? []).map((name) => {
    const guard = GUARDS[name];
    invariant(guard !== undefined, `rule ${text.id}: unknown guard "${name}"`);
    for (const variable of guard.uses) {
      invariant(
        bound.has(variable),
        `rule ${text.id}: guard "${name}" reads ${variable}, which the left side does not bind`,
      );
    }
    return guard;
  });
  if (text.when?.includes("hopeless(p)") === true) bound.add("why");
  const unbound = variablesIn(text.right).filter((variable) => !bound.has(variable));
  const chosen = text.choice ?? [];
  invariant(
    unbound.length === chosen.length && unbound.every((variable) => chosen.includes(variable)),
    `rule ${text.id}: the right side reads ${unbound.join(", ")}, the choice gives ${chosen.join(", ")}`,
  );
  const spell = (term: Term) => `${term.kind}(${term.args.join(",")})`;
  const rightSpelled = right.map(spell);
  const kept = left.map((term) => rightSpelled.includes(spell(term)));
  const leftSpelled = left.map(spell);
  const made = right.filter((term) => !leftSpelled.includes(spell(term)));
  return {
    text,
    id: text.id,
    anchors,
    matchers,
    guards,
    kept,
    products: made.map(compileBuilder),
    reads: guards.flatMap((guard) => guard.reads),
    writes: writesOf(made),
    names: NAMING.filter((name) => variablesIn(text.left).includes(name)),
    structural: text.choice === undefined,
    paired: bound.has("t'"),
  };
}

/** A new Terminate ends the life of its thread; a new Parent edge uses its child and a seat of its parent. */
function writesOf(made: readonly Term[]): FactRead[] {
  return made.flatMap((term): FactRead[] => {
    const [first, second] = term.args;
    const named = (text: string | undefined): "t" | "t'" => (text === "t'" ? "t'" : "t");
    if (term.kind === "Terminate") return [{ fact: "life", thread: named(first) }];
    if (term.kind === "Parent") return [first, second].map((text) => ({ fact: "use", thread: named(text) }));
    return [];
  });
}

/** Compiles a table; see K1. */
export function compileTable(name: RuleTable["name"], texts: readonly RuleText[]): RuleTable {
  const rules = texts.map(compileRule);
  const byId = new Map<string, Rule>(rules.map((rule) => [rule.id, rule]));
  invariant(byId.size === rules.length, `table ${name}: a rule id stands twice`);
  const structural = rules.filter((rule) => rule.structural);
  return { name, rules, byAnchor: byAnchor(rules), structuralByAnchor: byAnchor(structural), byId };
}

function byAnchor(rules: readonly Rule[]): RulesByAnchor {
  const at = (anchor: Anchor) => rules.filter(({ anchors }) => anchors.includes(anchor));
  return {
    Terminate: at("Terminate"),
    Idle: at("Idle"),
    Run: at("Run"),
    "Send deliver": at("Send deliver"),
    "Send terminate": at("Send terminate"),
    "Send ask": at("Send ask"),
    "Send end": at("Send end"),
    AskQuestion: at("AskQuestion"),
    Proxy: at("Proxy"),
    AskHuman: at("AskHuman"),
  };
}

/** The default table. */
export const complete: RuleTable = compileTable("complete", COMPLETE);

/** The seed's rules as written. */
export const literal: RuleTable = compileTable("literal", LITERAL);

/** Whether all guards of a rule hold under the bindings. */
export function guardsHold(rule: Rule, configuration: Configuration, b: Bindings): boolean {
  for (const guard of rule.guards) if (!guard.holds(configuration, b)) return false;
  return true;
}
