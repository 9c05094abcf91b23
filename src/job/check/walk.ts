/**
 * The walk: every state that a job with free agents can come to, by rising number of turns, up to a bound.
 *
 * W1. States are taken by the number of turns that they need, then in the order in which they were found; so the way to
 *     the first state with a defect has the fewest turns. No order depends on a hash.
 * W2. States of one shape (shape.ts) are one; the one that needs the fewest turns stands for all.
 * W3. A bound never cuts in silence: `cut` says which one did, `turns` up to how many turns nothing was left out.
 * W4. INTENT, PLAN and EXECUTE are walked alike, each with all choices; `of` counts what was looked at in each.
 */
import { finishedTurn, turnChoices, type TurnChoice } from "./choices.ts";
import type { ThreadId, QuestionId } from "../../soup/message.ts";
import type { JobState } from "../machine.ts";
import type { Model } from "./model.ts";
import { shapeOf, threadShape } from "./shape.ts";

/** What happens next: the end of a turn, or something that the human does. */
export type Step =
  | { readonly kind: "turn"; readonly thread: ThreadId; readonly choice: TurnChoice }
  | { readonly kind: "answer"; readonly question: QuestionId };

/** A state, and how it was come to first. */
export type Node = {
  readonly model: Model;
  readonly from: Node | undefined;
  /** The step that led here; undefined at the start. */
  readonly step: Step | undefined;
};

/** Bounds of a walk. */
export type Bounds = {
  /** Most states that are looked at. */
  readonly maxStates: number;
  /** Most turns of one run of the job. */
  readonly maxTurns: number;
};

/** How far a walk went. */
export type Walked = {
  /** States looked at, each shape once. */
  readonly states: number;
  /** How many of them belong to each state of the job (W4). */
  readonly of: Readonly<Partial<Record<JobState, number>>>;
  /** Steps tried. */
  readonly steps: number;
  /** All runs of at most so many turns were covered. */
  readonly turns: number;
  /** The bound that cut; null when nothing was left out. */
  readonly cut: keyof Bounds | null;
};

/** What may happen in a state. Nothing in one that has ended or is parked. */
export function stepsOf(model: Model): Step[] {
  if (model.standing.kind !== "running") return [];
  const alike = new Set<string>();
  const turns = [...model.turns].flatMap(([thread, plan]) => {
    const key = `${plan.facts.parent?.thread ?? ""} ${threadShape(model, thread)}`;
    if (alike.has(key)) return [];
    alike.add(key);
    return turnChoices(model, plan).map((choice): Step => ({ kind: "turn", thread, choice }));
  });
  return [...turns, ...answers(model)];
}

/** Open questions that the job's human may answer. */
function answers(model: Model): Step[] {
  if (model.record.definition.human === "none") return [];
  return openQuestions(model).map((question) => ({ kind: "answer", question }));
}

/** Questions that have been put to the human. */
export function openQuestions(model: Model): QuestionId[] {
  return model.live().flatMap((thread) => {
    const questions = model.configuration.cell(thread)?.questions ?? [];
    return questions.flatMap((one) => (one.kind === "AskHuman" ? [one.question] : []));
  });
}

/** The state after a step. A failing agent fails until its Run is gone for good. */
export function after(model: Model, step: Step): Model {
  const next = model.fork();
  if (step.kind === "answer") next.answer(step.question);
  if (step.kind !== "turn") return next;
  const { thread, choice } = step;
  next.clumsy = "clumsy" in choice && choice.clumsy;
  for (let plan = next.turns.get(thread); plan !== undefined; plan = next.turns.get(thread)) {
    next.end(thread, finishedTurn(next, plan, choice));
    if (choice.kind !== "fail") break;
  }
  next.clumsy = false;
  return next;
}

/** The node that a step leads to. */
export function follow(from: Node, step: Step): Node {
  return { model: after(from.model, step), from, step };
}

/** Walks from `start`; `visit` sees each state once, with the steps that are possible in it. */
export function walk(
  start: Node,
  bounds: Bounds,
  visit: (node: Node, steps: readonly Step[]) => void,
): Walked {
  const frontier = new Frontier(bounds.maxTurns);
  frontier.add(start);
  const of: Partial<Record<JobState, number>> = {};
  let [states, steps] = [0, 0];
  for (let node = frontier.next(); node !== undefined; node = frontier.next()) {
    if (states >= bounds.maxStates) return { states, of, steps, turns: frontier.level - 1, cut: "maxStates" };
    const { state } = node.model.record.machine;
    states += 1;
    of[state] = (of[state] ?? 0) + 1;
    const possible = stepsOf(node.model);
    visit(node, possible);
    steps += possible.length;
    for (const step of possible) frontier.add(follow(node, step));
  }
  const turns = frontier.cut ? bounds.maxTurns : frontier.level;
  return { states, of, steps, turns, cut: frontier.cut ? "maxTurns" : null };
}

/** States that have been found and not been looked at, by turns (W1, W2). */
class Frontier {
  /** Turns that the node taken last needs. */
  level = 0;
  /** Something needs more turns than are allowed. */
  cut = false;
  readonly #maxTurns: number;
  readonly #fewest = new Map<string, number>();
  readonly #levels: { readonly node: Node; readonly shape: string }[][] = [];
  #at = 0;

  constructor(maxTurns: number) {
    this.#maxTurns = maxTurns;
  }

  add(node: Node): void {
    const { turns } = node.model.ledger.spent;
    const shape = shapeOf(node.model);
    if ((this.#fewest.get(shape) ?? Infinity) <= turns) return;
    if (turns > this.#maxTurns) {
      this.cut = true;
      return;
    }
    this.#fewest.set(shape, turns);
    (this.#levels[turns] ??= []).push({ node, shape });
  }

  /** The next node; one whose shape has since been found with fewer turns is passed over. */
  next(): Node | undefined {
    for (;;) {
      const found = this.#levels[this.level]?.[this.#at];
      if (found !== undefined) {
        this.#at += 1;
        if (this.#fewest.get(found.shape) === this.level) return found.node;
      } else if (this.level + 1 < this.#levels.length) {
        this.#levels[this.level] = [];
        this.level += 1;
        this.#at = 0;
      } else return undefined;
    }
  }
}
