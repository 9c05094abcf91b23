/**
 * Partial-order reduction: steps that may be explored alone, although others are possible.
 *
 * Claim. Let T be the steps that `safeSteps` gives for a configuration s. Each final configuration that can be reached
 * from s, and each broken invariant, can be reached through a step of T. So a walk that takes only T at s finds the
 * same finals, closed sets, stuck soups and broken invariants; it meets fewer configurations on the way.
 *
 * Proof. Take any way from s, and match it step by step after τ ∈ T, keeping the two configurations equal but for
 * what τ has changed on its own thread t:
 * - The way contains a step of T: take that one as τ. The steps before it happen as well after τ, since nothing that
 *   they consume or ask is changed by τ (the list below), and then both configurations are the same.
 * - It does not. Then t keeps its molecules until it dies, for nothing else consumes them. Under `complete` no rule but
 *   withdrawal fires on a dying thread, which takes all its molecules whatever they are; withdrawal after τ takes
 *   perhaps a few steps more, and at term-final both configurations are the same. A final configuration cannot be
 *   reached with t alive, since τ is possible there.
 * - Broken invariants stay broken: τ keeps the number of lifecycle molecules, mailboxes and edges of t, and takes no
 *   question away (`ask` and `send-ask` add some; more molecules never mend an invariant).
 * This repeats at the configuration after τ, on a way with fewer steps other than withdrawal, or as many but with a
 * smaller rest (mail, lifecycles, edges, Terminates; then payloads; then questions), in this order, which each step
 * of T and each withdrawal step makes smaller. So it ends, and no cycle of safe steps can put a step off for ever.
 *
 * What τ may be, and why no other thread notices:
 * - wake, send-step, nosend-step, ask-step, ask, send-ask, send-empty, send-closed: they change the lifecycle of t and
 *   the head of its own mailbox or broadcast. Others append to that mailbox at its end and ask of t only whether it is
 *   used, live, adjacent, and how many of its children are open. All choices of a Run are taken together. Required:
 *   no Interrupt on t (none is ever made), and that t holds one lifecycle or AskQuestion and one mailbox.
 *   A thread that has ended stays so: a send-closed that is possible stays possible.
 * - human-reply, and escalate where nothing else may happen to the question (always, fresh): they change a question
 *   in its place, all choices together.
 * - term-run, term-idle, term-mbox, term-send, term-int, term-final: nobody asks what a dying thread holds, nor whether
 *   it is dying or closed. Not the term rules for questions (taking one away could hide that it is open twice), not
 *   cascade (its child is still at work), not term-absorb.
 * Under `literal` a message can reach a thread that is being terminated and start it anew, so only send-empty (term-idle
 * and term-send match it) and, since no rule of `literal` withdraws questions, human-reply and escalate are safe.
 * Under any other table nothing is. Where choices depend on the whole cell, only withdrawal is.
 */
import type { Cell } from "../../soup/cell.ts";
import type { RuleId } from "../rule.ts";
import type { RuleTable } from "../table.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Step } from "./steps.ts";

const OWN: ReadonlySet<RuleId> = new Set(["wake", "ask", "send-ask", "send-empty", "send-closed"]);
const SENT: ReadonlySet<RuleId> = new Set(["send-empty"]);
const DECISION: ReadonlySet<RuleId> = new Set(["send-step", "nosend-step", "ask-step"]);
const CLEARING: ReadonlySet<RuleId> = new Set([
  "term-run", "term-idle", "term-mbox", "term-send", "term-int", "term-final",
]); // prettier-ignore

/** Steps of one thread that may stand for all steps of the configuration; none when that is not known (see above). */
export function safeSteps(
  table: RuleTable,
  sees: Behaviour["sees"],
  cell: Cell,
  steps: readonly Step[],
): readonly Step[] {
  if (table.name === "custom") return [];
  const of = (rules: ReadonlySet<RuleId>) => steps.filter(({ redex }) => rules.has(redex.rule.id));
  if (table.name === "complete" && cell.terminates.length > 0) {
    return isPlainDying(cell) ? of(CLEARING).slice(0, 1) : [];
  }
  if (sees === "cell") return [];
  const question = inPlace(steps);
  if (question.length > 0) return question;
  if (table.name === "literal") return of(SENT).slice(0, 1);
  if (!isPlain(cell)) return [];
  const decisions = of(DECISION);
  return decisions.length > 0 ? decisions : of(OWN).slice(0, 1);
}

/** All steps of one question that waits for the human, or that must be put to them. */
function inPlace(steps: readonly Step[]): readonly Step[] {
  const first = steps.find(({ redex }) => {
    const { rule, bindings } = redex;
    return (
      rule.id === "human-reply" ||
      (rule.id === "escalate" && bindings.π === "always" && bindings.h === "fresh")
    );
  });
  return first === undefined ? [] : steps.filter(({ redex }) => redex === first.redex);
}

/** One instance, which waits, runs, sends or asks; nobody interrupts it. */
function isPlain(cell: Cell): boolean {
  const asking = cell.questions.filter(({ kind }) => kind === "AskQuestion");
  const agents = new Set([...cell.lifecycles, ...asking, ...cell.mailboxes].map(({ agent }) => agent));
  return (
    cell.lifecycles.length + asking.length === 1 &&
    cell.mailboxes.length === 1 &&
    agents.size === 1 &&
    cell.interrupts.length === 0 &&
    cell.up.length <= 1
  );
}

function isPlainDying(cell: Cell): boolean {
  return (
    cell.terminates.length === 1 &&
    cell.lifecycles.length <= 1 &&
    cell.mailboxes.length <= 1 &&
    cell.up.length <= 1 &&
    !cell.closed
  );
}
