/**
 * The testing API: soups in notation, the rule tables, single steps, runs with scripted agents, and matchers, for
 * somebody's own tests (docs/testing.md).
 *
 * ```ts
 * expect.extend(cfaMatchers);
 * const before = soup("Idle(A,t) ‖ Mailbox(A,t,[hello])");
 * expect(before).toReduceTo("Run(A,t,hello) ‖ Mailbox(A,t,[])");
 * const after = fire(fire(before, "wake"), "send-step", { t: "t" }, "ps = []");
 * ```
 */
export { analyse, buildTable, type Finding, UnsoundTable } from "./rules/analysis.ts";
export type { Behaviour, Decisions, Place } from "./rules/explore/behaviour.ts";
export { type Exploration, explore, type ExploreOptions, type Final } from "./rules/explore/explore.ts";
export { differences, runScenario, scripted } from "./rules/explore/run-scenario.ts";
export { parseScenario, type Scenario } from "./rules/explore/scenario.ts";
export { ScenarioError } from "./rules/explore/scenario-mistakes.ts";
export { printTrace, type Trace } from "./rules/explore/trace.ts";
export { type Choice, type Firing, NotARedex, replay } from "./rules/fire.ts";
export { type BrokenInvariant, brokenInvariants, type InvariantName } from "./rules/invariants.ts";
export { type Move, move, type Moved } from "./rules/moves.ts";
export { type Redex, redexes, redexesOf } from "./rules/redex.ts";
export { fullAgenda, isInert, nextRound, reduce, type Round } from "./rules/round.ts";
export type { RuleId, RuleText } from "./rules/rule.ts";
export { complete, literal, type Rule, type RuleTable } from "./rules/table.ts";
export { Configuration, type Facts } from "./soup/configuration.ts";
export { configurationOf } from "./soup/edit.ts";
export type { Message, Payload, Policy } from "./soup/message.ts";
export type { Molecule } from "./soup/molecule.ts";
export { NotationError, parseMolecule, parseSoup, plainMessage } from "./soup/parse.ts";
export { printMolecule, printSoup } from "./soup/print.ts";
export { Queue } from "./soup/queue.ts";
export { ask, type Decision, deliver, type ScriptedAgent, terminate, type Turn } from "./testing/agents.ts";
export { parseChoice } from "./testing/choice.ts";
export { manualClock, type ManualClock } from "./testing/clock.ts";
export type { Event, Fired } from "./testing/fired.ts";
export { cfaMatchers, type CfaMatchers, difference, type Matched, type Verdict } from "./testing/matchers.ts";
export { type End, NOBODY, type Play, type Played, run } from "./testing/run.ts";
export { printConfiguration, soup, type SoupOptions } from "./testing/soup.ts";
export { type At, fire, happen, step, type StepOptions, type Steps } from "./testing/step.ts";
export { trace } from "./testing/trace.ts";
