/**
 * The guards of the rules, by the text that stands in the table and in docs/rules.md.
 *
 * G1. A guard is a pure question to the configuration about variables that the left side has bound.
 * G2. `reads` names the facts that it relies on, so that two redexes of one round never invalidate each other:
 *     `life` of a thread (neither dying nor closed) and `use` of a thread id.
 */
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import { addressOf, areAdjacent, isRostered, isUnused, refusalOf } from "./refusal.ts";
import type { Bindings, Variable } from "./variables.ts";

/** A fact of a thread that a guard reads or a product changes; the thread of `p` is the one that it addresses. */
export type FactRead = { readonly fact: "life" | "use"; readonly thread: "t" | "t'" | "p" };

/** The thread that a fact is about, under the bindings. */
export function threadOf({ thread }: FactRead, b: Bindings): ThreadId {
  return thread === "p" ? addressOf(b.p) : b[thread];
}

/** A guard; see the header. */
export type Guard = {
  /** What it says, in words, for docs/rules.md. */
  readonly means: string;
  readonly uses: readonly Variable[];
  readonly reads: readonly FactRead[];
  /** Whether it holds. May bind `why`. */
  readonly holds: (configuration: Configuration, b: Bindings) => boolean;
};

function isLive(configuration: Configuration, thread: string): boolean {
  const cell = configuration.cell(thread);
  return cell === undefined || (cell.terminates.length === 0 && !cell.closed);
}

type Named = FactRead["thread"];
const life = (...threads: Named[]): FactRead[] => threads.map((thread) => ({ fact: "life", thread }));
const use = (...threads: Named[]): FactRead[] => threads.map((thread) => ({ fact: "use", thread }));

/** All guards by their text. */
export const GUARDS: Readonly<Record<string, Guard>> = {
  "live(t)": {
    means: "t is neither dying nor closed",
    uses: ["t"],
    reads: life("t"),
    holds: (c, b) => isLive(c, b.t),
  },
  "live(t')": {
    means: "t' is neither dying nor closed",
    uses: ["t'"],
    reads: life("t'"),
    holds: (c, b) => isLive(c, b["t'"]),
  },
  "adjacent(t,t')": {
    means: "Parent(t',t) or Parent(t,t') is in the soup: visibility is the tree",
    uses: ["t", "t'"],
    reads: use("t'"),
    holds: (c, b) => areAdjacent(c, b.t, b["t'"]),
  },
  "unused(t')": {
    means: "no molecule on t', no Parent edge with t' on either side, not closed, not t",
    uses: ["t", "t'"],
    reads: use("t'"),
    holds: (c, b) => b.t !== b["t'"] && isUnused(c, b["t'"]),
  },
  "A ∈ roster(B)": {
    means: "the role of B may spark A",
    uses: ["A", "B"],
    reads: [],
    holds: (c, b) => isRostered(c, b.B, b.A),
  },
  "open(t) < cap": {
    means: "the children of t that are neither closed nor dying are fewer than the cap",
    uses: ["t"],
    reads: use("t"),
    holds: (c, b) => c.openChildren(b.t) < c.facts.cap,
  },
  "ready(t')": {
    means: "the workspace of t' is recorded as ready",
    uses: ["t'"],
    reads: [],
    holds: (c, b) => c.cell(b["t'"])?.workspace?.ready ?? false,
  },
  "ended(t')": {
    means: "t' is dying or closed",
    uses: ["t'"],
    reads: life("t'"),
    holds: (c, b) => !isLive(c, b["t'"]),
  },
  "hopeless(p)": {
    means: "p can never reduce; `why` is the reason (see the rule's prose for the cases)",
    uses: ["B", "t", "p"],
    reads: [...life("p"), ...use("p")],
    holds: (c, b) => {
      const why = refusalOf(c, b.B, b.t, b.p);
      if (why !== undefined) b.why = why;
      return why !== undefined;
    },
  },
  "no Interrupt(t,_)": {
    means: "nobody interrupts t: an interrupt goes before waiting mail",
    uses: ["t"],
    reads: [],
    holds: (c, b) => (c.cell(b.t)?.interrupts.length ?? 0) === 0,
  },
  "π ≠ never": {
    means: "the policy allows asking the human",
    uses: ["π"],
    reads: [],
    holds: (_, b) => b.π !== "never",
  },
  "π ≠ always or h = post-human": {
    means: "under always, the human has replied first",
    uses: ["π", "h"],
    reads: [],
    holds: (_, b) => b.π !== "always" || b.h === "post-human",
  },
  "not dying(t')": {
    means: "no Terminate(t') is in the soup",
    uses: ["t'"],
    reads: life("t'"),
    holds: (c, b) => !c.dying(b["t'"]),
  },
  "alone(t)": {
    means: "no other molecule of t, a second Terminate(t) included, and no Parent(_,t) remains",
    uses: ["t"],
    reads: [],
    holds: (c, b) => {
      const cell = c.cellOrEmpty(b.t);
      return (
        cell.lifecycles.length + cell.mailboxes.length + cell.questions.length + cell.interrupts.length ===
          0 &&
        cell.terminates.length === 1 &&
        cell.down.count === 0
      );
    },
  },
  "no Mailbox(A,t',_)": {
    means: "A has no mailbox on t'",
    uses: ["A", "t'"],
    reads: use("t'"),
    holds: (c, b) => c.cell(b["t'"])?.mailboxes.every((mailbox) => mailbox.agent !== b.A) ?? true,
  },
  "bare(t)": {
    means: "no Run, Idle, Mailbox or Send of t and no Parent(_,t) remains",
    uses: ["t"],
    reads: [],
    holds: (c, b) => {
      const cell = c.cellOrEmpty(b.t);
      return cell.lifecycles.length === 0 && cell.mailboxes.length === 0 && cell.down.count === 0;
    },
  },
};
