/**
 * Traces: the way to a configuration, in notation.
 *
 *     Idle(lead,t0) ‖ Mailbox(lead,t0,[go])
 *     → wake
 *     Mailbox(lead,t0,[]) ‖ Run(lead,t0,go) ; closed t9
 *     → send-step ps = [terminate(t1)]
 *     …
 */
import { invariant } from "../../soup/invariant.ts";
import { printAtom, printMessage, printPayload } from "../../soup/print.ts";
import type { Choice } from "../fire.ts";
import { NOTHING, type Sites } from "./site.ts";
import type { States } from "./states.ts";
import type { Step, Steps } from "./steps.ts";

/** One firing of a trace: the rule, its choice in notation (may be empty), and the soup after it. */
export type TraceStep = { readonly rule: string; readonly choice: string; readonly soup: string };

/** A way through configurations, from the first one on. */
export type Trace = { readonly start: string; readonly steps: readonly TraceStep[] };

/** The way on which a configuration was found first. */
export function traceOf(sites: Sites, steps: Steps, states: States, state: number): Trace {
  const path = [state];
  for (let at = states.from(state); at >= 0; at = states.from(at)) path.unshift(at);
  const vectors = path.map((one) => {
    const vector = new Int32Array(states.width);
    states.read(one, vector);
    return vector;
  });
  const soups = vectors.map((vector) => printVector(sites, vector));
  const fired = vectors.slice(1).map((after, at): TraceStep => {
    const before = vectors[at];
    invariant(before !== undefined, "each step of a trace has a configuration before it");
    const { redex, choice } = stepBetween(sites, steps, before, after);
    return { rule: redex.rule.id, choice: printChoice(choice ?? {}), soup: soups[at + 1] ?? "" };
  });
  return { start: soups[0] ?? "", steps: fired };
}

function stepBetween(sites: Sites, steps: Steps, before: Int32Array, after: Int32Array): Step {
  for (const [slot, id] of before.entries()) {
    if (id === NOTHING) continue;
    for (const step of steps.at(before, slot).steps) {
      const next = Int32Array.from(before);
      for (let at = 0; at < step.changes.length; at += 2)
        next[step.changes[at] ?? 0] = step.changes[at + 1] ?? 0;
      if (next.every((one, place) => sites.get(one).state === sites.get(after[place] ?? NOTHING).state))
        return step;
    }
  }
  invariant(false, "a configuration was found without a step that leads to it");
}

/** The soup of a vector on one line, sorted, and the closed threads. */
function printVector(sites: Sites, vector: Int32Array): string {
  const present = [...vector].filter((id) => id !== NOTHING).map((id) => sites.get(id));
  const soup = present.flatMap(({ molecules }) => molecules).sort();
  const closed = present.flatMap(({ cell }) => (cell.closed ? [printAtom(cell.thread)] : [])).sort();
  return (
    (soup.length === 0 ? "ε" : soup.join(" ‖ ")) +
    (closed.length === 0 ? "" : ` ; closed ${closed.join(", ")}`)
  );
}

/** A choice in notation: `ps = […]`, or `e = e1, x = colour?, π = never`; empty when nothing was chosen. */
export function printChoice(choice: Choice): string {
  const { ps, e, π, ...messages } = choice;
  const parts: string[] = [];
  if (ps !== undefined) parts.push(`ps = [${ps.map(printPayload).join(",")}]`);
  if (e !== undefined) parts.push(`e = ${printAtom(e)}`);
  for (const [name, message] of Object.entries(messages)) parts.push(`${name} = ${printMessage(message)}`);
  if (π !== undefined) parts.push(`π = ${π}`);
  return parts.join(", ");
}

/** The lines of a trace: a soup, `→ rule choice`, a soup, and so on. */
export function printTrace({ start, steps }: Trace): string[] {
  return [
    start,
    ...steps.flatMap(({ rule, choice, soup }) => [`→ ${rule}${choice === "" ? "" : ` ${choice}`}`, soup]),
  ];
}
