/**
 * The tree of threads as lines: agent, thread, state, turn, time, and what it says or why.
 *
 * L1. Pure: the same view, width and moment give the same lines. No line is wider than `width`.
 * L2. Colour adds no width: it is put on after a line has been cut.
 * L3. Where rows are short, ended conversations are summed up in one line each parent; then the rest is cut, and said.
 */
import { NO_COLORS, type Colors } from "./colors.ts";
import { between } from "./elapsed.ts";
import type { JobView, ThreadView } from "./job-view.ts";
import { costText } from "./spending.ts";
import { clip, count, plain } from "./text.ts";
import { threadName } from "./thread-view.ts";

/** How the tree is drawn. */
export type TreeOptions = {
  readonly width: number;
  /** Most lines. */
  readonly rows: number;
  readonly now: Date;
  readonly colors?: Colors;
  /** Last line of output of running turns, by thread. */
  readonly output?: ReadonlyMap<string, string>;
  /** Nobody runs the job: a turn that was running is lost, and runs again when the job is resumed. */
  readonly ownerless?: boolean;
  /** Show what each thread has used. */
  readonly costs?: boolean;
};

type Line = { readonly text: string; readonly paint: (text: string) => string };

/** The lines of the tree, the job's own line first. */
export function treeLines(view: JobView, options: TreeOptions): readonly string[] {
  const { width, rows, colors = NO_COLORS } = options;
  const whole = [headLine(view, options, colors), ...below(view.threads, "", options, false)];
  const lines =
    whole.length <= rows
      ? whole
      : [headLine(view, options, colors), ...below(view.threads, "", options, true)];
  const shown = lines.length <= rows ? lines : cut(lines, rows);
  return shown.map(({ text, paint }) => paint(clip(text, width)));
}

function cut(lines: readonly Line[], rows: number): readonly Line[] {
  const kept = lines.slice(0, Math.max(1, rows - 1));
  return [...kept, { text: `… ${lines.length - kept.length} more`, paint: (text) => text }];
}

function headLine(view: JobView, { now }: TreeOptions, colors: Colors): Line {
  const time = between(view.openedAt, view.ended ? view.at : now);
  const parts = [view.job, view.state, count(view.spent.turns, "turn"), time];
  const boundaries = Object.values(view.boundary);
  if (!view.ended && boundaries.includes("advisory")) parts.push("no boundary (advisory)");
  if (view.parked !== null) parts.push(`parked: ${plain(view.parked)}`);
  if (view.questions.length > 0) parts.push(`${count(view.questions.length, "question")} open`);
  return { text: parts.join("  "), paint: colors.bold };
}

function below(parent: ThreadView, indent: string, options: TreeOptions, short: boolean): Line[] {
  const ended = short ? parent.children.filter(summedUp) : [];
  const shown = parent.children.filter((child) => !ended.includes(child));
  const lines = shown.flatMap((child, at) => {
    const last = at === shown.length - 1 && ended.length === 0;
    return [
      threadLine(child, `${indent}${last ? "└─ " : "├─ "}`, options),
      ...below(child, `${indent}${last ? "   " : "│  "}`, options, short),
    ];
  });
  if (ended.length === 0) return lines;
  const { dim } = options.colors ?? NO_COLORS;
  return [...lines, { text: `${indent}└─ ${count(ended.length, "conversation")} ended`, paint: dim }];
}

function summedUp(thread: ThreadView): boolean {
  return thread.state === "ended" && !thread.thread.startsWith("state:");
}

const MARKS = {
  running: "●",
  queued: "○",
  sending: "→",
  "waiting for mail": "·",
  "waiting for the human": "?",
  parked: "‖",
  stalled: "!",
  ending: "×",
  ended: "✓",
} as const;

function threadLine(thread: ThreadView, indent: string, options: TreeOptions): Line {
  const colors = options.colors ?? NO_COLORS;
  const { state, agent } = thread;
  const output = state === "running" ? options.output?.get(thread.thread) : undefined;
  const parts = [
    `${indent}${MARKS[state]} ${agent}${thread.by === null ? "" : ` (by ${thread.by})`}`,
    threadName(thread.thread),
    state === "running" && options.ownerless === true ? "was running" : state,
    thread.turn === null ? count(thread.turns, "turn") : `turn ${thread.turn}`,
    ...(state === "ended" ? [] : [between(thread.since, options.now)]),
    ...(thread.failures > 0 ? [`${thread.failures} failed`] : []),
    options.costs === true ? costText(thread.spent) : "",
    plain(output ?? thread.why),
  ];
  const paint = paintOf(thread, colors);
  return { text: parts.filter((part) => part !== "").join("  "), paint };
}

function paintOf({ state }: ThreadView, colors: Colors): (text: string) => string {
  switch (state) {
    case "running":
    case "sending":
      return colors.green;
    case "waiting for the human":
    case "stalled":
      return colors.yellow;
    case "ended":
    case "ending":
      return colors.dim;
    case "queued":
    case "parked":
    case "waiting for mail":
      return (text) => text;
  }
}
