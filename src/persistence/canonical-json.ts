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
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  invariant(isPlainObject(value), `canonical JSON of a ${typeof value} that is no plain object`);
  return canonicalObject(value);
}

/** Nothing but printable ASCII without `"` and `\`: such a string is its own JSON text, and the engine is not asked. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A string as JSON. Short plain ones, most names, ids and hashes, are worth the shortcut. */
export function quote(text: string): string {
  return text.length <= 64 && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function canonicalNumber(value: number): string {
  invariant(Number.isFinite(value), "canonical JSON of a number that is not finite");
  return String(value);
}

function canonicalObject(value: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${quote(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  let before = "";
  for (const key of keys) {
    if (key < before) return keys.sort();
    before = key;
  }
  return keys;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
