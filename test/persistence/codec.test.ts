import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_HEAD, sealRound } from "../../src/persistence/chain.ts";
import { decodeLine, decodeRow, encodeEntry, encodeRow } from "../../src/persistence/codec.ts";
import { log } from "./arbitrary.ts";
import { note } from "./contract.ts";

const at = "2026-01-01T00:00:00.000Z";
const [made] = sealRound("demo", EMPTY_HEAD, at, [note("π")]);
const { entry, row } = made!;
const line =
  `{"job":"demo","seq":1,"round":1,"at":"${at}","kind":"note",` +
  `"body":{"level":"info","text":"π","thread":null},"prev":"${"0".repeat(64)}","hash":"${entry.hash}"}`;

test("an entry is one line, its members in a fixed order", () => {
  expect(encodeEntry(entry)).toBe(line);
  expect(encodeRow(row)).toBe(line);
  expect(decodeRow(line, 1)).toEqual(row);
  expect(decodeLine(line, 1)).toEqual(entry);
});

test("property: every log comes back from its lines", () => {
  fc.assert(
    fc.property(log, (sealed) => {
      for (const { entry, row } of sealed) {
        expect(encodeEntry(entry)).toBe(encodeRow(row));
        expect(encodeEntry(decodeLine(encodeEntry(entry), 1))).toBe(encodeEntry(entry));
      }
    }),
  );
});

describe("a line that is no entry is refused with its number, what is wrong, and what to do:", () => {
  test.each([
    [
      "empty",
      "",
      "line 7: empty; the log was edited, damaged or cut: restore it from a copy or export it again",
    ],
    ["cut", line.slice(0, 80), "line 7: not a JSON object, or cut short"],
    ["an array", "[]", "line 7: Invalid input: expected object, received array"],
    ["without body", line.replace(/"body":.*?},/, ""), "line 7: body: "],
    ["without hash", line.replace(/,"hash":".*"/, ""), "line 7: hash: "],
    ["a member too many", line.replace("{", '{"x":1,'), 'line 7: Unrecognized key: "x"'],
    ["number 0", line.replace('"seq":1', '"seq":0'), "line 7: seq: "],
    ["time without zone", line.replace("000Z", "000"), "line 7: at: "],
    [
      "a hash in capitals",
      line.replace(entry.hash, "A".repeat(64)),
      "line 7: hash: expected 64 lower-case hex",
    ],
    ["spaces", line.replace('"seq":1', '"seq": 1'), "line 7: written otherwise than cfa writes it"],
    ["another order", line.replace('"seq":1,"round":1', '"round":1,"seq":1'), "line 7: written otherwise"],
    ["a needless escape", line.replace("π", "\\u03c0"), "line 7: written otherwise"],
    ["a carriage return", `${line}\r`, "line 7: written otherwise"],
    [
      "an unknown kind",
      line.replace('"note"', '"rumour"'),
      'line 7: unknown entry kind "rumour": this log was',
    ],
    ["an unknown level", line.replace('"info"', '"loud"'), "line 7 (note): level: Invalid option"],
    ["a body of another kind", line.replace('"note"', '"park"'), "line 7 (park): parked: "],
  ])("%s", (_, text, sentence) => {
    expect(() => decodeLine(text, 7)).toThrow(sentence);
    expect(() => decodeLine(text, 7)).toThrow(expect.objectContaining({ name: "BusError", code: "corrupt" }));
  });
});
