/**
 * A plain exhaustive walk over a scenario file: every single firing and every choice of its scripts, in every order.
 * Kept naive on purpose: a second opinion on the rule table that shares only the rules.
 */
import { z } from "zod";
import { type Choice, fire } from "../../src/rules/fire.ts";
import { brokenInvariants } from "../../src/rules/invariants.ts";
import { redexes, type Redex } from "../../src/rules/redex.ts";
import { complete, literal } from "../../src/rules/table.ts";
import { Configuration } from "../../src/soup/configuration.ts";
import { configurationOf, Edit } from "../../src/soup/edit.ts";
import type { Message, Payload } from "../../src/soup/message.ts";
import { parseMolecule, plainMessage } from "../../src/soup/parse.ts";
import { printMessage, printSoup } from "../../src/soup/print.ts";

const policy = z.enum(["never", "when_unsure", "always"]);
const ask = z.strictObject({ ask: z.tuple([z.string(), z.string(), policy]) });
const payload = z.union([
  z.strictObject({ to: z.tuple([z.string(), z.string()]), msg: z.string() }),
  z.strictObject({ terminate: z.string() }),
  ask,
]);
const choice = z.union([z.strictObject({ send: z.array(payload) }), z.literal("nosend"), ask]);

export const scenarioSchema = z.strictObject({
  name: z.string(),
  about: z.string().optional(),
  rules: z.enum(["literal", "complete"]),
  initial: z.array(z.string()),
  closed: z.array(z.string()),
  roster: z.record(z.string(), z.array(z.string())),
  cap: z.number(),
  scripts: z.array(
    z.strictObject({
      agent: z.string(),
      thread: z.string(),
      run: z.union([z.number(), z.literal("*")]),
      choices: z.array(choice),
    }),
  ),
  expected: z.strictObject({
    reachableStates: z.number(),
    finalSoups: z.array(z.array(z.string())),
    finalClosed: z.array(z.array(z.string())),
    stuck: z.number(),
    violations: z.array(z.string()),
  }),
});

export type Scenario = z.infer<typeof scenarioSchema>;
type State = { readonly configuration: Configuration; readonly decisions: Readonly<Record<string, number>> };

export function walk(scenario: Scenario) {
  const table = scenario.rules === "literal" ? literal : complete;
  const base = Configuration.empty({ rosters: scenario.roster, cap: scenario.cap });
  let initial = configurationOf(base, scenario.initial.map(parseMolecule), scenario.closed);
  for (const script of scenario.scripts) {
    for (const one of script.choices) {
      if (typeof one === "object" && "send" in one) {
        for (const p of one.send) if ("to" in p) initial = ready(initial, p.to[1]);
      }
    }
  }
  for (const molecule of initial.molecules()) {
    if (molecule.kind !== "Send") continue;
    for (const p of molecule.payloads) if (p.kind === "deliver") initial = ready(initial, p.thread);
  }
  const seen = new Set<string>();
  const finals = new Map<string, { soup: string[]; closed: string[] }>();
  const violations = new Set<string>();
  const work: State[] = [{ configuration: initial, decisions: {} }];
  for (let state = work.pop(); state !== undefined; state = work.pop()) {
    const { configuration, decisions } = state;
    const soup = printSoup(configuration);
    const closed = [...configuration.closed()].sort();
    const key = JSON.stringify([soup, closed, Object.entries(decisions).sort()]);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const { invariant } of brokenInvariants(configuration)) violations.add(invariant);
    const next = redexes(table, configuration).flatMap((redex) => steps(scenario, state, redex));
    if (next.length === 0) finals.set(JSON.stringify([soup, closed]), { soup, closed });
    work.push(...next);
  }
  const sorted = [...finals.entries()].sort().map(([, final]) => final);
  const stuck = sorted.filter(({ soup }) =>
    soup.some((m) => !/^(Idle|Parent)\(|^Mailbox\(.*,\[\]\)$/u.test(m)),
  );
  return { states: seen.size, finals: sorted, stuck: stuck.length, violations: [...violations].sort() };
}

function ready(configuration: Configuration, thread: string): Configuration {
  return new Edit(configuration).workspace(thread, { ready: true, commit: "c" }).done();
}

function steps(scenario: Scenario, state: State, redex: Redex): State[] {
  const { configuration, decisions } = state;
  const one = (chosen?: Choice): State[] => [
    { configuration: fire(configuration, redex, chosen), decisions },
  ];
  const { A, t, m, x, e } = redex.bindings;
  switch (redex.rule.id) {
    case "escalate":
      return one({ y: x });
    case "human-reply":
      return one({ "x'": redex.bindings.y });
    case "respond":
      return one({
        a: { ...plainMessage(x.kind === "task" ? x.body : printMessage(x)), kind: "answer", re: e },
      });
    case "send-step":
    case "nosend-step":
    case "ask-step": {
      const key = `${A}@${t}`;
      const run = (decisions[key] ?? 0) + 1;
      const scripts = scenario.scripts.filter((s) => s.agent === A && s.thread === t);
      const script = scripts.find((s) => s.run === run) ?? scripts.find((s) => s.run === "*");
      return (script?.choices ?? ["nosend" as const]).flatMap((chosen) => {
        const decided = decide(chosen, m);
        if (decided.rule !== redex.rule.id) return [];
        return [
          {
            configuration: fire(configuration, redex, decided.choice),
            decisions: { ...decisions, [key]: run },
          },
        ];
      });
    }
    default:
      return one();
  }
}

function decide(chosen: z.infer<typeof choice>, m: Message): { rule: string; choice: Choice } {
  if (chosen === "nosend") return { rule: "nosend-step", choice: {} };
  if ("ask" in chosen) {
    const [e, x, π] = chosen.ask;
    return { rule: "ask-step", choice: { e, x: x === "$m" ? m : plainMessage(x), π } };
  }
  const ps = chosen.send.map((p): Payload => {
    if ("terminate" in p) return { kind: "terminate", thread: p.terminate };
    if ("ask" in p) {
      const [question, x, policy] = p.ask;
      return { kind: "ask", question, text: x === "$m" ? m : plainMessage(x), policy };
    }
    const message = p.msg === "$m" ? m : plainMessage(p.msg);
    return { kind: "deliver", agent: p.to[0], thread: p.to[1], message };
  });
  return { rule: "send-step", choice: { ps } };
}
