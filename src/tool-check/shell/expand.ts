/**
 * What a word can come to: its values, as far as they are known before the command runs.
 *
 * E1. The result holds every value that the word can have, or says that it is not known; more values than it has do no harm.
 * E2. In a value, a backslash stands before each letter that was quoted and would mean something unquoted.
 */
import { Unreadable, type Word } from "./syntax.ts";

/** Values of variables; a name that is absent is not known. */
export type Variables = {
  readonly get: (name: string) => ReadonlySet<string> | undefined;
  /** Whether its values are patterns that have been written out, so that quotes do not make them anything else. */
  readonly isPattern: (name: string) => boolean;
};

/** Most values that one word may come to. */
const VALUES_MAX = 1000;
const SPECIAL = /[*?[\]{}~\\,]/g;

/** The values of a word in the form of E2, brace lists written out; undefined when they are not known. */
export function valuesOf(word: Word, variables: Variables): readonly string[] | undefined {
  let values = [""];
  for (const part of word.parts) {
    if (part.kind === "unknown") return undefined;
    let pieces: readonly string[];
    if (part.kind === "number") pieces = ["0"];
    else if (part.kind === "text") pieces = [part.quoted ? part.text.replaceAll(SPECIAL, "\\$&") : part.text];
    else {
      const known = variables.get(part.name);
      if (known === undefined && part.fallback === undefined) return undefined;
      const all = [...(known ?? []), ...(part.fallback === undefined ? [] : [part.fallback])];
      // Unquoted, a value falls apart at blanks: the whole and each of its words are values.
      const split = part.quoted ? all : all.flatMap((value) => [value, ...value.split(/\s+/)]);
      const isLiteral = part.quoted && !variables.isPattern(part.name);
      pieces = split.map((value) => value.replaceAll(isLiteral ? SPECIAL : /[{}~\\,]/g, "\\$&"));
    }
    // Behind a blank in an unquoted value a new word begins.
    const begun =
      part.kind === "variable" && pieces.some((piece) => /\s/.test(piece)) ? ["", ...values] : values;
    values = begun.flatMap((value) => pieces.map((piece) => value + piece));
    bound(values);
  }
  return [...new Set(values.flatMap((value) => braces(value)))];
}

function bound(values: readonly string[]): void {
  requireFew(values.length);
}

function requireFew(count: number): void {
  if (!(count <= VALUES_MAX)) throw new Unreadable(`has a word that comes to more than ${VALUES_MAX} values`);
}

/** Writes out the first brace list, then the rest: `a{b,c}` is `ab`, `ac`, `{1..3}` is `1`, `2`, `3`. */
export function braces(value: string): readonly string[] {
  const done: string[] = [];
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const list = innermost(next);
    if (list === undefined) done.push(next);
    else for (const item of list.items) open.push(list.before + item + list.after);
    bound([...done, ...open]);
  }
  return done;
}

/** The first list in braces that holds no other one. */
function innermost(value: string) {
  let start = -1;
  let commas: number[] = [];
  for (let at = 0; at < value.length; at++) {
    const char = value.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "{") [start, commas] = [at, []];
    else if (char === "," && start >= 0) commas.push(at);
    else if (char === "}" && start >= 0) {
      if (commas.length > 0) {
        const cuts = [start, ...commas, at];
        const items = cuts.slice(1).map((cut, index) => value.slice((cuts[index] ?? 0) + 1, cut));
        return { before: value.slice(0, start), items, after: value.slice(at + 1) };
      }
      const items = sequence(value.slice(start + 1, at));
      if (items !== undefined) return { before: value.slice(0, start), items, after: value.slice(at + 1) };
      start = -1;
    }
  }
  return undefined;
}

/** What `1..3` or `a..e`, in braces, comes to: every number or letter between, whatever the step. */
function sequence(inner: string): readonly string[] | undefined {
  const numbers = /^(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?$/.exec(inner);
  const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.-?\d+)?$/.exec(inner);
  const [, first = "", last = ""] = numbers ?? letters ?? [];
  if (first === "") return undefined;
  const ends = numbers === null ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  const from = Math.min(...ends);
  const count = Math.max(...ends) - from + 1;
  requireFew(count);
  const all = Array.from({ length: count }, (_, place) => from + place);
  if (numbers === null) return all.map((code) => String.fromCharCode(code).replaceAll(SPECIAL, "\\$&"));
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  return all.map(
    (one) => (one < 0 ? "-" : "") + String(Math.abs(one)).padStart(one < 0 ? width - 1 : width, "0"),
  );
}

/** Whether a value of E2 is a pattern for file names. */
export function isPattern(value: string): boolean {
  return /[*?[]/.test(value.replaceAll(/\\[^]/g, ""));
}

/** A value of E2 as the program gets it. */
export function unescaped(value: string): string {
  return value.replaceAll(/\\([^])/g, "$1");
}

/** A value with its home written out: `~`, `~/x`. Another's home (`~root`) is not known, so it stands as an absolute path. */
export function withHome(value: string, home: string | undefined): string {
  if (!value.startsWith("~")) return value;
  const [, name = "", rest = ""] = /^~([^/]*)([^]*)$/.exec(value) ?? [];
  if (name === "" && home !== undefined) return home.replaceAll(SPECIAL, "\\$&") + rest;
  return `/home/${name === "" ? "?" : name}${rest}`.replaceAll(SPECIAL, "\\$&");
}
