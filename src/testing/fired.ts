/**
 * What happened in a test, step by step: firings with the molecules that they took and made, and outside moves.
 */
import { type Choice, fire, type Firing, firingOf, touched } from "../rules/fire.ts";
import type { Move } from "../rules/moves.ts";
import type { Redex } from "../rules/redex.ts";
import type { RuleId } from "../rules/rule.ts";
import { type Configuration, moleculesOf } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Molecule } from "../soup/molecule.ts";

/** One firing. Molecules that a rule only needs to be there are neither consumed nor produced. */
export type Fired = {
  readonly kind: "fired";
  readonly rule: RuleId;
  /** The record as it would stand in a log. */
  readonly firing: Firing;
  readonly consumed: readonly Molecule[];
  readonly produced: readonly Molecule[];
  /** The thread that ended, if one did. */
  readonly closed: ThreadId | undefined;
  readonly after: Configuration;
};

/** One outside move. */
export type Moved = { readonly kind: "moved"; readonly move: Move; readonly after: Configuration };

/** A step of a test. */
export type Event = Fired | Moved;

function on(configuration: Configuration, threads: Iterable<ThreadId>): Molecule[] {
  return [...threads].flatMap((thread) => {
    const cell = configuration.cell(thread);
    return cell === undefined ? [] : [...moleculesOf(cell)];
  });
}

/** Fires a redex and says what came of it. Throws NotARedex when the choice is not the rule's. */
export function firedBy(before: Configuration, redex: Redex, choice?: Choice): Fired {
  const after = fire(before, redex, choice);
  const { rule, bindings, matched } = redex;
  const threads = new Set(touched(redex));
  const known = new Set(on(before, threads));
  const right = rule.text.right;
  const produced = on(after, threads)
    .filter((molecule) => !known.has(molecule))
    .sort((one, other) => right.indexOf(`${one.kind}(`) - right.indexOf(`${other.kind}(`));
  return {
    kind: "fired",
    rule: rule.id,
    firing: firingOf(redex, choice),
    consumed: matched.filter((_, at) => rule.kept[at] !== true),
    produced,
    closed: rule.text.closes === undefined ? undefined : bindings[rule.text.closes],
    after,
  };
}
