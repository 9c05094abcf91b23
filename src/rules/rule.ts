/**
 * What a rule is: a data record that reads like its line in docs/rules.md.
 *
 * R1. `left`, `when` and `right` are the rule; they are compiled once, when the table is built. Nothing else defines it.
 * R2. The first molecule on the left is the anchor; each further one is found through an index from variables that
 *     are bound by then. No left side needs a scan.
 * R3. Variables on the right that the left does not bind are the choice, listed in `choice`.
 */

/** Stable names of the rules: the join key of docs, code, tests and logs. */
export type RuleId =
  | "send" | "spark" | "send-terminate" | "send-ask" | "send-closed" | "refuse" | "send-empty" | "wake"
  | "send-step" | "nosend-step"
  | "ask-step" | "ask" | "escalate" | "human-reply" | "respond"
  | "interrupt" | "wake-int"
  | "term-run" | "term-idle" | "term-mbox" | "term-send" | "term-ask" | "term-proxy" | "term-human" | "term-int"
  | "cascade" | "term-absorb" | "term-final"; // prettier-ignore

/** One line of the table; see docs/rules.md, "How to read a rule". */
export type RuleText = {
  readonly id: RuleId;
  /** Section of the seed design, for example "CfA §5". */
  readonly section: string;
  /** What it does, in a sentence. A table with a rule that lacks it is not built. */
  readonly about?: string;
  readonly left: string;
  /** Names of guards; all must hold. */
  readonly when?: readonly string[];
  readonly right: string;
  /** Right-hand variables that somebody outside chooses; such a rule is not structural. */
  readonly choice?: readonly string[];
  /** The thread variable that joins the closed threads. */
  readonly closes?: "t";
  /** Withdrawal rules go to their fixpoint before any other fires. */
  readonly withdrawal?: true;
};
