/**
 * Questions that no proxy agent works on, because the job has none or because it has failed too often: the human gets the
 * question as it stands, or the asker an explicit refusal; and what becomes of a person's answer (CfA §7).
 *
 * Q1. Under `always` no answer leaves without the human: the gate is in the rules, not here.
 * Q2. The first answer to a question wins; a later one is told so and changes nothing.
 * Q3. What the human says to a question that was put to them as it stands is the answer, word by word; what they say to the proxy
 *     goes to the proxy.
 * Q4. A default answer whose time has come is given as a recorded act, once, and is the answer, whoever had asked. A question that the
 *     proxy still works on is put to the human as it stands first; one that nobody may put to them keeps waiting for the proxy.
 */
import type { Draft } from "../persistence/entry.ts";
import type { InboxItem } from "../persistence/ports.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { Message, QuestionId, ThreadId } from "../soup/message.ts";
import type { Proxy } from "../soup/molecule.ts";
import type { Director, Stand } from "./director.ts";
import { defaultReply, type EscalationRecord } from "./escalation/escalations.ts";
import type { Ledger } from "./ledger.ts";
import { closedBecause, type QuestionRecord } from "./question-record.ts";

/** What decides how a question is treated. */
type Policies = Pick<Director, "proxy" | "unanswerable">;

/** Whether the proxy works on the question: there is one, it has a workspace or may get one, and it has not failed too often. */
export function isProxys(record: EscalationRecord | undefined, stand: Stand | undefined): boolean {
  if (record === undefined || stand === undefined) return false;
  return record.workspace !== "refused" && record.failures <= stand.retries && !isAnswered(record);
}

/** What has been replied last is the answer: the human was asked the question as it stands, or the default answer is due (Q3, Q4). */
function isAnswered({ exchanges }: EscalationRecord): boolean {
  const last = exchanges.at(-1);
  return last !== undefined && (!last.byProxy || last.byDefault);
}

/** The choices of the proxy's stand-in for every Proxy on these threads. */
export function standInDrafts(
  configuration: Configuration,
  { escalations }: Pick<Ledger, "escalations">,
  askers: Iterable<ThreadId>,
  policies: Policies,
): Draft[] {
  const drafts: Draft[] = [];
  for (const thread of askers) {
    const cell = configuration.cell(thread);
    if (cell === undefined || cell.terminates.length > 0) continue;
    for (const one of cell.questions) {
      const record = escalations.records.get(one.question);
      if (one.kind !== "Proxy" || isProxys(record, policies.proxy(one.policy))) continue;
      drafts.push(standInDraft(one, record, policies));
    }
  }
  return drafts;
}

function standInDraft(proxy: Proxy, record: EscalationRecord | undefined, policies: Policies): Draft {
  const { agent, thread, question, text, policy, phase } = proxy;
  const at = { A: agent, t: thread, e: question };
  if (phase === "post-human" && (record === undefined || isAnswered(record)))
    return { kind: "fire", body: { rule: "respond", at, choice: { a: answer(question, text.body) } } };
  const refusal = policies.unanswerable(policy);
  if (refusal !== undefined && policy !== "always") {
    const said =
      record?.failure == null ? refusal : `The proxy of the human has failed (${record.failure}). ${refusal}`;
    return { kind: "fire", body: { rule: "respond", at, choice: { a: answer(question, said) } } };
  }
  // After a reply the molecule holds the human's words, which the proxy had asked for.
  const y =
    phase === "fresh"
      ? text
      : { ...text, from: { agent, thread }, kind: "task" as const, body: record?.text ?? text.body };
  return { kind: "fire", body: { rule: "escalate", at, choice: { y } } };
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
    const goes = configuration.dying(known.thread) && known.answer === undefined;
    const record = ledger.escalations.records.get(item.target);
    const what = goes ? "has ended without an answer" : closedBecause(known, record);
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

/** What the default answers whose time has come ask for (Q4). */
export function overdueAnswers(
  configuration: Configuration,
  ledger: Ledger,
  now: Date,
  policies: Policies,
): readonly Draft[] {
  return [...ledger.questions.values()].flatMap((question) => {
    const { id, asking, default: own } = question;
    if (own === undefined || !awaitsDefault(question, ledger, policies)) return [];
    if (Date.parse(own.at) > now.getTime()) return [];
    if (!asking) return putAsItStands(configuration, question);
    const item = { id: defaultReply(id), verb: "answer", target: id, text: own.answer } as const;
    const { drafts, result } = answerDrafts(configuration, ledger, { ...item, by: DEFAULT_ANSWERER });
    const act: Draft = { kind: "act", body: { ...item, by: DEFAULT_ANSWERER, result } };
    return drafts.length === 0 ? [] : [act, ...drafts];
  });
}

/** When the next default answer is due, milliseconds since 1970; infinite when none is. */
export function nextDefault(ledger: Ledger, policies: Policies): number {
  let next = Infinity;
  for (const question of ledger.questions.values()) {
    const { default: own } = question;
    if (own !== undefined && awaitsDefault(question, ledger, policies))
      next = Math.min(next, Date.parse(own.at));
  }
  return next;
}

/** Nobody has answered the question, and the human is asked or may be. */
function awaitsDefault(
  { id, asking, ended, policy }: QuestionRecord,
  ledger: Ledger,
  policies: Policies,
): boolean {
  if (asking || ended) return asking;
  return ledger.escalations.exchange(id) === 0 && policies.unanswerable(policy) === undefined;
}

function putAsItStands(configuration: Configuration, { id, thread }: QuestionRecord): readonly Draft[] {
  const proxy = configuration.cell(thread)?.questions.find(({ question }) => question === id);
  if (proxy?.kind !== "Proxy" || configuration.dying(thread)) return [];
  const at = { A: proxy.agent, t: thread, e: id };
  return [{ kind: "fire", body: { rule: "escalate", at, choice: { y: proxy.text } } }];
}
