/**
 * Canonical JSON: one text for one value, so that a hash over the text is a hash over the value.
 *
 * C1. The form is RFC 8785 (JSON Canonicalization Scheme): members sorted by UTF-16 code units, no spaces, numbers and
 *     strings as ECMAScript prints them. A lone surrogate, which RFC 8785 forbids, is written as its `\u` escape.
 * C2. What JSON cannot say (a number that is not finite, a Date, a function) is a bug of the caller, never `null`.
 */
import { invariant } from "../soup/invariant.ts";

/**
 * The canonical JSON text of a plain value (C1). Members that are `undefined` are left out, as in JSON.
 * @throws InvariantViolation when the value is not made of JSON's types (C2).
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return canonicalNumber(value);
  if (Array.isArray(value)) return canonicalArray(value);
  invariant(isPlainObject(value), `canonical JSON of a ${typeof value} that is no plain object`);
  return canonicalObject(value);
}

/** Longest string that {@link quote} looks through itself, in UTF-16 code units: most names, ids and hashes. */
const SHORT = 64;

/** A string as JSON. A short one of nothing but printable ASCII without `"` and `\` is its own text; the engine is not asked. */
export function quote(text: string): string {
  const { length } = text;
  if (length > SHORT) return JSON.stringify(text);
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return JSON.stringify(text);
  }
  return `"${text}"`;
}

function canonicalNumber(value: number): string {
  invariant(Number.isFinite(value), "canonical JSON of a number that is not finite");
  return String(value);
}

function canonicalArray(value: readonly unknown[]): string {
  let text = "";
  for (const member of value) text += `${text === "" ? "" : ","}${canonicalJson(member)}`;
  return `[${text}]`;
}

function canonicalObject(value: Readonly<Record<string, unknown>>): string {
  const keys = sortedKeys(value);
  let text = "";
  // By index: an iterator over so few takes as long as writing them.
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === "" ? "{" : ","}${named(key)}${canonicalJson(member)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** Most names that are remembered: those of the log's own fields are some hundred. */
const NAMES = 256;
const names = new Map<string, string>();

/** A member's name as JSON with its colon; the same few again and again. */
function named(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const text = `${quote(key)}:`;
  if (names.size < NAMES) names.set(key, text);
  return text;
}

/** Most members that are sorted here, by insertion: for a few names a call of `sort` takes five times as long. */
const FEW = 16;

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  if (keys.length > FEW) return keys.sort();
  for (let sorted = 1; sorted < keys.length; sorted++) {
    const key = keys[sorted]!;
    let place = sorted;
    for (; place > 0 && keys[place - 1]! > key; place--) keys[place] = keys[place - 1]!;
    keys[place] = key;
  }
  return keys;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
