/** Questions in words: as they open, and in the inbox. */
import { expect, test } from "vitest";
import { askedLines, questionLines, type QuestionView } from "../../../src/cli/view/question-view.ts";

const question: QuestionView = {
  id: "q1.1.1",
  conversation: "escalation:q1.1.1",
  exchange: 1,
  agent: "lead",
  thread: "state:j:PLAN:1",
  text: "Which?",
  policy: "when_unsure",
  since: "2026-01-01T00:00:00.000Z",
  default: null,
};
const long = {
  ...question,
  text: "\u001b[2JWhich?\n  1. apples\n  2. pears\n",
  default: { answer: "pears", at: "2026-01-01T01:00:00.000Z" },
};
const job = { job: "j", now: new Date("2026-01-01T00:00:02.000Z"), answer: "cfa answer q1.1.1 TEXT" };

test("as it opens: in one line, or in as many as it has, with the answer that counts without one", () => {
  expect(askedLines("lead PLAN", question, job.answer)).toEqual([
    "question q1.1.1 of lead PLAN: Which?",
    "    cfa answer q1.1.1 TEXT",
  ]);
  expect(askedLines("lead PLAN", long, job.answer)).toEqual([
    "question q1.1.1 of lead PLAN:",
    "  Which?",
    "    1. apples",
    "    2. pears",
    "  at 2026-01-01T01:00:00.000Z the answer is: pears",
    "    cfa answer q1.1.1 TEXT",
  ]);
});

test("in the inbox", () => {
  expect(questionLines(long, job)).toEqual([
    "q1.1.1 of j  lead on PLAN, 2.0s ago, when_unsure",
    "  Which?",
    "    1. apples",
    "    2. pears",
    "  at 2026-01-01T01:00:00.000Z the answer is: pears",
    "    cfa answer q1.1.1 TEXT",
  ]);
});
