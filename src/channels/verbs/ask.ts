/**
 * `cfa ask QUESTION`: asks the human, as far as the policy of the state allows it. Prints the id of the question and returns at once.
 */
import { makeCall } from "../../runtime/outbox-calls.ts";
import type { Environment } from "../turn.ts";
import { done, inTurn, misuse, refusal, type VerbResult } from "./turn.ts";

/** Options of `cfa ask`. */
export type AskOptions = {
  readonly text?: string | undefined;
  /** The answer that counts when nobody has given one within `deadline`, milliseconds; both or none. */
  readonly default?: string | undefined;
  readonly deadline?: number | undefined;
};

/** Puts a question into the turn's outbox. */
export function ask(env: Environment, { text, default: answer, deadline }: AskOptions): Promise<VerbResult> {
  return inTurn(env, "ask", async ({ outbox, facts }) => {
    if (text === undefined) return misuse("say what: `cfa ask QUESTION`");
    if ((answer === undefined) !== (deadline === undefined))
      return misuse(
        "--default TEXT and --deadline TIME go together: what counts as the answer, and from when on",
      );
    const otherwise =
      answer === undefined || deadline === undefined ? {} : { default: { answer, millis: deadline } };
    const admission = await makeCall(outbox, facts, { verb: "ask", text, ...otherwise });
    if ("refused" in admission) return refusal(admission.refused);
    const question = admission.entry.verb === "ask" ? admission.entry.question : "";
    return done(`${question}\n`, "end your turn; the answer arrives as your next message\n");
  });
}
