/** The law: print∘parse is the identity. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseMolecule, parseSoup, plainMessage } from "../../src/soup/parse.ts";
import { printMolecule } from "../../src/soup/print.ts";
import { printConfiguration, soup } from "../../src/testing/soup.ts";
import { molecules, name } from "../soup/arbitraries.ts";
import { check, checkJobs } from "./check.ts";

test("print∘parse is the identity on molecules", () => {
  check(600, molecules(name), (molecule) => {
    const text = printMolecule(molecule);
    expect(printMolecule(parseMolecule(text))).toBe(text);
    expect(text).not.toMatch(/\n/u);
  });
});

test("print∘parse is the identity on soups, in order, whatever separates the molecules", () => {
  const separators = fc.constantFrom(" ‖ ", "‖", "\n", " ", "\n‖ ");
  check(300, fc.tuple(fc.array(molecules(name), { maxLength: 6 }), separators), ([all, separator]) => {
    const lines = all.map(printMolecule);
    expect(parseSoup(lines.join(separator)).map(printMolecule)).toEqual(lines);
  });
});

test("parse∘print is the identity on molecules with short bodies", () => {
  const short = fc.string({ unit: "binary", maxLength: 20 });
  check(300, fc.tuple(short, short, short), ([agent, thread, text]) => {
    const molecule = { kind: "Run", agent, thread, message: plainMessage(text), turn: 0 } as const;
    expect(parseMolecule(printMolecule(molecule))).toEqual(molecule);
  });
});

test("print∘parse is the identity on every reachable configuration, closed threads included", () => {
  checkJobs(300, (job, steps) => {
    job.run(steps);
    const text = printConfiguration(job.configuration);
    expect(printConfiguration(soup(text))).toBe(text);
  });
});
