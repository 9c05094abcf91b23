/**
 * `cfa close ID`: ends a conversation that the agent opened; its work is merged into the agent's workspace when the turn has ended.
 */
import { makeCall } from "../../runtime/outbox-calls.ts";
import type { Environment } from "../turn.ts";
import { done, inTurn, misuse, refusal, type VerbResult } from "./turn.ts";

/** Options of `cfa close`. */
export type CloseOptions = { readonly thread?: string | undefined };

/** Puts a close into the turn's outbox. */
export function close(env: Environment, { thread }: CloseOptions): Promise<VerbResult> {
  return inTurn(env, "close", async ({ outbox, facts }) => {
    if (thread === undefined) return misuse("say which: `cfa close ID`, with the id that `cfa send` printed");
    const admission = await makeCall(outbox, facts, { verb: "close", thread });
    return "refused" in admission ? refusal(admission.refused) : done();
  });
}
