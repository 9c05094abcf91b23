/**
 * The testing API: soups in notation, the rule tables, and single steps, for somebody's own tests.
 *
 * ```ts
 * const before = configurationOf(Configuration.empty(), parseSoup("Idle(A,t) ‖ Mailbox(A,t,[hello])"));
 * const [wake] = redexes(complete, before);
 * printSoup(fire(before, wake)); // ["Mailbox(A,t,[])", "Run(A,t,hello)"]
 * ```
 */
export { type Choice, fire, type Firing, firingOf, NotARedex, replay } from "./rules/fire.ts";
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
