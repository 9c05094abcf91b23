/** What a person's answer does: it reaches the question that is asked, and nothing else (CfA §7). */
import { expect, test } from "vitest";
import { Ledger } from "../../src/runtime/ledger.ts";
import { answerDrafts } from "../../src/runtime/questions.ts";
import { soup } from "../../src/testing/soup.ts";

const ASKED = "Idle(A,t) ‖ Mailbox(A,t,[]) ‖ AskHuman(A,t,e,which,always)";

test.each([
  ["asked", ASKED, "e", "answered", 1],
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
