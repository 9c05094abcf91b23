import { describe, expect, it } from "vitest";
import { DURATION_MAX, formatDuration, parseDuration } from "../../src/job/duration.ts";
import { suggest } from "../../src/job/suggest.ts";

describe("a duration", () => {
  it.each([
    ["500ms", 500],
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["24d", DURATION_MAX],
  ])("%s is %d ms", (text, millis) => {
    expect(parseDuration(text)).toBe(millis);
  });

  it.each([
    "",
    "30",
    "m",
    "0s",
    "-1s",
    "1.5h",
    "1h30m",
    " 1s",
    "1 s",
    "1S",
    "1w",
    "25d",
    "9999999999999999999h",
    "1e3s",
  ])("%j is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [500, "500ms"],
    [90_000, "90s"],
    [1_800_000, "30m"],
    [86_400_000, "1d"],
    [86_401_000, "86401s"],
    [0, "0ms"],
  ])("of %d ms is written %s", (millis, text) => {
    expect(formatDuration(millis)).toBe(text);
  });
});

describe("did you mean", () => {
  it.each([
    ["rooster", ["run", "roster"], "roster"],
    ["teh", ["the", "then"], "the"],
    ["plan", ["INTENT", "PLAN"], "PLAN"],
    ["when-unsure", ["never", "when_unsure", "always"], "when_unsure"],
    ["fanout", ["fan_out", "timeout"], "fan_out"],
    ["", ["a", "long"], "a"],
    ["zebra", ["agents", "budget"], undefined],
    ["x".repeat(100_000), ["name"], undefined],
    ["word", [], undefined],
  ])("%.20s of %j is %s", (word, known, near) => {
    expect(suggest(word, known)).toBe(near);
  });
});
