/**
 * The straight run: every lead approves in its first turn. No run reaches DONE with fewer turns, so where this one does
 * not get there within the job's own limits and budget, none does.
 */
import { LIVE_STATES } from "../machine.ts";
import type { Finding } from "./finding.ts";
import { turnChoices } from "./choices.ts";
import type { Model } from "./model.ts";
import { follow, type Node, type Step } from "./walk.ts";
import { traceOf } from "./words.ts";

/** The approval that the lead of the present state may give now. */
export function approval(model: Model): Step | undefined {
  for (const [thread, plan] of model.turns) {
    const choice = turnChoices(model, plan).find(
      (one) => one.kind === "outcome" && one.action.startsWith("APPROVED_"),
    );
    if (choice !== undefined) return { kind: "turn", thread, choice };
  }
  return undefined;
}

/** The run, up to where it ends. */
export function straightRun(start: Node): Node {
  let node = start;
  for (let step = approval(node.model); step !== undefined; step = approval(node.model)) {
    node = follow(node, step);
  }
  return node;
}

/** The finding, when the straight run does not reach DONE. */
export function outOfReach(end: Node): Finding | undefined {
  const { model } = end;
  const { machine, definition } = model.record;
  if (model.standing.kind === "ended" && machine.state === "DONE") return undefined;
  const need = LIVE_STATES.length - LIVE_STATES.indexOf(definition.start);
  const states = LIVE_STATES.slice(-need).join(", ");
  const { turns } = definition.budget;
  const short = turns !== null && turns < need;
  const why = model.standing.kind === "parked" ? model.standing.why : `the job is ${machine.state}`;
  return {
    kind: "done-out-of-reach",
    what: short
      ? `DONE cannot be reached: ${states} need ${turnsOf(need)}, one each, and budget.turns is ${turns}`
      : `DONE cannot be reached: even if every lead approves at once, ${why}`,
    trace: [
      ...traceOf(end),
      short
        ? `DONE is out of reach: every lead approved in its first turn, and still ${machine.state} lacks a turn that budget.turns (${turns}) does not allow.`
        : `DONE is out of reach, although every lead approved at once: ${why}.`,
    ],
    advice: short
      ? `set budget.turns to ${need} at the very least; every question, dispatch and failure needs more`
      : "raise the limit or budget that the trace names",
  };
}

function turnsOf(number: number): string {
  return `${number} ${number === 1 ? "turn" : "turns"}`;
}
