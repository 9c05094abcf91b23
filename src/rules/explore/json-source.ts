/**
 * JSON with places: the value of a text, and the line and column at which each part of it begins.
 *
 * E13. Accepts exactly JSON, but no key twice in one object and nothing nested deeper than {@link DEEPEST}. A mistake is reported
 *      at its first character, with a sentence.
 */

/** Deepest nesting of objects and arrays. No file of ours needs more than ten. */
const DEEPEST = 1_000;

/** A part of a JSON text: the keys and indices that lead to it. */
export type JsonPath = readonly (string | number)[];

/** A place in a text; both from 1. */
export type Place = { readonly line: number; readonly column: number };

/** Text that is not JSON, or not JSON that anybody means; the message is a sentence. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly place: Place;

  constructor(text: string, offset: number, sentence: string) {
    super(sentence);
    this.place = placeOf(text, offset);
  }
}

/** The value of a JSON text and where its parts stand. */
export type JsonSource = {
  readonly value: unknown;
  /** Where a part begins; a part that is absent begins where the nearest one around it does. */
  placeOf(path: JsonPath): Place;
};

/**
 * Parses JSON.
 * @throws JsonError
 */
export function parseJson(text: string): JsonSource {
  const places = new Map<string, number>();
  const reader = new Reader(text, places);
  const value = reader.whole();
  return {
    value,
    placeOf(path) {
      for (let length = path.length; length > 0; length--) {
        const offset = places.get(JSON.stringify(path.slice(0, length)));
        if (offset !== undefined) return placeOf(text, offset);
      }
      return placeOf(text, places.get("[]") ?? 0);
    },
  };
}

function placeOf(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

const BLANK = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y; // eslint-disable-line no-control-regex
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS = { true: true, false: false, null: null } as const;

class Reader {
  readonly #text: string;
  readonly #places: Map<string, number>;
  #offset = 0;

  constructor(text: string, places: Map<string, number>) {
    this.#text = text;
    this.#places = places;
    this.#blank();
  }

  /** The value of the whole text. */
  whole(): unknown {
    const value = this.#value([]);
    if (this.#offset < this.#text.length) this.#fail("the end of the file");
    return value;
  }

  #fail(expected: string): never {
    const rest = this.#text.slice(this.#offset, this.#offset + 12);
    const found = rest === "" ? "the end" : JSON.stringify(rest);
    throw new JsonError(this.#text, this.#offset, `not JSON: expected ${expected}, found ${found}`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#offset += found.length;
    return found;
  }

  #blank(): void {
    this.#match(BLANK);
  }

  #takes(symbol: string): boolean {
    if (!this.#text.startsWith(symbol, this.#offset)) return false;
    this.#offset += symbol.length;
    this.#blank();
    return true;
  }

  #value(path: JsonPath): unknown {
    this.#places.set(JSON.stringify(path), this.#offset);
    if (path.length >= DEEPEST && /[[{]/u.test(this.#text[this.#offset] ?? "")) {
      const deep = `more than ${DEEPEST} objects and arrays lie inside one another here, and no scenario needs that`;
      throw new JsonError(this.#text, this.#offset, deep);
    }
    if (this.#takes("{")) return this.#object(path);
    if (this.#takes("[")) return this.#array(path);
    if (this.#text.startsWith('"', this.#offset)) return this.#string("a string");
    for (const [word, value] of Object.entries(WORDS)) if (this.#takes(word)) return value;
    const number = this.#match(NUMBER);
    if (number === undefined) this.#fail("a JSON value");
    this.#blank();
    return Number(number);
  }

  #string(what: string): string {
    const literal = this.#match(STRING);
    if (literal === undefined) this.#fail(`${what} in double quotes, on one line, with valid escapes`);
    this.#blank();
    return String(JSON.parse(literal));
  }

  #object(path: JsonPath): unknown {
    const entries = new Map<string, unknown>();
    if (this.#takes("}")) return {};
    do {
      const start = this.#offset;
      const key = this.#string("a key");
      if (entries.has(key)) {
        throw new JsonError(
          this.#text,
          start,
          `the key ${JSON.stringify(key)} is given twice; keep one of them`,
        );
      }
      if (!this.#takes(":")) this.#fail('":"');
      entries.set(key, this.#value([...path, key]));
    } while (this.#takes(","));
    if (!this.#takes("}")) this.#fail('"," or "}"');
    return Object.fromEntries(entries);
  }

  #array(path: JsonPath): unknown {
    const items: unknown[] = [];
    if (this.#takes("]")) return items;
    do items.push(this.#value([...path, items.length]));
    while (this.#takes(","));
    if (!this.#takes("]")) this.#fail('"," or "]"');
    return items;
  }
}
