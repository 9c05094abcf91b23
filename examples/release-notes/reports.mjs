/**
 * What the programs say to each other. The engine puts a header before a message and quotes a lost one, so a report is
 * recognised by its words and by the thread it names, wherever in the text they stand.
 */

/** The task of a writer. */
export const sectionTask = (number, count, path) =>
  `Write section ${number} of ${count} of the release notes: its commits stand in PLAN.md, its file is ${path}.`;

/** The number of the section that a task asks for; undefined when it asks for none. */
export const readSectionTask = (text) => {
  const number = /section (\d+) of \d+/.exec(text)?.[1];
  return number === undefined ? undefined : Number(number);
};

/** The report of a writer. */
export const sectionReport = (number, count, path, thread) =>
  `section ${number} of ${count} written: ${path} by ${thread}`;

/** Whether a text reports that the section is written. */
export const reportsSection = (text, number, count) =>
  text.includes(`section ${number} of ${count} written:`);

/** The task of the checker. */
export const checkTask = (count) =>
  `Check the ${count} sections of the release notes: each names each of its commits in PLAN.md exactly once.`;

/** The report of the checker; `faults` as `readSections` gives them. */
export const checkReport = (count, faults, thread) =>
  faults.length === 0
    ? `check of ${count} sections passed by ${thread}`
    : `check of ${count} sections failed: ${faults.map(({ number }) => number).join(", ")} by ${thread}`;

/** Numbers of the sections that a check found wrong, none when it passed; undefined when the text reports no check. */
export const readCheckReport = (text) => {
  const found = /check of \d+ sections (?:passed|failed: (\d+(?:, \d+)*)) by /.exec(text);
  return found === null ? undefined : (found[1] ?? "").split(", ").filter(Boolean).map(Number);
};
