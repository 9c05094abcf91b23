/** docs/glossary.md: one line a term, in order, each once; what it refers to exists. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../docs/glossary.md", import.meta.url), "utf8");
const entries = page.split("\n").filter((line) => line.startsWith("- "));
const terms = entries.map((line) => /^- \*\*([^*]+)\*\*: ./u.exec(line)?.[1] ?? `no term in: ${line}`);

test("every entry is one line with one term", () => {
  const [, ...rest] = page.split("\n- ");
  expect(rest.map((entry) => entry.trimEnd().includes("\n"))).toEqual(rest.map(() => false));
  expect(terms.filter((term) => term.startsWith("no term"))).toEqual([]);
});

test("the terms are in alphabetical order, each once", () => {
  const letters = (term: string) => term.toLowerCase().replace(/[^a-z]/gu, "");
  const sorted = [...new Set(terms)].sort((one, other) => (letters(one) < letters(other) ? -1 : 1));
  expect(terms).toEqual(sorted);
});

test("what an entry refers to by See is a term", () => {
  const referred = entries.flatMap((line) =>
    [...line.matchAll(/[Ss]ee ([a-z ]+?)[.)]/gu)].map(([, term]) => term),
  );
  expect(referred.length).toBeGreaterThan(0);
  expect(referred.filter((term) => term !== undefined && !terms.includes(term))).toEqual([]);
});
