/**
 * One turn of the lead: asks one question in each state, and goes on with the answer.
 *
 * L1. An answer that begins with [WITHDRAW] says that the human gives the work up; the lead itself ends the job by its record.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const cfa = (...words) => execFileSync("cfa", words, { encoding: "utf8" }).trim();
const { intent, plan } = JSON.parse(process.env.CFA_ARTIFACTS);

const STATES = {
  INTENT: { question: "Formal or friendly?", file: intent, outcome: "APPROVED_INTENT" },
  PLAN: { question: "On which day is the party?", file: plan, outcome: "APPROVED_PLAN" },
  EXECUTE: {
    question: "The hall costs 300 euros. Shall I book it?",
    file: "HALL.txt",
    outcome: "APPROVED_WORK",
  },
};

const { question, file, outcome } = STATES[process.env.CFA_STATE];
const [, answer] = /^\[answer to your question \S+\]\n([^]*)/.exec(await text(process.stdin)) ?? [];
if (answer === undefined) console.log(`asked ${cfa("ask", question)}`);
else if (answer.startsWith("[WITHDRAW]\n")) cfa("outcome", "WITHDRAW", "--reason", answer.split("\n")[1]);
else {
  writeFileSync(file, `${question}\n${answer.trim()}\n`);
  cfa("outcome", outcome, "--reason", `the human says: ${answer.trim()}`);
}
