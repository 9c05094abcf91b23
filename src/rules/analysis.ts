/**
 * What is wrong with a rule table as a whole, found before anything is reduced.
 *
 * A1. Sound: a table without a finding has no rule that is made superfluous by another, makes no molecule that stays
 *     for ever because no rule takes it, matches without scans, and always comes to rest between two choices.
 * A2. Not complete: guards are compared as words, and a table with a finding may still be harmless.
 */
import type { MoleculeKind } from "../soup/molecule.ts";
import { generalises } from "./analysis-patterns.ts";
import { risingRules } from "./analysis-rest.ts";
import { variablesIn } from "./build.ts";
import type { RuleText } from "./rule.ts";
import { compileTable, isDocumented, type RuleTable } from "./table.ts";
import { parseSide, type Term } from "./terms.ts";
import { type Variable, variableOf } from "./variables.ts";

/**
 * `duplicate`: its id, or all of it, stands twice. `shadowed`: wherever it matches, an earlier one fires. `unconsumed`: no rule
 * takes what it makes. `scan`: a left molecule that no index finds. `livelock`: it may fire for ever, whatever anybody
 * chooses. `undocumented`: it does not say what it does, or the rules' document does not have it.
 */
export type FindingKind = "duplicate" | "shadowed" | "unconsumed" | "scan" | "livelock" | "undocumented";

/** One thing that is wrong; `rule` is the id, `what` a sentence. */
export type Finding = { readonly kind: FindingKind; readonly rule: string; readonly what: string };

/** A table that is not built because of what was found in it. */
export class UnsoundTable extends Error {
  override readonly name = "UnsoundTable";
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(findings.map(({ rule, what }) => `${rule}: ${what}`).join("\n"));
    this.findings = findings;
  }
}

/**
 * Compiles a table of one's own.
 * @throws UnsoundTable when the analysis finds anything.
 */
export function buildTable(texts: readonly RuleText[]): RuleTable {
  const findings = analyse(texts);
  if (findings.length > 0) throw new UnsoundTable(findings);
  return compileTable("custom", texts);
}

/** A rule with its sides parsed. */
type Sides = {
  readonly text: RuleText;
  readonly id: string;
  readonly when: readonly string[];
  readonly choice: RuleText["choice"];
  readonly left: readonly Term[];
  readonly right: readonly Term[];
};

/**
 * Analyses a table.
 * @param documented ids of the rules that the document has; not looked at when absent.
 */
export function analyse(texts: readonly RuleText[], documented?: ReadonlySet<string>): Finding[] {
  const rising = new Set(risingRules(texts));
  const rules = texts.map((text): Sides => {
    const { id, when = [], choice } = text;
    return { text, id, when, choice, left: parseSide(text.left), right: parseSide(text.right) };
  });
  return rules.flatMap((rule, at) => {
    const { text } = rule;
    const found: Finding[] = [];
    const add = (kind: FindingKind, what: string) => found.push({ kind, rule: text.id, what });
    const earlier = rules.slice(0, at);
    if (earlier.some(({ id }) => id === text.id)) add("duplicate", "its id stands twice");
    const same = earlier.find((other) => isSame(other, rule));
    if (same !== undefined) add("duplicate", `it says the same as ${same.id}`);
    const stronger = earlier.find((other) => other !== same && shadows(other, rule));
    if (stronger !== undefined) add("shadowed", `wherever it matches, ${stronger.id} matches and goes first`);
    for (const product of unconsumed(rule, rules)) add("unconsumed", `no rule takes ${product}`);
    for (const term of scanned(rule)) add("scan", `nothing bound leads to ${spell(term)}`);
    if (rising.has(text)) add("livelock", "no measure is found that it makes smaller");
    if (!isDocumented(text)) add("undocumented", "it does not say what it does; give it `about`, a sentence");
    if (documented?.has(text.id) === false) add("undocumented", "the document of the rules does not have it");
    return found;
  });
}

function spell({ kind, args }: Term): string {
  return `${kind}(${args.join(",")})`;
}

function isSame(one: Sides, other: Sides): boolean {
  return covers(one, other) && covers(other, one) && sameProducts(one, other);
}

/** Right sides are compared in the words of the other rule, since equal left sides may name variables differently. */
function sameProducts(one: Sides, other: Sides): boolean {
  if ((one.choice === undefined) !== (other.choice === undefined)) return false;
  const both = ({ left, right }: Sides): Term[] => [...left, ...right];
  return generalises(both(one), both(other)).length > 0 && generalises(both(other), both(one)).length > 0;
}

/** The earlier rule fires wherever the later one matches; where somebody chooses, both may. */
function shadows(earlier: Sides, later: Sides): boolean {
  return earlier.choice === undefined && later.choice === undefined && covers(earlier, later);
}

/** Wherever `specific` matches, `general` does. */
function covers(general: Sides, specific: Sides): boolean {
  const required = general.when;
  return generalises(general.left, specific.left).some((renamed) =>
    required.every((guard) => specific.when.includes(renamed(guard))),
  );
}

/** Molecules on the right for which no rule has a place on its left. */
function unconsumed(rule: Sides, rules: readonly Sides[]): string[] {
  const taken = (kind: MoleculeKind, constant: string | undefined) =>
    rules.some((other) => consumed(other).some((term) => term.kind === kind && accepts(term, constant)));
  return made(rule)
    .filter((term) => !taken(term.kind, constantOf(term)))
    .map(spell);
}

/** What stands on the right and not, in the same words, on the left. */
function made({ left, right }: Sides): Term[] {
  const before = left.map(spell);
  return right.filter((term) => !before.includes(spell(term)));
}

function consumed({ left, right }: Sides): Term[] {
  const after = right.map(spell);
  return left.filter((term) => !after.includes(spell(term)));
}

/** The phase or mode that a molecule is made with, where the rule fixes it. */
function constantOf({ kind, args }: Term): string | undefined {
  const last = args.at(-1) ?? "";
  const isConstant = kind === "Proxy" ? variableOf("phase", last) : variableOf("mode", last);
  return (kind === "Proxy" || kind === "Terminate") && isConstant === undefined ? last : undefined;
}

function accepts(term: Term, constant: string | undefined): boolean {
  const own = constantOf(term);
  return own === undefined || own === "_" || constant === undefined || own === constant;
}

/** Molecules of a left side that no bound thread leads to. */
function scanned({ left }: Sides): Term[] {
  const [anchor, ...others] = left;
  const bound = new Set<Variable>(anchor === undefined ? [] : variablesIn(spell(anchor)));
  return others.filter((term) => {
    const at = term.kind === "Parent" ? term.args : [threadOf(term)];
    const found = at.some((one) => {
      const thread = variableOf("thread", one);
      return thread !== undefined && bound.has(thread);
    });
    for (const variable of variablesIn(spell(term))) bound.add(variable);
    return !found;
  });
}

/** The argument of a molecule that names its thread. */
function threadOf({ kind, args }: Term): string {
  return (kind === "Terminate" || kind === "Interrupt" ? args[0] : args[1]) ?? "";
}
