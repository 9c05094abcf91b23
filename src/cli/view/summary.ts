/**
 * The last words of a run: how the job stands, where its work is, what to do next.
 *
 * U1. Pure: what had to be looked up is given.
 */
import { between } from "./elapsed.ts";
import type { JobView } from "./job-view.ts";
import { spentText } from "./spending.ts";
import { count, firstLine, linesOf, plain } from "./text.ts";

/** A file that the job's branch adds to or changes from its base. */
export type ChangedFile = { readonly change: "A" | "M" | "D"; readonly path: string };

/** What the words depend on besides the job. */
export type SummaryFacts = {
  /** Files that the delivered branch changes. */
  readonly files: readonly ChangedFile[];
  /** Outputs of the last failed turns. */
  readonly streams: readonly string[];
  /** A command as the user would type it: `status`, `log`, … to `cfa status ID`. */
  readonly command: (words: string) => string;
};

const FILES_SHOWN = 10;

/** The lines about a job that has ended. */
export function endLines(view: JobView, facts: SummaryFacts): readonly string[] {
  const { state, job, delivered, openedAt, at, spent } = view;
  const reason = firstLine(view.history.at(-1)?.reason ?? "");
  const lines = [
    `${job} is ${state}: ${reason}`,
    `${count(spent.turns, "turn")} in ${between(openedAt, at)}; ${spentText(spent)}`,
  ];
  if (delivered !== null) lines.push(...deliveryLines(delivered, facts.files));
  if (state === "FAILURE") lines.push(...furtherLines(view, facts));
  return lines;
}

function deliveryLines(
  { branch, commit, problem }: NonNullable<JobView["delivered"]>,
  files: readonly ChangedFile[],
): string[] {
  const lines = [`branch ${branch}${commit === null ? "" : ` at ${commit.slice(0, 10)}`}`];
  if (problem !== undefined) lines.push(`not delivered as the job asks: ${problem}`);
  const shown = files.slice(0, FILES_SHOWN);
  lines.push(...shown.map(({ change, path }) => `  ${change} ${plain(path)}`));
  if (files.length > shown.length) lines.push(`  … ${files.length - shown.length} more`);
  const first = files.find(({ change, path }) => change !== "D" && plain(path) === path);
  if (files.length === 0) lines.push("  it changes no file");
  if (first !== undefined) lines.push(`show one: git show ${branch}:${quoted(first.path)}`);
  return lines;
}

/** Where to look when it failed. */
export function furtherLines({ job }: JobView, { streams, command }: SummaryFacts): string[] {
  return [
    `look further: ${command(`log ${job}`)}`,
    ...streams.map((stream) => `output of a failed turn: ${stream}`),
  ];
}

/** The lines about a job that waits for a human. */
export function waitingLines({ job, questions }: JobView, { command }: SummaryFacts): readonly string[] {
  return [
    `${job} waits for a human`,
    ...questions.flatMap(({ id, text }) => [
      ...linesOf(text).map((line, row) => (row === 0 ? `  ${id}: ${line}` : `    ${line}`)),
      `    ${command(`answer ${id} TEXT --job ${job}`)}`,
    ]),
    `then: ${command(`resume ${job}`)}`,
  ];
}

/** The lines about a job that is parked. */
export function parkedLines({ job, parked }: JobView, { command }: SummaryFacts): readonly string[] {
  return [
    `${job} is parked: ${plain(parked ?? "")}`,
    parked?.startsWith("the budget of") === true
      ? `go on: ${command(`resume ${job} --budget KEY=VALUE…`)} (usd, tokens, turns, wall)`
      : `go on: ${command(`resume ${job}`)}`,
  ];
}

/** The lines about a run that was stopped. */
export function stoppedLines({ job, state }: JobView, { command }: SummaryFacts): readonly string[] {
  return [`${job} is stopped in ${state}; nothing is lost`, `go on: ${command(`resume ${job}`)}`];
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
