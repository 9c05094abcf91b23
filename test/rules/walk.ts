/**
 * A second, independent rewriting engine for scenario files: slow, plain, and made from the published rules alone.
 *
 * W1. It imports nothing of src/. The rules are read from docs/rules.md and matched as terms; notation, guards, invariants
 *     and the walk are its own, after the words of docs/rules.md and docs/exploration.md.
 * W2. A soup is a list of terms, and everything is found by looking at all of it.
 */
import { readFileSync } from "node:fs";
import type { Scenario } from "./walk-scenario.ts";
import { type Bindings, build, match, parseSide, parseTerm, print, type Term } from "./walk-terms.ts";

type State = {
  readonly soup: readonly Term[];
  readonly closed: readonly string[];
  /** Decisions taken, by instance. */
  readonly decisions: Readonly<Record<string, number>>;
};
type Rule = {
  readonly id: string;
  readonly left: readonly Term[];
  /** The last molecule on the left is taken if it is there. */
  readonly optional: boolean;
  readonly when: readonly string[];
  readonly right: readonly Term[];
  readonly closes: boolean;
};

const page = readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8");

/** A rule as the page writes it: its line, then `when`, `closes` and what else there is. */
function ruleOf(id: string, text: string): Rule {
  const [formal = "", ...lines] = text.trim().split(/\n */u);
  const [left = "", right = ""] = formal.split(" → ");
  const when = lines.find((line) => line.startsWith("when "))?.slice("when ".length);
  return {
    id,
    left: parseSide(left.replace(/\[(‖.*)\]$/u, "$1")),
    optional: left.endsWith("]"),
    when: when?.split(/, (?![^(]*\))/u) ?? [],
    right: parseSide(right),
    closes: lines.includes("closes t"),
  };
}

const literalText = /```literal\n(.*?)\n```/su.exec(page)?.[1] ?? "";
const RULES: Readonly<Record<Scenario["rules"], readonly Rule[]>> = {
  complete: [...page.matchAll(/^### (\S+)\n\n```rule\n(.*?)\n```/gmsu)].map(([, id = "", text = ""]) =>
    ruleOf(id, text),
  ),
  literal: literalText.split(/\n(?=\S)/u).map((block) => {
    const [id = "", ...lines] = block.split("\n");
    return ruleOf(id, lines.join("\n"));
  }),
};

/** The thread of a molecule; a Parent edge belongs to none. */
function threadOf(molecule: Term): Term | undefined {
  if (molecule[0] === "Parent") return undefined;
  return molecule[0] === "Terminate" || molecule[0] === "Interrupt" ? molecule[1] : molecule[2];
}

const patterns = new Map<string, Term>();
function patternOf(text: string): Term {
  const pattern = patterns.get(text) ?? parseTerm(text);
  patterns.set(text, pattern);
  return pattern;
}

/** What guards and invariants ask of a soup. */
function view({ soup, closed }: State) {
  const has = (pattern: string, b: Bindings = {}) => soup.some((one) => match(patternOf(pattern), one, b));
  const isDying = (t: Term) => has("Terminate(t,_)", { t });
  const isClosed = (t: Term) => closed.some((one) => one === t);
  const hasEdge = (c: Term, t: Term) => has("Parent(t,t')", { t: c, "t'": t });
  return {
    has,
    isDying,
    isEnded: (t: Term) => isDying(t) || isClosed(t),
    hasEdge,
    isAdjacent: (t: Term, other: Term) => hasEdge(other, t) || hasEdge(t, other),
    isUnused: (t: Term) =>
      !isClosed(t) &&
      soup.every((one) => threadOf(one) !== t && (one[0] !== "Parent" || (one[1] !== t && one[2] !== t))),
    on: (t: Term) => soup.filter((one) => threadOf(one) === t),
    open: (t: Term) =>
      soup.filter(
        (one) => one[0] === "Parent" && one[2] === t && !isDying(one[1] ?? "") && !isClosed(one[1] ?? ""),
      ).length,
  };
}

type Asked = ReturnType<typeof view> & { readonly scenario: Scenario };

/** `A ∈ roster(B)`. */
function isRostered({ scenario }: Asked, B: Term, A: Term): boolean {
  const roster = new Map(Object.entries(scenario.roster)).get(String(B)) ?? [];
  return roster.some((one) => one === A);
}

/** "### refuse": the four cases, in the order of the page. */
function isHopeless(s: Asked, B: Term, t: Term, p: Term): boolean {
  if (p[0] === "ask") return false;
  const [, first = "", second = ""] = p;
  if (p[0] === "terminate") return !s.hasEdge(first, t) && !s.isEnded(first);
  const [A, to] = [first, second];
  if (s.isEnded(to)) return true;
  if (to !== t && s.isUnused(to)) return !isRostered(s, B, A) || s.open(t) >= s.scenario.cap;
  return to === t || !s.has("Mailbox(A,t,_)", { A, t: to }) || !s.isAdjacent(t, to);
}

/** The guards of the page, by their text; every workspace is ready. */
const GUARDS: Readonly<Record<string, (s: Asked, b: Record<string, Term>) => boolean>> = {
  "live(t)": (s, { t = "" }) => !s.isEnded(t),
  "live(t')": (s, { "t'": t = "" }) => !s.isEnded(t),
  "ended(t')": (s, { "t'": t = "" }) => s.isEnded(t),
  "not dying(t')": (s, { "t'": t = "" }) => !s.isDying(t),
  "adjacent(t,t')": (s, { t = "", "t'": other = "" }) => s.isAdjacent(t, other),
  "unused(t')": (s, { t = "", "t'": other = "" }) => other !== t && s.isUnused(other),
  "A ∈ roster(B)": (s, { A = "", B = "" }) => isRostered(s, B, A),
  "open(t) < cap": (s, { t = "" }) => s.open(t) < s.scenario.cap,
  "ready(t')": () => true,
  "hopeless(p)": (s, { B = "", t = "", p = "" }) => isHopeless(s, B, t, p),
  "no Interrupt(t,_)": (s, { t = "" }) => !s.has("Interrupt(t,_)", { t }),
  "π ≠ never": (_, b) => b["π"] !== "never",
  "π ≠ always or h = post-human": (_, b) => b["π"] !== "always" || b["h"] === "post-human",
  "alone(t)": (s, { t = "" }) => s.on(t).length === 1 && !s.has("Parent(_,t)", { t }),
  "bare(t)": (s, { t = "" }) =>
    !s.on(t).some(([kind]) => ["Run", "Idle", "Mailbox", "Send"].includes(String(kind))) &&
    !s.has("Parent(_,t)", { t }),
  "no Mailbox(A,t',_)": (s, { A = "", "t'": t = "" }) => !s.has("Mailbox(A,t,_)", { A, t }),
};

/** The ways in which the left side is found in the soup: bindings, and the places of what is taken. */
function* found(
  rule: Rule,
  soup: readonly Term[],
  b: Bindings = {},
  taken: readonly number[] = [],
): Generator<readonly [Bindings, readonly number[]]> {
  const pattern = rule.left[taken.length];
  if (pattern === undefined) return yield [b, taken];
  let some = false;
  for (const [at, molecule] of soup.entries()) {
    const next = taken.includes(at) ? undefined : match(pattern, molecule, b);
    if (next === undefined) continue;
    some = true;
    yield* found(rule, soup, next, [...taken, at]);
  }
  if (!some && rule.optional && taken.length === rule.left.length - 1) yield [b, taken];
}

/** The message of a script (docs/exploration.md, "The scenario file"). */
function messageOf(text: string, m: Term): Term {
  if (text === "$m") return m;
  return /^(?:ans\(|refused\(|")/u.test(text) ? parseTerm(text) : text;
}

/** What an instance may decide under a rule; nothing where its script chooses another rule. */
function decisionsOf(rule: string, { scripts }: Scenario, b: Bindings, run: number): Bindings[] {
  const own = scripts.filter(({ agent, thread }) => agent === b["A"] && thread === b["t"]);
  const script = own.find((one) => one.run === run) ?? own.find((one) => one.run === "*");
  const m = b["m"] ?? "";
  return (script?.choices ?? ["nosend" as const]).flatMap((one): Bindings[] => {
    if (one === "nosend") return rule === "nosend-step" ? [b] : [];
    if ("ask" in one) {
      const [e, x, π] = one.ask;
      return rule === "ask-step" ? [{ ...b, e, x: messageOf(x, m), π }] : [];
    }
    if (rule !== "send-step") return [];
    const payloads = one.send.map((p): Term => {
      if ("terminate" in p) return ["terminate", p.terminate];
      if ("ask" in p) return ["ask", p.ask[0], messageOf(p.ask[1], m), p.ask[2]];
      return ["deliver", ...p.to, messageOf(p.msg, m)];
    });
    return [{ ...b, ps: ["[]", ...payloads] }];
  });
}

/** Everything that can come next. */
function successors(scenario: Scenario, state: State): State[] {
  const asked = { ...view(state), scenario };
  return RULES[scenario.rules].flatMap((rule) =>
    [...found(rule, state.soup)].flatMap(([b, taken]): State[] => {
      const holds = rule.when.every((guard) => {
        const one = GUARDS[guard];
        if (one === undefined) throw new Error(`no guard is called ${guard}`);
        return one(asked, b);
      });
      if (!holds) return [];
      const { x = "", y = "", t = "" } = b;
      const isDecision = ["send-step", "nosend-step", "ask-step"].includes(rule.id);
      const instance = print(["", b["A"] ?? "", t]);
      const run = (state.decisions[instance] ?? 0) + (isDecision ? 1 : 0);
      const said = { y: rule.id === "escalate" ? x : y, "x'": y, a: x };
      const ways = isDecision ? decisionsOf(rule.id, scenario, b, run) : [{ ...b, ...said }];
      return ways.map((way) => ({
        soup: [
          ...state.soup.filter((_, at) => !taken.includes(at)),
          ...rule.right.map((one) => build(one, way)),
        ],
        closed: rule.closes ? [...new Set([...state.closed, String(t)])] : state.closed,
        decisions: isDecision ? { ...state.decisions, [instance]: run } : state.decisions,
      }));
    }),
  );
}

/** The invariants of the page that a state breaks, by name. */
function broken({ soup, closed }: State): string[] {
  const edges = soup.filter(([kind]) => kind === "Parent").map(([, c = "", t = ""]) => [c, t] as const);
  const isTwice = (of: (m: Term) => readonly Term[] | undefined) => {
    const keys = soup.flatMap((m) => of(m)?.map(print).join(" ") ?? []);
    return new Set(keys).size < keys.length;
  };
  const instance =
    (...kinds: string[]) =>
    (m: Term) =>
      kinds.includes(String(m[0])) ? [m[1] ?? "", m[2] ?? ""] : undefined;
  const isAncestor = (above: Term, t: Term, seen: readonly Term[] = []): boolean =>
    edges.some(
      ([c, up]) => c === t && !seen.includes(up) && (up === above || isAncestor(above, up, [...seen, up])),
    );
  const names: Readonly<Record<string, boolean>> = {
    "two-lifecycle": isTwice(instance("Idle", "Run", "Send")),
    "two-mailbox": isTwice(instance("Mailbox")),
    "two-parents": isTwice((m) => (m[0] === "Parent" ? [m[1] ?? ""] : undefined)),
    "parent-cycle": edges.some(([c]) => isAncestor(c, c)),
    "closed-alive": closed.some(
      (t) => soup.some((m) => threadOf(m) === t) || edges.some((edge) => edge.includes(t)),
    ),
    "question-twice": isTwice((m) =>
      /^(?:AskQuestion|Proxy|AskHuman)$/u.test(String(m[0])) ? [m[3] ?? ""] : undefined,
    ),
  };
  return Object.keys(names).filter((name) => names[name]);
}

/** Walks every interleaving of a scenario. */
export function walk(scenario: Scenario) {
  const seen = new Set<string>();
  const finals = new Map<string, { soup: string[]; closed: string[] }>();
  const violations = new Set<string>();
  const work: State[] = [
    { soup: scenario.initial.flatMap(parseSide), closed: scenario.closed, decisions: {} },
  ];
  for (let state = work.pop(); state !== undefined; state = work.pop()) {
    const soup = state.soup.map(print).sort();
    const closed = [...new Set(state.closed)].sort();
    const key = JSON.stringify([soup, closed, Object.entries(state.decisions).sort()]);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const name of broken(state)) violations.add(name);
    const next = successors(scenario, state);
    if (next.length === 0) finals.set(JSON.stringify([soup, closed]), { soup, closed });
    work.push(...next);
  }
  const sorted = [...finals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, final]) => final);
  const rests = /^(?:Idle|Parent)\(|^Mailbox\(.*,\[\]\)$/u;
  const stuck = sorted.filter(({ soup }) => !soup.every((one) => rests.test(one))).length;
  return { states: seen.size, finals: sorted, stuck, violations: [...violations].sort() };
}
