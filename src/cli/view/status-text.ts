/**
 * A job in words, for `cfa status`: state, tree, history, questions, what was spent.
 *
 * S1. What is not known is said to be unknown, never shown as zero.
 */
import type { Colors } from "./colors.ts";
import { between } from "./elapsed.ts";
import type { JobView } from "./job-view.ts";
import { spentText } from "./spending.ts";
import { count, firstLine, plain } from "./text.ts";
import { treeLines } from "./tree-lines.ts";

/** What the words depend on besides the job. */
export type StatusOptions = {
  readonly width: number;
  readonly now: Date;
  readonly colors: Colors;
  /** Who runs the job, as a sentence; whether anybody does. */
  readonly owner: string;
  readonly ownerless: boolean;
  /** The command that answers a question. */
  readonly answer: (question: string) => string;
  /** How far running work has come, by thread. */
  readonly progress?: ReadonlyMap<string, string>;
};

/** The lines. */
export function statusLines(view: JobView, options: StatusOptions): readonly string[] {
  const { width, now, colors, owner, ownerless, answer, progress: output = new Map() } = options;
  const { history, questions, delivered, backtracks } = view;
  return [
    ...treeLines(view, { width, rows: Infinity, now, colors, ownerless, costs: true, output }),
    "",
    `request    ${firstLine(view.request)}`,
    `owner      ${owner}`,
    ...history.map(
      ({ from, action, to, reason, origin }, at) =>
        `${at === 0 ? "history    " : "           "}${from} → ${to}  ${action} by ${origin}: ${firstLine(reason)}`,
    ),
    `backtracks ${backtracks}`,
    ...questions.map(
      ({ id, text }, at) =>
        `${at === 0 ? "questions  " : "           "}${id}: ${plain(text)}  (${answer(id)})`,
    ),
    ...view.answers.map(
      ({ question, text, by }, at) =>
        `${at === 0 ? "answers    " : "           "}${question}: ${firstLine(text)}  (by ${by}, waits to be taken up)`,
    ),
    `spent      ${count(view.spent.turns, "turn")}, ${spentText(view.spent)}`,
    `boundary   ${boundaryText(view)}`,
    ...(delivered === null ? [] : [`delivered  ${delivered.branch} at ${delivered.commit ?? "no commit"}`]),
    ...(delivered?.problem === undefined ? [] : [`           not as the job asks: ${delivered.problem}`]),
  ];
}

/** One job in one line, for `cfa status --all`. */
export function jobLine(view: JobView, now: Date): string {
  const state = view.parked === null ? view.state : `${view.state} (parked)`;
  const age = `${between(view.openedAt, now)} ago`;
  return `${view.job}  ${state}  ${count(view.spent.turns, "turn")}  ${age}  ${firstLine(view.request)}`;
}

function boundaryText({ boundary }: JobView): string {
  return [...new Set(Object.values(boundary))]
    .map((kind) => {
      const agents = Object.keys(boundary).filter((name) => boundary[name] === kind);
      return `${kind}: ${agents.join(", ")}`;
    })
    .join("; ");
}
