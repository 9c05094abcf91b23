/** The report of `cfa check` as people read it. */
import type { CheckReport } from "../../job/check/check-job.ts";
import { count } from "./text.ts";

/** The lines of a report: counterexamples first, then what was checked, the worst case, what is not covered. */
export function reportLines(report: CheckReport): string[] {
  const { job, findings, remarks, notCovered } = report;
  const verdict = findings.length === 0 ? "no counterexample" : count(findings.length, "counterexample");
  return [
    `${job}: ${verdict}`,
    ...findings.flatMap(({ what, trace, advice }, at) => [
      "",
      `Counterexample ${at + 1}: ${what}`,
      ...trace.map((line, step) => `  ${step + 1}. ${line}`),
      `  What to do: ${advice}.`,
    ]),
    "",
    "Checked:",
    ...checkedLines(report).map(listed),
    "",
    "Worst case:",
    ...worstLines(report).map(listed),
    ...(remarks.length === 0 ? [] : ["", "To be known:", ...remarks.map(listed)]),
    "",
    "Not covered:",
    ...notCovered.map(listed),
  ];
}

function listed(line: string): string {
  return `  - ${line}`;
}

function checkedLines({ walked, turnsToDone }: CheckReport): string[] {
  const { states, steps, turns, cut, bounds, insteadOf } = walked;
  const reached =
    turnsToDone === null
      ? "no run reaches DONE"
      : `DONE is reached in ${count(turnsToDone, "turn")} when every lead approves at once`;
  const size = `${count(states, "state")}, ${count(steps, "step")}`;
  const limit = `--max-states ${bounds.maxStates}, --max-turns ${bounds.maxTurns}`;
  const walk =
    cut === null
      ? `every state that free agents can bring the job to: ${size}, none needs more than ${count(turns, "turn")} (bounds ${limit}: neither cut)`
      : `every state that free agents can bring the job to in ${count(turns, "turn")}: ${size}, cut by ${cut === "maxStates" ? "--max-states" : "--max-turns"} (bounds ${limit}); what needs more turns was not looked at`;
  const moved = Object.entries(insteadOf).map(
    ([state, place]) =>
      `${state} was walked as ${place}: its lead is of the same kind, its policy the same, its outcomes fewer`,
  );
  return [
    reached,
    walk,
    "looked for in each of them: a standstill, a question that nobody may answer, conversations or trees left behind, broken invariants",
    ...moved,
  ];
}

function worstLines({ worstCase }: CheckReport): string[] {
  const { entries, leadTurns, openAtOnce, dispatches, turns, turnsWithoutQuestions, questions } = worstCase;
  const most = (number: number | null, noun: string) =>
    number === null ? `no bound on ${noun}s` : `at most ${count(number, noun)}`;
  const quiet =
    turns === null && turnsWithoutQuestions !== null
      ? ` (${turnsWithoutQuestions} while no dispatched agent asks a question)`
      : "";
  return [
    `agents: ${most(openAtOnce, "conversation")} open at once; ${most(dispatches, "dispatch").replace("dispatchs", "dispatches")} in all`,
    `turns: ${most(turns, "turn")}${quiet}; leads take at most ${leadTurns}, in ${entries} entries into states`,
    `questions: ${most(questions, "question")}, counting one a turn`,
  ];
}
