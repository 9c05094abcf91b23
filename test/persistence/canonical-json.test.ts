import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/persistence/canonical-json.ts";

const MANY = "qwertyuiopasdfghjklzxcvbnm";
const MANY_SORTED = `{${MANY.split("")
  .toSorted()
  .map((name) => `"${name}":0`)
  .join(",")}}`;
const ESCAPED = `["${"x".repeat(63)}\\"","${"x".repeat(64)}\\""]`;

describe("canonical JSON is RFC 8785", () => {
  test.each<[string, unknown, string]>([
    ["sorts members", { b: 1, a: [{ d: 1, c: 2 }] }, '{"a":[{"c":2,"d":1}],"b":1}'],
    ["sorts by code units", { "€": 1, "\r": 2, דּ: 3, "1": 4, "😀": 5, "10": 6, "9": 7, ö: 8 }, ORDERED()],
    [
      "prints numbers as ECMAScript",
      [1e21, 1e-7, -0, 0.1, 333333333.3333333],
      "[1e+21,1e-7,0,0.1,333333333.3333333]",
    ],
    [
      "escapes no more than it must",
      '€$\u000f\nA\'B"\\\\"/\u2028',
      '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u2028"',
    ],
    ["escapes a lone surrogate", "\udead", '"\\udead"'],
    ["sorts many members", Object.fromEntries(MANY.split("").map((name) => [name, 0])), MANY_SORTED],
    ["writes a name as it writes a text", { "\n": 0, '"': 1, é: 2 }, '{"\\n":0,"\\"":1,"é":2}'],
    ["leaves a short text as it is", "~ !#[]\u007f", '"~ !#[]\u007f"'],
    ["escapes in a text of any length", [`${"x".repeat(63)}"`, `${"x".repeat(64)}"`], ESCAPED],
    ["keeps literals", [null, true, false, "", {}, []], '[null,true,false,"",{},[]]'],
    ["leaves out what is undefined", { a: undefined, b: 1 }, '{"b":1}'],
    ["knows objects without prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ])("%s", (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  function ORDERED(): string {
    return '{"\\r":2,"1":4,"10":6,"9":7,"ö":8,"€":1,"😀":5,"דּ":3}';
  }

  test.each<[string, unknown]>([
    ["NaN", Number.NaN],
    ["infinity", { a: Infinity }],
    ["a Date", new Date(0)],
    ["a Map", [new Map()]],
    ["a function", { toJSON: () => 1 }],
    ["undefined in an array", [undefined]],
    ["a bigint", 1n],
  ])("%s is a bug", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(/bug in cfa: canonical JSON/);
  });
});

test("property: it says the same value, and says it once", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = canonicalJson(value);
      const again: unknown = JSON.parse(text);
      expect(again).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(again)).toBe(text);
    }),
  );
});
