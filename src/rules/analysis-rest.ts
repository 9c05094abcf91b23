/**
 * Whether reduction always comes to rest: a lexicographic measure that every structural rule makes smaller.
 *
 * Each component of the measure counts something in the soup: molecules of one kind, messages in mailboxes, payloads in
 * broadcasts. A component that none of the remaining rules can make larger settles those that always make it smaller,
 * whatever the later components do; they are set aside, and the search goes on with the rest. Taking one component
 * never spoils another, so the search finds a measure of this form if there is one. Soups are finite and counts do not
 * go below zero: when every rule is settled, no sequence of structural firings goes on for ever.
 */
import type { RuleText } from "./rule.ts";
import { parseSide, type Term } from "./terms.ts";

/** By how much a rule changes a count: a constant and multiples of the lengths of queues that it names. */
type Change = { readonly constant: number; readonly lengths: ReadonlyMap<string, number> };
type Count = (term: Term) => Change;

const none: Change = { constant: 0, lengths: new Map() };

const KINDS = [
  "Send", "AskQuestion", "Interrupt", "Idle", "Run", "Mailbox", "Proxy", "AskHuman", "Parent", "Terminate",
] as const; // prettier-ignore

/** The components of a measure. */
const COUNTS: readonly Count[] = [
  (term) => (term.kind === "Send" ? lengthOf(term.args[2] ?? "") : none),
  (term) => (term.kind === "Mailbox" ? lengthOf(term.args[2] ?? "") : none),
  ...KINDS.map(
    (kind): Count =>
      (term) =>
        term.kind === kind ? { ...none, constant: 1 } : none,
  ),
];

type Sides = { readonly text: RuleText; readonly left: readonly Term[]; readonly right: readonly Term[] };

/** The structural rules that no measure of this form makes an end of. */
export function risingRules(texts: readonly RuleText[]): RuleText[] {
  const structural = texts.filter(({ choice }) => choice === undefined);
  let left = structural.map((text): Sides => ({
    text,
    left: parseSide(text.left),
    right: parseSide(text.right),
  }));
  for (;;) {
    const count = COUNTS.find(
      (one) => left.every((rule) => neverRises(rule, one)) && left.some((rule) => alwaysFalls(rule, one)),
    );
    if (count === undefined) return left.map(({ text }) => text);
    left = left.filter((rule) => !alwaysFalls(rule, count));
  }
}

function neverRises(rule: Sides, count: Count): boolean {
  return changes(rule, count).every(
    ({ constant, lengths }) => constant <= 0 && [...lengths.values()].every((times) => times <= 0),
  );
}

function alwaysFalls(rule: Sides, count: Count): boolean {
  return neverRises(rule, count) && changes(rule, count).every(({ constant }) => constant < 0);
}

/** The change that a rule makes, with its optional molecule and without. */
function changes(rule: Sides, count: Count): Change[] {
  const { left, right } = rule;
  const required = left.filter(({ optional }) => !optional);
  return [left, required].map((taken) => {
    const minus = taken.map((term) => times(count(term), -1));
    return [...right.map(count), ...minus].reduce(plus, none);
  });
}

function times({ constant, lengths }: Change, by: number): Change {
  return { constant: by * constant, lengths: new Map([...lengths].map(([name, many]) => [name, by * many])) };
}

function plus(one: Change, other: Change): Change {
  const lengths = new Map(one.lengths);
  for (const [name, many] of other.lengths) lengths.set(name, (lengths.get(name) ?? 0) + many);
  return { constant: one.constant + other.constant, lengths };
}

/** The length of `[]`, `[x]`, `q`, `m·q` or `q·x`. */
function lengthOf(list: string): Change {
  if (list === "[]") return none;
  if (list.startsWith("[")) return { ...none, constant: 1 };
  const parts = list.split("·");
  const queue = parts.find((part) => ["q", "ms", "ps"].includes(part));
  return {
    constant: queue === undefined ? parts.length : parts.length - 1,
    lengths: new Map(queue === undefined ? [] : [[queue, 1]]),
  };
}
