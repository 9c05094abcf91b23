/**
 * `cfa respond ANSWER`, `cfa respond --withdraw REASON`: the proxy answers the question that its turn is about, or says that the
 * human gives the work up (docs/escalation.md). Prints nothing.
 */
import { makeCall } from "../../runtime/outbox-calls.ts";
import type { Environment } from "../turn.ts";
import { done, inTurn, misuse, refusal, type VerbResult } from "./turn.ts";

/** Options of `cfa respond`. */
export type RespondOptions = { readonly text?: string | undefined; readonly withdraw?: boolean | undefined };

/** Puts an answer into the turn's outbox. */
export function respond(env: Environment, { text, withdraw = false }: RespondOptions): Promise<VerbResult> {
  return inTurn(env, "respond", async ({ outbox, facts }) => {
    if (text === undefined)
      return misuse("say what: `cfa respond ANSWER`, or `cfa respond --withdraw REASON`");
    const admission = await makeCall(outbox, facts, { verb: "respond", text, withdraw });
    return "refused" in admission ? refusal(admission.refused) : done();
  });
}
