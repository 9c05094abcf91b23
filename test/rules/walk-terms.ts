/**
 * Terms for the independent engine (walk.ts): notation read, matched, rewritten and printed, after docs/rules.md.
 *
 * T1. A term is a word or a list whose first element is its name: `["Idle","A","t"]`; a queue is named `[]`.
 * T2. In a pattern the variables of docs/rules.md stand for terms; in a soup there are none.
 */

/** See T1. */
export type Term = string | readonly Term[];
/** What the variables of a pattern stand for. */
export type Bindings = Readonly<Record<string, Term>>;

const QUEUES = new Set(["q", "ms", "ps"]);
const VARIABLES = new Set([...QUEUES, ..."A B t t' m x x' y a X Y p e π h k l why".split(" ")]);
const TOKEN = /"(?:[^"\\]|\\.)*"|[‖()[\],·∨]|[^\s"‖()[\],·∨]+/gu;

/** The terms of `one ‖ two`; none of `ε`. */
export function parseSide(text: string): Term[] {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const takes = (token: string) => tokens[at] === token && ++at > 0;
  const until = (end: string): Term[] => {
    const items: Term[] = [];
    while (!takes(end)) {
      items.push(term());
      takes(",");
      if (at > tokens.length) throw new Error(`${text} has no ${end}`);
    }
    return items;
  };
  const simple = (): Term => {
    if (takes("[")) return ["[]", ...until("]")];
    const token = tokens[at++] ?? "";
    if (token.startsWith('"')) return String(JSON.parse(token));
    if (!takes("(")) return token;
    const args = until(")");
    return token === "Terminate" && args.length === 1 ? [token, ...args, "merge"] : [token, ...args];
  };
  const term = (): Term => {
    const first = simple();
    const sign = tokens[at] ?? "";
    return takes("·") || takes("∨") ? [sign, first, simple()] : first;
  };
  const terms: Term[] = [];
  while (at < tokens.length) {
    terms.push(term());
    takes("‖");
  }
  return terms.filter((one) => one !== "ε");
}

/** One term. */
export function parseTerm(text: string): Term {
  const [one, ...more] = parseSide(text);
  if (one === undefined || more.length > 0) throw new Error(`${text} is not one term`);
  return one;
}

/** The notation of a term; two terms are the same when their notation is. */
export function print(term: Term): string {
  if (typeof term === "string")
    return /^[\p{L}\p{Nd}_$#@%+\-./:~'!?*]+$/u.test(term) ? term : JSON.stringify(term);
  const [name = "", ...args] = term;
  const shown = (name === "Terminate" && args[1] === "merge" ? args.slice(0, 1) : args).map(print).join(",");
  return name === "[]" ? `[${shown}]` : `${String(name)}(${shown})`;
}

/** The bindings with those under which the pattern is the term; undefined when it cannot be. */
export function match(pattern: Term, term: Term, b: Bindings): Bindings | undefined {
  if (typeof pattern === "string") {
    if (pattern === "_") return b;
    if (!VARIABLES.has(pattern)) return pattern === term ? b : undefined;
    const bound = b[pattern];
    if (bound === undefined) return { ...b, [pattern]: term };
    return print(bound) === print(term) ? b : undefined;
  }
  if (typeof term === "string") return undefined;
  if (pattern[0] === "·") {
    const [, head = "", rest = ""] = pattern;
    const [, first, ...others] = term;
    const known = first === undefined ? undefined : match(head, first, b);
    return known && match(rest, ["[]", ...others], known);
  }
  if (pattern.length !== term.length) return undefined;
  return pattern.reduce<Bindings | undefined>((all, one, at) => all && match(one, term[at] ?? "", all), b);
}

/** The term that a pattern of a right side makes. */
export function build(pattern: Term, b: Bindings): Term {
  if (typeof pattern === "string") return VARIABLES.has(pattern) ? (b[pattern] ?? "") : pattern;
  const [name, ...args] = pattern;
  const [one = "", other = ""] = args.map((arg) => build(arg, b));
  if (name === "·" && typeof one !== "string") return [...one, other];
  if (name === "∨") return one === "drop" || other === "drop" ? "drop" : "merge";
  if (name === "answer") return ["ans", other];
  if (name === "refusal") return ["refused", one[1] === undefined ? "" : addressee(one)];
  return [name ?? "", ...args.map((arg) => build(arg, b))];
}

/** The thread that a payload addresses. */
function addressee(payload: Term): Term {
  return (payload[0] === "deliver" ? payload[2] : payload[1]) ?? "";
}
