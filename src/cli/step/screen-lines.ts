/**
 * The screen of `cfa step`: the entry, the molecules of the threads that it touches before and after, the tree of threads.
 *
 * V1. Pure: the same session and size give the same lines; none is wider than `width`, and there are at most `rows`.
 * V2. What does not fit is cut from the longest part, and said.
 */
import { type Change, threadsNamed } from "../../persistence/change.ts";
import type { Step } from "../../persistence/verify.ts";
import { type Configuration, moleculesOf } from "../../soup/configuration.ts";
import type { Molecule } from "../../soup/molecule.ts";
import { type Colors, NO_COLORS } from "../view/colors.ts";
import { changeIn, nameOf, whatOf } from "../view/replay-line.ts";
import { shortMolecule } from "../view/short-notation.ts";
import { clip } from "../view/text.ts";
import { breakpointText, type Session, stepAt } from "./session.ts";
import { soupTree } from "./soup-tree.ts";

/** How the screen is drawn. */
export type ScreenOptions = { readonly width: number; readonly rows: number; readonly colors?: Colors };

type Line = { readonly text: string; readonly paint?: (text: string) => string };
type Part = { readonly title: string; readonly lines: readonly Line[] };

/** The lines of the screen, without the line for input. */
export function screenLines(
  session: Session,
  { width, rows, colors = NO_COLORS }: ScreenOptions,
): readonly string[] {
  const step = stepAt(session);
  const head = headLines(session, step, colors);
  const foot = footLines(session, colors);
  const parts = step === undefined ? emptyParts() : partsOf(step, colors);
  const body = fit(parts, rows - head.length - foot.length, colors);
  return [...head, ...body, ...foot].map(({ text, paint }) => {
    const cut = clip(text, width);
    return paint === undefined ? cut : paint(cut);
  });
}

function headLines({ steps, at }: Session, step: Step | undefined, colors: Colors): readonly Line[] {
  const job = steps[0]?.entry.job ?? "an empty log";
  const where = `${job}  entry ${at} of ${steps.length}`;
  if (step === undefined) return [{ text: `${where}, before the first`, paint: colors.bold }];
  const { round, at: time } = step.entry;
  return [
    { text: `${where}  commit ${round}  ${time}  ${stateAt(steps, at)}`, paint: colors.bold },
    { text: `${nameOf(step.entry)}  ${whatOf(step)}` },
  ];
}

/** The state of the job after entry `at`. */
function stateAt(steps: readonly Step[], at: number): string {
  for (let seq = at; seq >= 1; seq--) {
    const entry = steps[seq - 1]?.entry;
    if (entry?.kind === "transition") return entry.body.to;
  }
  return "INTENT";
}

function footLines({ breakpoints, said }: Session, colors: Colors): readonly Line[] {
  const list = breakpoints.map((one, at) => `${at + 1} ${breakpointText(one)}`).join(", ");
  return [
    ...(list === "" ? [] : [{ text: `breakpoints: ${list}`, paint: colors.dim }]),
    ...(said === "" ? [] : [{ text: said, paint: colors.yellow }]),
  ];
}

function emptyParts(): readonly Part[] {
  return [{ title: "tree", lines: [{ text: "  ε" }] }];
}

function partsOf(step: Step, colors: Colors): readonly Part[] {
  const { entry, before, after } = step;
  const threads = [...new Set(threadsNamed(entry))];
  const change: Change | undefined = changeIn(step);
  const soup = (
    configuration: Configuration,
    marked: readonly Molecule[] | undefined,
    mark: string,
    paint: Paint,
  ) =>
    threads.flatMap((thread) => {
      const cell = configuration.cell(thread);
      return cell === undefined
        ? []
        : [...moleculesOf(cell)].map((one) => moleculeLine(one, marked, mark, paint));
    });
  const moleculeLine = (
    one: Molecule,
    marked: readonly Molecule[] | undefined,
    mark: string,
    paint: Paint,
  ): Line => {
    const isMarked = marked?.includes(one) ?? false;
    const text = `  ${isMarked ? mark : " "} ${shortMolecule(one)}`;
    return isMarked ? { text, paint } : { text };
  };
  const parts = [
    { title: "before", lines: soup(before, change?.consumed, "-", colors.red) },
    { title: "after", lines: soup(after, change?.produced, "+", colors.green) },
  ];
  const tree = soupTree(after, threads).map(({ text, touched }) => ({
    text: `  ${text}`,
    paint: touched ? colors.bold : colors.dim,
  }));
  return [...(threads.length === 0 ? [] : parts), { title: "tree", lines: tree }];
}

type Paint = (text: string) => string;

/** The parts with their titles in at most `rows` lines (V2). */
function fit(parts: readonly Part[], rows: number, colors: Colors): readonly Line[] {
  const lengths = parts.map(({ lines }) => Math.max(1, lines.length));
  const room = Math.max(parts.length, rows - parts.length);
  for (let over = sum(lengths) - room; over > 0; over--) {
    const longest = lengths.indexOf(Math.max(...lengths));
    lengths[longest] = (lengths[longest] ?? 1) - 1;
  }
  return parts.flatMap(({ title, lines }, at) => [
    { text: title, paint: colors.dim },
    ...(lines.length === 0 ? [{ text: "    ε" }] : cut(lines, lengths[at] ?? 1)),
  ]);
}

function cut(lines: readonly Line[], length: number): readonly Line[] {
  if (lines.length <= length) return lines;
  const kept = lines.slice(0, length - 1);
  return [...kept, { text: `    … ${lines.length - kept.length} more` }];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
