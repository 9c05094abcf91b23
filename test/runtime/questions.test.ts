/** What a person's answer does: it reaches the question that is asked, and nothing else (CfA §7). */
import { expect, test } from "vitest";
import { Ledger } from "../../src/runtime/ledger.ts";
import type { EscalationRecord, Exchange } from "../../src/runtime/escalation/escalations.ts";
import { closedBecause, endQuestion, newQuestion } from "../../src/runtime/question-record.ts";
import { answerDrafts } from "../../src/runtime/questions.ts";
import { soup } from "../../src/testing/soup.ts";

const ASKED = "Idle(A,t) ‖ Mailbox(A,t,[]) ‖ AskHuman(A,t,e,which,always)";

test.each([
  ["asked", ASKED, "e", "answered", 1],
  ["asked, in the exchange that is answered", ASKED, "e#0", "answered", 1],
  [
    "asked in another exchange than is answered",
    ASKED,
    "e#1",
    "question e is put to you in another exchange now: read it again (cfa inbox)",
    0,
  ],
  ["no such question", ASKED, "other", "there is no question other", 0],
  ["not asked any more", "Idle(A,t) ‖ Mailbox(A,t,[])", "e", "question e has ended without an answer", 0],
  [
    "its thread is going, the question not yet",
    `${ASKED} ‖ Terminate(t,drop)`,
    "e",
    "question e has ended without an answer",
    0,
  ],
])("%s", (_what, notation, target, result, firings) => {
  const ledger = new Ledger((thread) => thread);
  const question = {
    id: "e",
    thread: "t",
    text: "which",
    since: "2026-01-01T00:00:00.000Z",
    policy: "always",
    answer: undefined,
  } as const;
  const open = { default: undefined, notified: false, asking: true, ended: false };
  ledger.questions.set("e", { ...question, ...open });
  const item = { id: "act-1", verb: "answer", target, text: "this one", by: "human" } as const;
  const answered = answerDrafts(soup(notation), ledger, item);
  expect(answered.result).toBe(result);
  expect(answered.drafts.map(({ kind }) => kind)).toEqual(Array.from({ length: firings }, () => "fire"));
});

const AT = "2026-01-01T00:00:00.000Z";
const put: Exchange = { asked: "which", byProxy: true, byDefault: false, replied: null, at: AT };
const answered = (byProxy: boolean) => ({ answer: { text: "red", byProxy, at: AT } });

test.each<[string, Pick<EscalationRecord, "exchanges"> & Partial<EscalationRecord>, string]>([
  ["with the proxy, which has not asked", { exchanges: [] }, "is not put to a human"],
  [
    "replied to, with the proxy again",
    { exchanges: [{ ...put, replied: "red" }] },
    "has been answered already; the proxy works on the answer",
  ],
  [
    "answered by the human",
    { exchanges: [{ ...put, byProxy: false, replied: "red" }], ...answered(false) },
    "has been answered already",
  ],
  [
    "answered by default",
    { exchanges: [{ ...put, byDefault: true, replied: "red" }], ...answered(false) },
    "has been answered already, by its default answer",
  ],
  ["answered by the proxy", { exchanges: [], ...answered(true) }, "has been answered already, by the proxy"],
  [
    "answered by nobody, under never",
    { exchanges: [], ...answered(false) },
    "has been answered already, by cfa itself: it was not put to a human",
  ],
  ["gone with its thread", { exchanges: [put], over: true }, "has ended without an answer"],
])("a question that is %s says so to who answers", (_what, more, says) => {
  const asked = { thread: "t", text: "which", policy: "when_unsure", since: AT } as const;
  const question = newQuestion({ id: "e", ...asked }, undefined);
  const record = {
    question: "e",
    agent: "A",
    thread: "t",
    text: "which",
    commit: null,
    workspace: undefined,
    next: 1,
    turns: 0,
    failures: 0,
    failure: null,
    session: undefined,
    running: false,
    since: AT,
    process: undefined,
    answer: undefined,
    lost: false,
    over: false,
    ...more,
  };
  if (record.over) endQuestion(question);
  question.answer = record.answer?.text;
  expect(closedBecause(question, record)).toBe(says);
});
