/**
 * Running a scenario: its scripts as a behaviour, its soup as a configuration, and what differs from its expectation.
 *
 * E16. The proxy hands the question to the human as it stands, keeps what the human made of it, and answers `ans(x)`;
 *      the human can always reply. An instance without script decides nosend.
 */
import { Configuration } from "../../soup/configuration.ts";
import { configurationOf } from "../../soup/edit.ts";
import type { Message, Payload } from "../../soup/message.ts";
import { parseMolecule, plainMessage } from "../../soup/parse.ts";
import { printMessage, printMolecule } from "../../soup/print.ts";
import type { Choice } from "../fire.ts";
import type { RuleId } from "../rule.ts";
import { complete, literal } from "../table.ts";
import { type Behaviour, decisionsOf } from "./behaviour.ts";
import { explore, type Exploration, type ExploreOptions } from "./explore.ts";
import type { Expected, Scenario, Script, ScriptChoice, ScriptMessage, ScriptPayload } from "./scenario.ts";

/** Explores a scenario; `rules` overrides its own table. */
export function runScenario(
  scenario: Scenario,
  options: ExploreOptions & { readonly rules?: "literal" | "complete" } = {},
): Exploration {
  const base = Configuration.empty({ rosters: scenario.roster, cap: scenario.cap });
  const initial = configurationOf(base, scenario.initial, scenario.closed);
  const table = (options.rules ?? scenario.rules) === "literal" ? literal : complete;
  return explore(table, initial, scripted(scenario.scripts), options);
}

/** The behaviour of agents that follow scripts. */
export function scripted(scripts: readonly Script[]): Behaviour {
  const byRun = new Map(
    scripts.map((one) => [JSON.stringify([one.agent, one.thread, one.run]), one.choices]),
  );
  const choicesFor = (agent: string, thread: string, run: number): readonly ScriptChoice[] =>
    byRun.get(JSON.stringify([agent, thread, run])) ??
    byRun.get(JSON.stringify([agent, thread, "*"])) ?? ["nosend"];
  return {
    sees: "decisions",
    choices(redex, { decisions }) {
      const { A, t, m, x, y } = redex.bindings;
      switch (redex.rule.id) {
        case "escalate":
          return [{ y: x }];
        case "human-reply":
          return [{ "x'": y }];
        case "respond":
          return [{ a: plainMessage(x.kind === "task" ? x.body : printMessage(x)) }];
        default: {
          const run = decisionsOf(decisions, A) + 1;
          return choicesFor(A, t, run).flatMap((one) => choiceOf(one, redex.rule.id, m));
        }
      }
    },
  };
}

/** The choice as the rule takes it; none when it is one of another rule. */
function choiceOf(one: ScriptChoice, rule: RuleId, m: Message): readonly Choice[] {
  const message = (text: ScriptMessage) => (text === "$m" ? m : text);
  if (one === "nosend") return rule === "nosend-step" ? [{}] : [];
  if (one.kind === "ask") {
    return rule === "ask-step" ? [{ e: one.question, x: message(one.text), π: one.policy }] : [];
  }
  if (rule !== "send-step") return [];
  const payload = (p: ScriptPayload): Payload => {
    if (p.kind === "terminate") return p;
    if (p.kind === "ask") return { ...p, text: message(p.text) };
    return { ...p, message: message(p.message) };
  };
  return [{ ps: one.payloads.map(payload) }];
}

/** How an exploration differs from what is expected, one sentence a difference; none: it agrees. */
export function differences(
  expected: Expected,
  found: Exploration,
  options: { readonly reduced: boolean } = { reduced: false },
): string[] {
  const result: string[] = [];
  const differs = (what: string, wanted: number | string, got: number | string) => {
    if (wanted !== got) result.push(`${what}: expected ${wanted}, found ${got}`);
  };
  if (!found.complete)
    result.push(`the exploration was cut by the bound on ${found.cut?.bound ?? "nothing"}`);
  if (!options.reduced) differs("configurations", expected.reachableStates, found.states);
  else if (found.states > expected.reachableStates)
    differs("configurations", `at most ${expected.reachableStates}`, found.states);
  differs("stuck soups", expected.stuck, found.stuck);
  differs(
    "violations",
    expected.violations.toSorted().join(", "),
    found.violations.map((one) => one.invariant).join(", "),
  );
  const wanted = new Set(
    expected.finalSoups.map((soup, at) => finalKey(canonical(soup), expected.finalClosed[at] ?? [])),
  );
  const got = new Set(found.finals.map(({ soup, closed }) => finalKey(soup, closed)));
  for (const one of wanted) if (!got.has(one)) result.push(`this final was expected but not found: ${one}`);
  for (const one of got) if (!wanted.has(one)) result.push(`this final was not expected: ${one}`);
  return result;
}

function canonical(soup: readonly string[]): string[] {
  return soup.map((one) => printMolecule(parseMolecule(one)));
}

function finalKey(soup: readonly string[], closed: readonly string[]): string {
  const ended = closed.length === 0 ? "" : ` ; closed ${closed.toSorted().join(", ")}`;
  return (soup.length === 0 ? "ε" : soup.toSorted().join(" ‖ ")) + ended;
}
