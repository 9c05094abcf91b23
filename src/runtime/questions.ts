/**
 * Questions while no proxy agent is configured: the human gets the question as it stands, or the asker an explicit
 * refusal; and what becomes of a person's answer (CfA §7).
 *
 * Q1. Under `always` no answer leaves without the human: the gate is in the rules, not here.
 * Q2. The first answer to a question wins; a later one is told so and changes nothing.
 * Q3. A default answer whose time has come is given as a recorded act, once, and goes the way of any other answer.
 */
import type { Draft } from "../persistence/entry.ts";
import type { InboxItem } from "../persistence/ports.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { Message, Policy, QuestionId, ThreadId } from "../soup/message.ts";
import type { Proxy } from "../soup/molecule.ts";
import type { Ledger } from "./ledger.ts";

/** The choices of the proxy's stand-in for every Proxy on these threads. */
export function proxyDrafts(
  configuration: Configuration,
  askers: Iterable<ThreadId>,
  unanswerable: (policy: Policy) => string | undefined,
): Draft[] {
  const drafts: Draft[] = [];
  for (const thread of askers) {
    const cell = configuration.cell(thread);
    if (cell === undefined || cell.terminates.length > 0) continue;
    for (const one of cell.questions) if (one.kind === "Proxy") drafts.push(proxyDraft(one, unanswerable));
  }
  return drafts;
}

function proxyDraft(proxy: Proxy, unanswerable: (policy: Policy) => string | undefined): Draft {
  const { agent, thread, question, text, policy, phase } = proxy;
  const at = { A: agent, t: thread, e: question };
  if (phase === "post-human") {
    return { kind: "fire", body: { rule: "respond", at, choice: { a: answer(question, text.body) } } };
  }
  const refusal = unanswerable(policy);
  if (refusal !== undefined && policy !== "always") {
    return { kind: "fire", body: { rule: "respond", at, choice: { a: answer(question, refusal) } } };
  }
  return { kind: "fire", body: { rule: "escalate", at, choice: { y: text } } };
}

function answer(question: QuestionId, body: string): Message {
  return { id: `answer:${question}`, from: null, kind: "answer", body, re: question };
}

/** What a person's answer does: human-reply on the open question, or nothing with the reason. */
export function answerDrafts(
  configuration: Configuration,
  ledger: Ledger,
  item: InboxItem,
): { readonly drafts: readonly Draft[]; readonly result: string } {
  const known = ledger.questions.get(item.target);
  if (known === undefined) return { drafts: [], result: `there is no question ${item.target}` };
  const open = configuration
    .cell(known.thread)
    ?.questions.find((one) => one.kind === "AskHuman" && one.question === item.target);
  // A question of a thread that is going goes with it, even if it is still there.
  if (open === undefined || configuration.dying(known.thread)) {
    const what = known.answer === undefined ? "has ended without an answer" : "has been answered already";
    return { drafts: [], result: `question ${item.target} ${what}` };
  }
  const at = { A: open.agent, t: open.thread, e: open.question };
  const reply: Message = { id: item.id, from: null, kind: "human", body: item.text, re: item.target };
  return {
    drafts: [{ kind: "fire", body: { rule: "human-reply", at, choice: { "x'": reply } } }],
    result: "answered",
  };
}

/** The name under which default answers stand in the log. */
export const DEFAULT_ANSWERER = "default";

/** The default answers whose time has come (Q3). */
export function overdueAnswers(configuration: Configuration, ledger: Ledger, now: Date): readonly Draft[] {
  return [...ledger.questions.values()].flatMap(({ id, asking, default: own }) => {
    if (!asking || own === undefined || Date.parse(own.at) > now.getTime()) return [];
    const item = { id: `default:${id}`, verb: "answer", target: id, text: own.answer } as const;
    const { drafts, result } = answerDrafts(configuration, ledger, { ...item, by: DEFAULT_ANSWERER });
    const act: Draft = { kind: "act", body: { ...item, by: DEFAULT_ANSWERER, result } };
    return drafts.length === 0 ? [] : [act, ...drafts];
  });
}

/** When the next default answer is due, milliseconds since 1970; infinite when none is. */
export function nextDefault(ledger: Ledger): number {
  let next = Infinity;
  for (const { asking, default: own } of ledger.questions.values())
    if (asking && own !== undefined) next = Math.min(next, Date.parse(own.at));
  return next;
}
