/** Exit codes: what the end of `cfa` says to whoever called it. The only list of them; the help prints it. */

/** Exit codes by what they mean. */
export const EXIT = {
  completed: 0,
  failed: 1,
  misuse: 2,
  withdrawn: 3,
  waiting: 4,
  parked: 5,
  invalidLog: 6,
  counterexample: 7,
  owned: 8,
  interrupted: 130,
  terminated: 143,
} as const;

/** What each code says, for people. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  completed: "completed: the job is DONE, the command did what was asked",
  failed:
    "failed: the job ended in FAILURE, or is DONE and could not be delivered as it asks, the command could not do it, or a call of an agent was refused",
  misuse: "usage, an invalid job, or a repository in which no job can start; nothing was written",
  withdrawn: "the job was withdrawn",
  waiting: "the job waits for a human: answer, then resume",
  parked:
    "the job is parked: a budget is spent, an agent asked for a person, or a person paused it; cfa status says why, cfa resume goes on",
  invalidLog: "the log is damaged, breaks the rules, is no log, or is of another version",
  counterexample: "a counterexample was found: an invariant breaks, or a soup is stuck",
  owned: "the job is run by another live process",
  interrupted: "interrupted (Ctrl-C); the job can be resumed",
  terminated: "terminated (SIGTERM); the job can be resumed",
};

/** The code for a job that has come to an end state; `problem` is why its work could not be delivered as it asks. */
export function exitOfState(state: string, problem: string | undefined): number {
  if (state === "DONE") return problem === undefined ? EXIT.completed : EXIT.failed;
  return state === "WITHDRAWN" ? EXIT.withdrawn : EXIT.failed;
}

/** The table as the help shows it. */
export function exitCodeHelp(): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => {
    const code = Object.entries(EXIT).find(([known]) => known === name)?.[1] ?? EXIT.failed;
    return `  ${String(code).padStart(3)}  ${meaning}`;
  });
  return ["Exit codes:", ...rows].join("\n");
}
