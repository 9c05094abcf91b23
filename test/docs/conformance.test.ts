/** docs/conformance.md: what it names exists, every section of the seed is there, and no row is without an answer. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const page = read("docs/conformance.md");
const [promises = "", deviations = ""] = page.split("## Deliberate deviations");

/** The rows of the tables in a part of the page, without their heads. */
function rowsOf(part: string): string[][] {
  const lines = part
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:promise|what cfa does) /u.test(line));
  return lines
    .map((line) =>
      line
        .split(/(?<!\\)\|/u)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ) // prettier-ignore
    .filter(([first = ""]) => !/^-+$/u.test(first));
}

const rows = rowsOf(promises).map(([promise = "", source = "", shown = ""]) => ({ promise, source, shown }));

describe("every promise is shown by tests that exist, or says what is missing", () => {
  test.each(rows.map((row) => [row.source, row.promise, row] as const))(
    "%s: %s",
    (_source, _promise, { shown }) => {
      for (const one of shown.split("<br>")) {
        if (/^_no test_: ./u.test(one)) continue;
        const [, file = "", title = ""] = /^`(test\/[^`]+\.test\.ts)`: “(.+)”$/u.exec(one) ?? [];
        expect([one, existsSync(new URL(file, root))]).toEqual([one, file !== ""]);
        expect(read(file)).toContain(title);
      }
    },
  );
});

test("every section from 2 to 12 has promises, and each stands in its own", () => {
  const [calculus = ""] = promises.split("## The status file");
  const parts = calculus.split(/^## §/mu).slice(1);
  const numbers = parts.map((part) => Number.parseInt(part, 10));
  expect(numbers).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  for (const [at, part] of parts.entries()) {
    const found = rowsOf(part).map(([, source]) => source);
    expect(new Set(found)).toEqual(new Set([`CfA §${numbers[at] ?? 0}`]));
  }
});

test("no promise stands twice in a section", () => {
  const keys = rows.map(({ source, promise }) => `${source} ${promise}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test("every deviation says what, from which section, and why", () => {
  const found = rowsOf(deviations);
  expect(found.length).toBeGreaterThanOrEqual(20);
  for (const [what = "", source = "", why = ""] of found) {
    expect([
      what,
      what !== "" && why !== "" && /^(?:CfA §\d+(?:, \d+)*|Files §[A-Z][A-Za-z ]+)$/u.test(source),
    ]).toEqual([what, true]);
  }
});
