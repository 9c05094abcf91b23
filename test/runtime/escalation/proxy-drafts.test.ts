/** What a turn of the proxy comes to: whatever it says, the rules allow what follows from it (CfA §7). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDraft } from "../../../src/persistence/fold.ts";
import { complete } from "../../../src/rules/table.ts";
import { proxyTurnDrafts } from "../../../src/runtime/escalation/proxy-drafts.ts";
import type { FinishedProxyTurn, ProxyPlan } from "../../../src/runtime/escalation/proxy-turn.ts";
import type { OutboxEntry } from "../../../src/runtime/outbox.ts";
import { UNKNOWN_USAGE } from "../../../src/runtime/usage.ts";
import { POLICIES, type Policy } from "../../../src/soup/message.ts";
import type { Proxy, ProxyPhase } from "../../../src/soup/molecule.ts";
import { soup } from "../../../src/testing/soup.ts";

const PHASES = ["fresh", "post-human"] as const;

const planOf = (policy: Policy, phase: ProxyPhase, asksHuman: boolean): ProxyPlan => {
  const proxy: Proxy = {
    kind: "Proxy",
    agent: "A",
    thread: "t",
    question: "e",
    text: { id: "x", from: null, kind: "task", body: "which" },
    policy,
    phase,
  };
  const told = { prompt: "", instructions: "", artifacts: {}, skill: null, tools: [] };
  const none = { spent: 0, complete: true, limit: null };
  const spending = { turns: none, tokens: none, usd: none, stateTurns: null };
  const prices = { agents: {}, models: {} };
  const brief = { ...told, spending, prices, timeout: 1, state: "PLAN", asksHuman, stall: null };
  return { proxy, agent: "proxy", job: "job", turn: 1, brief, session: undefined, commit: "c" };
};

const turn = (
  entries: readonly OutboxEntry[],
  text: string,
  stop: "ended" | "failed" = "ended",
): FinishedProxyTurn => ({
  result: { stop, text, session: null, usage: UNKNOWN_USAGE },
  entries,
  problems: [],
  refusals: [],
  millis: 1,
});

const RESPOND: OutboxEntry = { verb: "respond", text: "red", withdraw: false };
const WITHDRAW: OutboxEntry = { verb: "respond", text: "enough", withdraw: true };
const ASK: OutboxEntry = { verb: "ask", question: "e", text: "red?" };

/** The rule that follows and the text that it carries; "failed" where none does. */
function outcome(plan: ProxyPlan, finished: FinishedProxyTurn): string {
  for (const draft of proxyTurnDrafts(plan, finished)) {
    if (draft.kind !== "fire") continue;
    const { rule, choice } = draft.body;
    return `${rule} ${choice?.a?.body ?? choice?.y?.body ?? ""}`;
  }
  return "failed";
}

describe("what it says", () => {
  test.each<[string, readonly OutboxEntry[], string, string]>([
    ["answers", [RESPOND], "", "respond red"],
    ["answers, and prints", [RESPOND], "thinking aloud", "respond red"],
    ["withdraws", [WITHDRAW], "", "respond [WITHDRAW]\nenough"],
    ["asks the human", [ASK], "", "escalate red?"],
    ["only prints", [], " which red?\n", "escalate which red?"],
    ["makes two calls: the first counts", [ASK, RESPOND], "", "escalate red?"],
    ["says nothing", [], " \n", "failed"],
  ])("%s", (_what, entries, text, expected) => {
    expect(outcome(planOf("when_unsure", "fresh", true), turn(entries, text))).toBe(expected);
  });

  test.each<[Policy, ProxyPhase, readonly OutboxEntry[], string]>([
    ["always", "fresh", [RESPOND], "failed"],
    ["always", "fresh", [WITHDRAW], "failed"],
    ["always", "fresh", [ASK], "escalate red?"],
    ["always", "post-human", [RESPOND], "respond red"],
    ["never", "fresh", [ASK], "failed"],
    ["never", "fresh", [], "failed"],
    ["never", "fresh", [RESPOND], "respond red"],
  ])("under %s, %s: %j", (policy, phase, entries, expected) => {
    const plan = planOf(policy, phase, policy !== "never");
    expect(outcome(plan, turn(entries, "some words"))).toBe(expected);
  });

  test("a failed program says nothing, whatever it called before", () => {
    expect(outcome(planOf("when_unsure", "fresh", true), turn([RESPOND], "red", "failed"))).toBe("failed");
  });
});

test("whatever it does: the rules allow it, under always nothing leaves without the human, under never nobody is asked", () => {
  const entry = fc.constantFrom<OutboxEntry>(RESPOND, WITHDRAW, ASK, { verb: "none" });
  fc.assert(
    fc.property(
      fc.constantFrom(...POLICIES),
      fc.constantFrom(...PHASES),
      fc.boolean(),
      fc.array(entry, { maxLength: 3 }),
      fc.constantFrom("", "words"),
      (policy, phase, there, entries, text) => {
        const plan = planOf(policy, phase, there && policy !== "never");
        let configuration = soup(`Idle(A,t) ‖ Mailbox(A,t,[]) ‖ Proxy(A,t,e,which,${policy},${phase})`);
        for (const draft of proxyTurnDrafts(plan, turn(entries, text))) {
          if (draft.kind !== "fire") continue;
          const { rule } = draft.body;
          expect(policy === "always" && phase === "fresh" && rule === "respond").toBe(false);
          expect(policy === "never" && rule === "escalate").toBe(false);
          const next = applyDraft(complete, configuration, draft);
          expect(next).not.toHaveProperty("refused");
          if ("configuration" in next) ({ configuration } = next);
        }
      },
    ),
  );
});
