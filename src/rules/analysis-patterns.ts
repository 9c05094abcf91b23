/**
 * Whether one pattern is more general than another: the question behind duplicate and shadowed rules.
 */
import { application, type Term } from "./terms.ts";
import { SORTS } from "./variables.ts";

/** What the variables of the general pattern stand for in the other one. */
type Substitution = ReadonlyMap<string, string>;

const NAMES: ReadonlySet<string> = new Set(Object.values(SORTS).flat());

/**
 * The ways in which each molecule of `general` matches another one of `specific`, each as a function that puts the
 * words of `specific` for the variables of `general`. None: `general` may fail where `specific` matches.
 */
export function generalises(
  general: readonly Term[],
  specific: readonly Term[],
): readonly ((text: string) => string)[] {
  return matchTerms(general, specific, new Map()).map(
    (found) => (text: string) => text.replaceAll(/[\p{L}]+'?/gu, (word) => found.get(word) ?? word),
  );
}

function matchTerms(
  general: readonly Term[],
  specific: readonly Term[],
  known: Substitution,
): Substitution[] {
  const [first, ...rest] = general;
  if (first === undefined) return [known];
  const ways = specific.flatMap((term, at) => {
    // An optional molecule may be absent, so only an optional one can rely on it.
    if (term.kind !== first.kind || (term.optional && !first.optional)) return [];
    const found = matchAll(first.args, term.args, known);
    return found === undefined ? [] : matchTerms(rest, specific.toSpliced(at, 1), found);
  });
  return first.optional ? [...ways, ...matchTerms(rest, specific, known)] : ways;
}

function matchAll(
  general: readonly string[],
  specific: readonly string[],
  known: Substitution,
): Substitution | undefined {
  if (general.length !== specific.length) return undefined;
  return general.reduce<Substitution | undefined>(
    (found, one, at) => (found === undefined ? undefined : match(one, specific[at] ?? "", found)),
    known,
  );
}

function match(general: string, specific: string, known: Substitution): Substitution | undefined {
  if (general === "_") return known;
  if (NAMES.has(general)) {
    const before = known.get(general);
    if (before !== undefined) return before === specific ? known : undefined;
    return new Map([...known, [general, specific]]);
  }
  const [parts, others] = [general.split("·"), specific.split("·")];
  if (parts.length > 1) return parts.length === others.length ? matchAll(parts, others, known) : undefined;
  const [one, other] = [application(general), application(specific)];
  if (one === undefined || other === undefined) return general === specific ? known : undefined;
  return one.name === other.name ? matchAll(one.args, other.args, known) : undefined;
}
