/**
 * The naive scan: the same rules, but whoever looks for a molecule looks at all of them.
 *
 * B5. Each step tries every molecule of the soup as anchor and again as partner. Guards and firing are the engine's own.
 */
import { fire } from "../dist/rules/fire.js";
import { complete, guardsHold } from "../dist/rules/table.js";
import { Bindings, copyBindings } from "../dist/rules/variables.js";

const STRUCTURAL = complete.rules.filter(({ structural }) => structural);

/** Reduces to rest, or until `limit` rules have fired. */
export function runNaive({ behave }, start, limit = Number.POSITIVE_INFINITY) {
  let configuration = start;
  for (let count = 0; ; count++) {
    if (count === limit) return { configuration, count };
    const molecules = [...configuration.molecules()];
    let redex = scan(STRUCTURAL, configuration, molecules, molecules);
    let choice;
    if (redex === undefined) {
      const running = molecules.find(({ kind }) => kind === "Run");
      if (running === undefined) return { configuration, count };
      const ps = behave(running.thread, running.turn);
      const rule = complete.byId.get(ps === undefined ? "nosend-step" : "send-step");
      redex = scan([rule], configuration, [running], molecules);
      if (ps !== undefined) choice = { ps };
    }
    configuration = fire(configuration, redex, choice);
  }
}

function scan(rules, configuration, anchors, molecules) {
  const b = new Bindings();
  for (const anchor of anchors) {
    for (const rule of rules) {
      b.t = anchor.thread;
      if (!rule.matchers[0].test(anchor, b)) continue;
      const redex = extend(rule, configuration, molecules, b, [anchor]);
      if (redex !== undefined) return redex;
    }
  }
  return undefined;
}

function extend(rule, configuration, molecules, bindings, matched) {
  const matcher = rule.matchers[matched.length];
  const complete = () =>
    guardsHold(rule, configuration, bindings) ? { rule, bindings, matched } : undefined;
  if (matcher === undefined) return complete();
  let found = false;
  for (const molecule of molecules) {
    const next = found ? copyBindings(bindings) : bindings;
    if (matched.includes(molecule) || !matcher.test(molecule, next)) continue;
    found = true;
    const redex = extend(rule, configuration, molecules, next, [...matched, molecule]);
    if (redex !== undefined) return redex;
  }
  return !found && matcher.term.optional ? complete() : undefined;
}
