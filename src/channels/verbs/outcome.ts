/**
 * `cfa outcome NAME --reason TEXT`: how the lead of a state ends it (CfA §4). Takes effect when the turn has ended; a second one in the
 * same turn replaces the first.
 */
import { makeOutcome } from "../../runtime/outbox-calls.ts";
import type { Environment } from "../turn.ts";
import { done, inTurn, misuse, refusal, type VerbResult } from "./turn.ts";

/** Options of `cfa outcome`. */
export type OutcomeOptions = { readonly outcome?: string | undefined; readonly reason?: string | undefined };

/** Writes the outcome record of the turn's workspace. */
export function outcome(env: Environment, options: OutcomeOptions): Promise<VerbResult> {
  return inTurn(env, "outcome", async ({ facts }) => {
    if (options.outcome === undefined) return misuse("say which: `cfa outcome NAME --reason TEXT`");
    const admission = await makeOutcome(facts, options.outcome, options.reason ?? "");
    return "refused" in admission ? refusal(admission.refused) : done();
  });
}
