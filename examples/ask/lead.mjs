/**
 * One turn of the lead: asks in every state, and goes on when it has its answers.
 *
 * L1. `cfa ask` returns at once with the id of the question; the answer is the message of a later turn, which names that id.
 * L2. What is not answered yet stands in the artifact of the state: a program remembers nothing between its turns.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const cfa = (...words) => execFileSync("cfa", words, { encoding: "utf8" }).trim();
const { intent, plan, summary } = JSON.parse(process.env.CFA_ARTIFACTS);

/** What each state asks, and where it keeps the answers. */
const STATES = {
  INTENT: {
    file: intent,
    outcome: "APPROVED_INTENT",
    questions: [
      ["whom", "Whom shall I greet?"],
      ["language", "In which language: English, German or French?"],
    ],
  },
  PLAN: {
    file: plan,
    outcome: "APPROVED_PLAN",
    // Nobody has to answer this one: after an hour it is friendly.
    questions: [["tone", "Formal or friendly?", "--default", "friendly", "--deadline", "1h"]],
  },
  EXECUTE: {
    file: summary,
    outcome: "APPROVED_WORK",
    questions: [["mark", "Which punctuation mark comes last?"]],
    finish: greet,
  },
};

const HELLO = {
  english: { formal: "Good day", friendly: "Hello" },
  german: { formal: "Guten Tag", friendly: "Hallo" },
  french: { formal: "Bonjour", friendly: "Salut" },
};

const state = STATES[process.env.CFA_STATE];
const [, question, answer] =
  /^\[answer to your question (\S+)\]\n([^]*)/.exec(await text(process.stdin)) ?? [];
if (question === undefined) ask(state);
else take(state, question, answer);

/** Asks everything at once (L2). */
function ask({ file, questions }) {
  const lines = questions.map(([key, ...words]) => `${key} ${cfa("ask", ...words)}: ?`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  console.log(`asked ${questions.length}`);
}

/** Writes an answer to its question; with the last one the state is done. */
function take({ file, outcome, finish }, id, said) {
  const lines = readFileSync(file, "utf8").split("\n");
  const known = lines.map((line) => (line.endsWith(` ${id}: ?`) ? line.replace(/\?$/, oneLine(said)) : line));
  writeFileSync(file, known.join("\n"));
  if (known.some((line) => line.endsWith(": ?"))) {
    console.log("one answer is missing");
    return;
  }
  finish?.();
  cfa("outcome", outcome, "--reason", "everything is answered");
}

/** The greeting. Nobody was asked how it ends: it ends with an exclamation mark. */
function greet() {
  const hello = HELLO[answerTo(intent, "language").toLowerCase()] ?? HELLO.english;
  const tone = answerTo(plan, "tone").toLowerCase() === "formal" ? "formal" : "friendly";
  writeFileSync("GREETING.txt", `${hello[tone]}, ${answerTo(intent, "whom")}!\n`);
}

function answerTo(file, key) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.find((line) => line.startsWith(`${key} `))?.replace(/^\S+ \S+: /, "") ?? "";
}

function oneLine(said) {
  return said
    .trim()
    .split(/\s*\n\s*/)
    .join(" and ");
}
