/**
 * The conversations of questions: what is recorded of the proxy belongs to a question that it works on, and each of its turns brings
 * what it came to (docs/escalation.md).
 *
 * P1. `start` and `turn` on `escalation:<e>` need a Proxy of question e in the soup, an aborted `turn` none any more; the numbers of turns go up.
 * P2. (That nobody else answers in its name: answers.ts.) A good `turn` is followed in its commit by `respond` or `escalate` of its question; a failed one by neither.
 * P3. A workspace of `escalation:<e>` is opened below the thread that has asked e.
 */
import { conversationOf, questionOf } from "../conversation.ts";
import type { EntryBody } from "../entry.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

/** The check of the proxy's turns. */
export function proxiesCheck(): LogCheck {
  const askers = new Map<string, string>();
  const turns = new Map<string, number>();
  return {
    name: "proxies",
    says: "turns of the proxy belong to open questions, and each brings an answer or a question to the human",
    step: (step) => {
      if (step.entry.kind === "fire") noteAskers(askers, step.entry.body);
      return misplaced(step, askers, turns);
    },
    commit: withoutVerdict,
  };
}

function noteAskers(askers: Map<string, string>, { rule, at, choice }: EntryBody<"fire">): void {
  const thread = at["t"] ?? "";
  if (rule === "ask-step" && choice?.e !== undefined) askers.set(choice.e, thread);
  for (const one of choice?.ps ?? []) if (one.kind === "ask") askers.set(one.question, thread);
}

function misplaced(
  { entry, before }: Step,
  askers: ReadonlyMap<string, string>,
  turns: Map<string, number>,
): string | undefined {
  if (entry.kind !== "start" && entry.kind !== "turn" && entry.kind !== "workspace") return undefined;
  const question = questionOf(entry.body.thread);
  if (question === undefined) return undefined;
  const asker = askers.get(question);
  if (asker === undefined) return `nobody has asked ${question}`;
  if (entry.kind === "workspace")
    return entry.body.parent === asker
      ? undefined
      : `${question} was asked on ${asker}, not on ${entry.body.parent}`;
  const open =
    before.cell(asker)?.questions.some((one) => one.kind === "Proxy" && one.question === question) ?? false;
  const isAborted = entry.kind === "turn" && entry.body.result === "aborted";
  if (open === isAborted)
    return isAborted
      ? `it is aborted, and the proxy still works on ${question}`
      : `it needs Proxy(A,${asker},${question},x,π,h), and the proxy does not work on ${question}`;
  const last = turns.get(question) ?? 0;
  if (entry.body.turn <= last)
    return `it names turn ${entry.body.turn} on ${question}, and turn ${last} has ended`;
  if (entry.kind === "turn") turns.set(question, entry.body.turn);
  return undefined;
}

function withoutVerdict(steps: readonly Step[]): Flaw | undefined {
  for (const [at, { entry }] of steps.entries()) {
    if (entry.kind !== "turn") continue;
    const question = questionOf(entry.body.thread);
    if (question === undefined) continue;
    const verdict = steps.slice(at + 1).find((step) => leads(step, question));
    const { result } = entry.body;
    if (result === "ok" && verdict === undefined)
      return { seq: entry.seq, problem: `its commit must go on with respond or escalate of ${question}` };
    if (result !== "ok" && verdict !== undefined)
      return {
        seq: verdict.entry.seq,
        problem: `the turn on ${conversationOf(question)} ${result}: nothing follows from it`,
      };
  }
  return undefined;
}

function leads({ entry }: Step, question: string): boolean {
  if (entry.kind !== "fire" || entry.body.at["e"] !== question) return false;
  return entry.body.rule === "respond" || entry.body.rule === "escalate";
}
