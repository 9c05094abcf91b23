import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  EMPTY_HEAD,
  type LogRow,
  rowOf,
  seal,
  sealRound,
  verifyChain,
  verifyRows,
} from "../../src/persistence/chain.ts";
import { decodeRow, encodeRow } from "../../src/persistence/codec.ts";
import { log } from "./arbitrary.ts";
import { note } from "./contract.ts";

const at = "2026-01-01T00:00:00.000Z";
const sealed = [
  ...sealRound("demo", EMPTY_HEAD, at, [note("a"), note("b")]),
  ...sealRound("demo", sealRound("demo", EMPTY_HEAD, at, [note("a"), note("b")])[1]!.row, at, [note("c")]),
];
const rows = sealed.map(({ row }) => row);
const entries = sealed.map(({ entry }) => entry);

test("hashed are the bytes that docs/log.md says", () => {
  const zeros = "0".repeat(64);
  const bytes = `["${zeros}","demo",1,1,"${at}","note",{"level":"info","text":"π","thread":null}]`;
  const entry = seal(note("π"), { job: "demo", seq: 1, round: 1, at, prev: zeros });
  expect(entry.hash).toBe(createHash("sha256").update(bytes, "utf8").digest("hex"));
});

test("a whole chain ends at its head", () => {
  expect(verifyRows([])).toEqual({ whole: true, head: EMPTY_HEAD });
  const { seq, round, hash } = rows[2]!;
  expect(verifyRows(rows)).toEqual({ whole: true, head: { seq, round, hash } });
  expect(verifyChain(entries)).toEqual({ whole: true, head: { seq, round, hash } });
  expect(rows).toEqual(entries.map(rowOf));
});

test("a chain can be followed from a known head", () => {
  expect(verifyRows(rows.slice(1), rows[0])).toMatchObject({ whole: true, head: { seq: 3 } });
});

describe("the first entry that does not fit is named:", () => {
  const [a, b, c] = rows as [LogRow, LogRow, LogRow];
  const other = "f".repeat(64);
  test.each<[string, readonly LogRow[], number, RegExp]>([
    [
      "a body changed",
      [a, { ...b, body: '{"level":"info","text":"x","thread":null}' }, c],
      2,
      /its bytes give/,
    ],
    ["a kind changed", [a, b, { ...c, kind: "post" }], 3, /its bytes give/],
    ["a time changed", [{ ...a, at: "2026-01-01T00:00:00.001Z" }, b, c], 1, /its bytes give/],
    ["a hash changed", [a, { ...b, hash: other }, c], 2, /carries the hash f+/],
    ["a predecessor changed", [a, b, { ...c, prev: other }], 3, /names f+ as the hash before it/],
    ["one left out", [a, c], 3, /stands where entry 2 belongs/],
    ["the first left out", [b, c], 2, /stands where entry 1 belongs/],
    ["two swapped", [b, a, c], 2, /stands where entry 1 belongs/],
    ["one doubled", [a, a, b, c], 1, /stands where entry 2 belongs/],
    ["another job", [a, { ...b, job: "x" }, c], 2, /of job "x", not "demo"/],
    ["a round skipped", [a, b, { ...c, round: 3 }], 3, /of round 3, after round 1/],
    ["a round before the first", [{ ...a, round: 0 }, b, c], 1, /of round 0, after round 0/],
    [
      "a round of two times",
      [a, { ...b, at: "2026-01-02T00:00:00.000Z" }, c],
      2,
      /another time than its round/,
    ],
    ["sealed again, the next unchanged", [...resealed(), b, c], 2, /as the hash before it/],
  ])("%s", (_, changed, seq, problem) => {
    expect(verifyRows(changed)).toEqual({ whole: false, seq, problem: expect.stringMatching(problem) });
  });

  function resealed(): readonly LogRow[] {
    return sealRound("demo", EMPTY_HEAD, at, [note("forged")]).map(({ row }) => row);
  }
});

test("property: any changed byte of an exported log is noticed", () => {
  const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(log, change, (made, [place, difference]) => {
      const bytes = Buffer.from(made.map(({ row }) => `${encodeRow(row)}\n`).join(""));
      expect(check(bytes)).toBe("whole");
      const index = place % bytes.length;
      bytes[index] = bytes[index]! ^ difference;
      expect(check(bytes)).toBe("broken");
    }),
    { numRuns: 300 },
  );
});

function check(bytes: Buffer): "whole" | "broken" {
  const lines = bytes.toString("utf8").split("\n");
  if (lines.pop() !== "") return "broken";
  try {
    return verifyRows(lines.map((line, index) => decodeRow(line, index + 1))).whole ? "whole" : "broken";
  } catch {
    return "broken";
  }
}
