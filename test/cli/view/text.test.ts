/** Text in as many cells as there are, whatever its length. */
import { expect, test } from "vitest";
import { clip, clipStart, linesOf, widthOf, withoutLast } from "../../../src/cli/view/text.ts";

const FAMILY = "👩‍👩‍👧‍👦";
const MARKED = `e${"\u0301".repeat(100)}`;
/** To look at all of a line of so many letters takes hours. */
const LONG = 1_000_000;

test.each<readonly [string, string, number, string, string]>([
  ["what fits stays", "blue", 4, "blue", "blue"],
  ["what does not is cut", "blue sky", 5, "blue…", "… sky"],
  ["wide letters take two cells", "日本語", 5, "日本…", "…本語"],
  ["and are not halved", "日本語", 4, "日…", "…語"],
  ["a family stays together", `${FAMILY}${FAMILY}${FAMILY}`, 5, `${FAMILY}${FAMILY}…`, `…${FAMILY}${FAMILY}`],
  ["no cells hold nothing", "blue", 0, "", ""],
  ["one letter of many marks is no letter", MARKED, 4, "…", "…"],
])("%s", (_what, text, width, start, end) => {
  expect([clip(text, width), clipStart(text, width)]).toEqual([start, end]);
  expect(widthOf(start)).toBeLessThanOrEqual(width);
  expect(widthOf(end)).toBeLessThanOrEqual(width);
});

test.each([
  ["a letter", "ab", "a"],
  ["a family", `a${FAMILY}`, "a"],
  ["nothing", "", ""],
])("without the last letter: %s", (_what, text, rest) => {
  expect(withoutLast(text)).toBe(rest);
});

test.each([
  ["plain", "a"],
  ["of emoji", FAMILY],
])("a line without end costs no more: %s", (_what, letter) => {
  const line = letter.repeat(LONG);
  expect(clip(line, 6)).toBe(clip(letter.repeat(7), 6));
  expect(clipStart(line, 6)).toBe(clipStart(letter.repeat(7), 6));
  expect(withoutLast(line).length).toBe(letter.length * (LONG - 1));
});

test.each<readonly [string, string, readonly string[]]>([
  ["keep their indent", "  1. apples\n\tpears", ["  1. apples", "  pears"]],
  ["have no escape codes", "\u001b]0;title\u0007a \u001b[31mred\u001b[0m\u0008 one", ["a red  one"]],
  ["and no blanks at their ends", "\n \na \r\n\nb\n\n", ["a", "", "b"]],
  ["of nothing are none", " \n", []],
])("lines %s", (_what, text, lines) => {
  expect(linesOf(text)).toEqual(lines);
});
