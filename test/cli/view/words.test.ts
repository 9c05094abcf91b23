/** Times, widths and short texts as the terminal shows them. */
import { describe, expect, test } from "vitest";
import { between, elapsed } from "../../../src/cli/view/elapsed.ts";
import { clip, count, firstLine, plain, widthOf } from "../../../src/cli/view/text.ts";

describe("elapsed time has two units at most", () => {
  test.each([
    [-5, "0ms"],
    [0, "0ms"],
    [999, "999ms"],
    [1000, "1.0s"],
    [9999, "9.9s"],
    [10_000, "10s"],
    [59_999, "59s"],
    [60_000, "1m 00s"],
    [65_000, "1m 05s"],
    [3_599_999, "59m 59s"],
    [12_000_000, "3h 20m"],
    [86_400_000, "1d 0h"],
    [187_200_000, "2d 4h"],
  ])("%i ms is %s", (millis, text) => {
    expect(elapsed(millis)).toBe(text);
  });

  test("between two wall times, set back or not", () => {
    expect(between("2026-01-01T00:00:00.000Z", "2026-01-01T00:01:05.000Z")).toBe("1m 05s");
    expect(between("2026-01-01T00:00:00.000Z", new Date("2025-12-31T00:00:00.000Z"))).toBe("0ms");
  });
});

describe("width counts cells, and no grapheme is cut", () => {
  test.each([
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["👩‍👩‍👧", 2],
    ["├─ ●", 4],
  ])("%s takes %i", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["日本語", 4, "日…"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
  ])("%s in %i cells is %s", (text, width, clipped) => {
    expect(clip(text, width)).toBe(clipped);
    expect(widthOf(clip(text, width))).toBeLessThanOrEqual(width);
  });

  test("of a long text only the beginning is looked at, and no grapheme of it is cut", () => {
    // All of it takes a quarter of an hour.
    expect(clip("y".repeat(1_000_000), 5)).toBe("yyyy…");
    expect(clip("👨‍👩‍👧‍👦".repeat(100_000), 5)).toBe("👨‍👩‍👧‍👦👨‍👩‍👧‍👦…");
    expect(clip(`e${"\u0301".repeat(100)}`, 2)).toBe("…");
  });
});

test.each([
  ["\u001b[31mred\u001b[0m and\ttabs", "red and tabs"],
  ["one\r\ntwo", "one two"],
  ["\u0007bell\u0000", "bell"],
  ["\u001b]0;title\u0007x", "x"],
])("%j is printed as %j: no control codes of an agent reach the terminal", (text, shown) => {
  expect(plain(text)).toBe(shown);
});

test("the first line that says something", () => {
  expect(firstLine("\n  \n  hello \nworld")).toBe("hello");
  expect(firstLine("")).toBe("");
});

test("counting", () => {
  expect([count(0, "turn"), count(1, "turn"), count(2, "turn")]).toEqual(["0 turns", "1 turn", "2 turns"]);
});
