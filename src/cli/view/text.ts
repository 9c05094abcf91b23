/**
 * Text on a terminal: one line, without control codes, in as many cells as there are.
 *
 * W1. Width counts cells: wide characters and emoji take two, combining marks none. A grapheme is never cut.
 * W2. Of a long text only the beginning is looked at: the time that it takes to find graphemes grows with the square of the length.
 */
import { stripVTControlCharacters } from "node:util";
import { WITHDRAW_MARK } from "../../runtime/escalation/proxy-drafts.ts";

const segmenter = new Intl.Segmenter();

/** UTF-16 code units that are looked at for each cell (W2): a family emoji has 11 for two cells. */
const UNITS_PER_CELL = 16;

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
export function graphemes(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

function cells(grapheme: string): number {
  if (/^[\p{Mark}\p{Format}]+$/u.test(grapheme)) return 0;
  return /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u.test(
    grapheme,
  )
    ? 2
    : 1;
}

/** The text in at most `width` cells; where something is left out, it ends in `…`. */
export function clip(text: string, width: number): string {
  if (width < 1) return "";
  const start = text.slice(0, UNITS_PER_CELL * width);
  const isWhole = start.length === text.length;
  if (isWhole && widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  // The last grapheme of a start may be half of one.
  for (const grapheme of isWhole ? graphemes(start) : graphemes(start).slice(0, -1)) {
    used += cells(grapheme);
    if (used > width - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

/** `1 turn`, `2 turns`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
