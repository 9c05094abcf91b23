/**
 * Early refusal for the proxy: which of its calls may go into the outbox of its turn (docs/escalation.md). Pure.
 *
 * P1. A turn says one thing: an answer, a withdrawal, or a question to the human.
 * P2. Under `always` nothing leaves before the human has replied; where nobody is asked, nothing is put to the human. The rules
 *     `respond` and `escalate` have the same gates.
 */
import type { ProxyFacts } from "../agents/port.ts";
import type { OutboxEntry } from "../outbox.ts";

/** What a proxy may say by a call. */
export type ProxyCall =
  | { readonly verb: "respond"; readonly text: string; readonly withdraw: boolean }
  | { readonly verb: "ask"; readonly text: string };

/** Why the proxy may not say it, with what to do instead; undefined when it may. */
export function refusalForProxy(
  facts: ProxyFacts,
  before: readonly OutboxEntry[],
  call: ProxyCall,
): string | undefined {
  const said = before.find(({ verb }) => verb === "respond" || verb === "ask");
  if (said !== undefined)
    return `you have ${said.verb === "ask" ? "asked the human" : "answered"} already in this turn: end it`;
  return refusalByGate(facts, call.verb);
}

/** Why the rules would not let it pass (P2). */
export function refusalByGate(
  { policy, phase, asksHuman }: ProxyFacts,
  verb: ProxyCall["verb"],
): string | undefined {
  if (verb === "respond" && policy === "always" && phase === "fresh")
    return "under the policy always no answer leaves before the human has replied: ask them with `cfa ask QUESTION` (as a tool: respond, kind ask_human)";
  if (verb === "ask" && !asksHuman)
    return "nobody is asked here: answer from what you know with `cfa respond ANSWER` (as a tool: respond, kind answer)";
  return undefined;
}
