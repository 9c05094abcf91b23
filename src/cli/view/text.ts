/**
 * Text on a terminal: one line, without control codes, in as many cells as there are.
 *
 * W1. Width counts cells: wide characters and emoji take two, combining marks none. A grapheme is never cut.
 * W2. What it costs to cut a text does not depend on its length: finding graphemes takes time that grows with the square of it, and
 *     what an agent has printed may be one line of any length. At most {@link UNITS_A_CELL} code units a cell are looked at.
 */
import { stripVTControlCharacters } from "node:util";
import { WITHDRAW_MARK } from "../../runtime/escalation/proxy-drafts.ts";

const segmenter = new Intl.Segmenter();

/** More than letters take, marks and joiners included: an emoji of four people has 11 code units in two cells. */
const UNITS_A_CELL = 8;

/** Longest letter that {@link withoutLast} takes as one, code units. */
const LETTER_UNITS = 64;

/** The text as one line without escape and control codes; runs of white space become one blank. */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** The first line of a text that is not blank, as {@link plain} text. */
export function firstLine(text: string): string {
  return plain(text.split("\n").find((line) => line.trim() !== "") ?? "");
}

/** The lines of a text as they are indented, without escape and control codes, and without blank ones at its ends. */
export function linesOf(text: string): readonly string[] {
  const lines = stripVTControlCharacters(text)
    .replaceAll("\t", "  ")
    .split(/\r?\n/u)
    .map((line) => line.replaceAll(/\p{Cc}+/gu, " ").trimEnd());
  const isFull = (line: string) => line !== "";
  return lines.slice(Math.max(0, lines.findIndex(isFull)), lines.findLastIndex(isFull) + 1);
}

/** An answer in one line: its first, or a withdrawal with its reason (docs/escalation.md). */
export function answerLine(text: string): string {
  return firstLine(text.startsWith(`${WITHDRAW_MARK}\n`) ? text.replace("\n", " ") : text);
}

/** Cells that a text without control codes takes (W1). */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += cells(segment);
  return width;
}

/** The letters of a text as people count them. */
function graphemes(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** The text without its last letter (W2). */
export function withoutLast(text: string): string {
  const last = graphemes(text.slice(-LETTER_UNITS)).at(-1) ?? "";
  return text.slice(0, text.length - last.length);
}

function cells(grapheme: string): number {
  if (/^[\p{Mark}\p{Format}]+$/u.test(grapheme)) return 0;
  return /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u.test(
    grapheme,
  )
    ? 2
    : 1;
}

/** The text in at most `width` cells; where something is left out, it ends in `…` (W2). */
export function clip(text: string, width: number): string {
  const head = text.slice(0, UNITS_A_CELL * Math.max(1, width));
  const whole = head.length === text.length;
  if (whole && widthOf(head) <= width) return text;
  // The last letter of a part may be a part of a letter.
  const letters = graphemes(head).slice(0, whole ? undefined : -1);
  return width < 1 ? "" : `${fitting(letters, width - 1).join("")}…`;
}

/** The end of the text in at most `width` cells; where something is left out, it begins with `…` (W2). */
export function clipStart(text: string, width: number): string {
  const end = text.slice(-UNITS_A_CELL * Math.max(1, width));
  const whole = end.length === text.length;
  if (whole && widthOf(end) <= width) return text;
  const letters = graphemes(end)
    .slice(whole ? 0 : 1)
    .toReversed();
  return width < 1
    ? ""
    : `…${fitting(letters, width - 1)
        .toReversed()
        .join("")}`;
}

/** The first of the letters, as many as fit. */
function fitting(letters: readonly string[], width: number): readonly string[] {
  let used = 0;
  const over = letters.findIndex((letter) => (used += cells(letter)) > width);
  return over < 0 ? letters : letters.slice(0, over);
}

/** `1 turn`, `2 turns`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
