/**
 * From a finished turn of the proxy to the entries that record it, and to what it makes of the question (CfA §7).
 *
 * V1. What counts is the call: `cfa respond` answers, `cfa ask` puts a question to the human. What the proxy says without one is put
 *     to the human as it stands; where nobody may be asked, that is no answer, and the turn has failed.
 * V2. A failed turn leaves the question as it is: it is tried again within `limits.retries`, then it goes on without the proxy
 *     (questions.ts).
 * V3. Of a turn whose question is gone only what it has used is recorded.
 */
import type { Draft, EntryBody } from "../../persistence/entry.ts";
import type { Message } from "../../soup/message.ts";
import type { OutboxEntry } from "../outbox.ts";
import { conversationOf } from "../../persistence/conversation.ts";
import { untoldIn } from "../spending.ts";
import { refusalByGate } from "./proxy-admission.ts";
import type { FinishedProxyTurn, ProxyPlan } from "./proxy-turn.ts";

/** First line of an answer that says that the human gives the work up; the reason follows (CfA §7, "Withdraw rides on the answer"). */
export const WITHDRAW_MARK = "[WITHDRAW]";

/** What a turn of the proxy comes to. */
export type Verdict =
  | { readonly kind: "respond"; readonly text: string }
  | { readonly kind: "escalate"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string };

/** What a turn of the proxy comes to (V1). */
export function verdictOf(plan: ProxyPlan, { result, entries, refusals }: FinishedProxyTurn): Verdict {
  if (result.stop !== "ended") return { kind: "failed", why: result.failure ?? "it was stopped" };
  const call = entries.find(isProxys);
  const { question, policy, phase } = plan.proxy;
  const facts = { question, policy, phase, asksHuman: plan.brief.asksHuman };
  const said = result.text.trim();
  if (call === undefined && said === "") return { kind: "failed", why: `${SILENT}${lastOf(refusals)}` };
  const refused = refusalByGate(facts, call?.verb ?? "ask");
  if (refused !== undefined)
    return { kind: "failed", why: call === undefined ? `what it printed is no answer: ${refused}` : refused };
  if (call === undefined) return { kind: "escalate", text: said };
  if (call.verb === "ask") return { kind: "escalate", text: call.text };
  return { kind: "respond", text: call.withdraw ? `${WITHDRAW_MARK}\n${call.text}` : call.text };
}

const SILENT = "it ended without a word: neither an answer nor a question to the human";

function lastOf(refusals: readonly string[]): string {
  const last = refusals.at(-1);
  return last === undefined ? "" : `; its last call: ${last}`;
}

type ProxyEntry = Extract<OutboxEntry, { verb: "respond" | "ask" }>;

function isProxys(entry: OutboxEntry): entry is ProxyEntry {
  return entry.verb === "respond" || entry.verb === "ask";
}

/** The entries of a finished turn, in order: remarks, the turn, and the firing that it leads to. */
export function proxyTurnDrafts(plan: ProxyPlan, finished: FinishedProxyTurn): Draft[] {
  const verdict = verdictOf(plan, finished);
  const thread = conversationOf(plan.proxy.question);
  const notes = remarksOn(plan, finished).map((text): Draft => ({
    kind: "note",
    body: { level: "warn", thread, text },
  }));
  const failure = verdict.kind === "failed" ? verdict.why : null;
  const result = failure === null ? "ok" : "failed";
  const turn: Draft = { kind: "turn", body: turnBody(plan, finished, result, failure) };
  return verdict.kind === "failed"
    ? [...notes, turn]
    : [...notes, turn, { kind: "fire", body: firingOf(plan, verdict) }];
}

/** The record of a turn whose question is gone: what it says counts for nothing, what it has used does. */
export function overtakenProxyTurn(plan: ProxyPlan, finished: FinishedProxyTurn): Draft {
  return { kind: "turn", body: turnBody(plan, finished, "aborted", "its question has ended") };
}

function remarksOn(
  { brief }: ProxyPlan,
  { refusals, problems, entries, result }: FinishedProxyTurn,
): readonly string[] {
  const calls = entries.filter(isProxys).length;
  const more = calls > 1 ? [`it made ${calls} calls, of which the first counts`] : [];
  return [...refusals, ...problems, ...more, untoldIn(result.usage, brief.spending) ?? []].flat();
}

function firingOf(plan: ProxyPlan, { kind, text }: Exclude<Verdict, { kind: "failed" }>): EntryBody<"fire"> {
  const { agent, thread, question } = plan.proxy;
  const at = { A: agent, t: thread, e: question };
  const from = { agent: plan.agent, thread: conversationOf(question) };
  if (kind === "escalate") {
    const y: Message = { id: `${question}.${plan.turn}`, from, kind: "task", body: text };
    return { rule: "escalate", at, choice: { y } };
  }
  const a: Message = { id: `answer:${question}`, from, kind: "answer", body: text, re: question };
  return { rule: "respond", at, choice: { a } };
}

function turnBody(
  plan: ProxyPlan,
  { result: { text, session, usage }, millis }: FinishedProxyTurn,
  result: EntryBody<"turn">["result"],
  failure: string | null,
): EntryBody<"turn"> {
  return {
    thread: conversationOf(plan.proxy.question),
    turn: plan.turn,
    agent: plan.agent,
    result,
    failure,
    text,
    commit: null,
    session,
    usage,
    outcome: null,
    status: null,
    files: [],
    optional: [],
    millis,
  };
}
