/** The report of `cfa check` as people read it. */
import type { CheckReport } from "../../job/check/check-job.ts";
import { LIVE_STATES } from "../../job/machine.ts";
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
    `Worst case, whatever the agents do (cfa takes ${report.worstCase.callsPerTurn} calls a turn):`,
    ...worstLines(report).map(listed),
    ...modestLines(report),
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
  const { states, of, steps, turns, cut, bounds } = walked;
  const reached =
    turnsToDone === null
      ? "no run reaches DONE"
      : `DONE is reached in ${count(turnsToDone, "turn")} when every lead approves at once`;
  const each = LIVE_STATES.map((state) => `${of[state] ?? 0} in ${state}`).join(", ");
  const size = `${count(states, "state")} (${each}), ${count(steps, "step")}`;
  const limit = `--max-states ${bounds.maxStates}, --max-turns ${bounds.maxTurns}`;
  const walk =
    cut === null
      ? `every state that free agents can bring the job to: ${size}, none needs more than ${count(turns, "turn")} (bounds ${limit}: neither cut)`
      : `every state that free agents can bring the job to in ${count(turns, "turn")}: ${size}, cut by ${cut === "maxStates" ? "--max-states" : "--max-turns"} (bounds ${limit}); what needs more turns was not looked at`;
  return [
    reached,
    walk,
    "in each of them every choice of every agent: reply, say nothing, dispatch one or as many as the limit allows, write again, close (with and without a merge conflict), ask, fail, and each outcome of the state",
    "looked for in each of them: a standstill, a question that nobody may answer, conversations or trees left behind, broken invariants",
  ];
}

function worstLines({ worstCase }: CheckReport): string[] {
  const { entries, leadTurns, openAtOnce, dispatches, turns, questions } = worstCase;
  return [
    `agents: ${most(openAtOnce, "conversation")} open at once, ${most(dispatches, "dispatch", "dispatches")} in all`,
    `turns: ${most(turns, "turn")}; leads take at most ${leadTurns}, in ${entries} entries into states`,
    `questions: ${most(questions, "question")}`,
  ];
}

function most(number: number | null, noun: string, nouns = `${noun}s`): string {
  if (number === null) return `no bound on ${nouns}`;
  return `at most ${number} ${number === 1 ? noun : nouns}`;
}

function modestLines({ worstCase, fanOut }: CheckReport): string[] {
  const { dispatches, turns, questions } = worstCase.modest;
  const figures = [
    most(dispatches, "dispatch", "dispatches"),
    most(turns, "turn"),
    most(questions, "question"),
  ];
  return [
    "",
    `Worst case only while no turn sends more than ${count(fanOut, "message")} (limits.fan_out), leads ask at most once a turn, and dispatched agents neither ask nor leave a merge of their own unfinished, turns of a proxy apart:`,
    listed(figures.join(", ")),
  ];
}
