/**
 * How a command gives variables their values: assignments, `export` and its like, `read` and its like, `printf -v`.
 *
 * A1. A variable that may get a value in a way that is not followed is unknown from then on, or the command is {@link Unreadable}.
 * A2. A value that the shell would calculate with is looked at: an index in brackets can hold a command.
 */
import type { Use } from "../uses.ts";
import { unescaped, valuesOf, withHome } from "./expand.ts";
import type { Surroundings } from "./surroundings.ts";
import { plainText, Unreadable, type Word } from "./syntax.ts";
import { saidBy } from "./shell-calls.ts";
import { piecesOf, unknownWord } from "./words.ts";

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const INDEX = /\[[^]*(?:\$[({]|`)/;

type Assignment = { readonly name: string; readonly added: boolean; readonly value: Word };

/** Name and value of an assignment; undefined for any other word. */
export function assignmentOf(word: Word): Assignment | undefined {
  const [first, ...rest] = word.parts;
  if (first?.kind !== "text" || first.quoted) return undefined;
  if (/^[A-Za-z_][A-Za-z0-9_]*\[/.test(first.text) && word.source.includes("="))
    throw new Unreadable("assigns to an array");
  const head = ASSIGNMENT.exec(first.text);
  if (head === null) return undefined;
  const value = { ...word, parts: [{ ...first, text: first.text.slice(head[0].length) }, ...rest] };
  return { name: head[1] ?? "", added: head[2] === "+", value };
}

/** Carries an assignment out. `given`: to the environment of a program, which may open what it names. */
export function assign(word: Word, at: Surroundings, given: boolean): readonly Use[] {
  const assignment = assignmentOf(word);
  if (assignment === undefined) return [];
  const { name, added, value } = assignment;
  const values = valuesOf(value, at.variables)?.map((one) => unescaped(withHome(one, at.home)));
  const isPattern = value.parts.some((part) => part.kind === "variable" && at.variables.isPattern(part.name));
  give(name, added, values, at, isPattern);
  return given ? (values ?? []).flatMap((one) => piecesOf(one, "read", at.directories, at.home)) : [];
}

function give(
  name: string,
  added: boolean,
  values: readonly string[] | undefined,
  at: Surroundings,
  isPattern = false,
): void {
  requirePlain(values ?? []);
  const before = added ? at.variables.get(name) : undefined;
  const isKnown = values !== undefined && !(added && at.isUnknown(name));
  const whole = [...(before ?? [""])].flatMap((start) => (values ?? []).map((end) => start + end));
  at.assign(name, isKnown ? whole : undefined, isPattern);
}

/** Throws for a value that holds a command where the shell calculates (A2). */
export function requirePlain(values: readonly string[]): void {
  if (values.some((value) => INDEX.test(value)))
    throw new Unreadable("has a text in brackets that a shell may run");
}

/** Throws when an expression calculates with something that is not known to be a number (A2). */
export function requireNumbers(names: readonly string[], at: Surroundings): void {
  for (const name of names) {
    const values = [...(at.variables.get(name) ?? [])];
    if (at.isUnknown(name) || values.some((value) => !/^\s*[-+]?\d*\s*$/.test(value)))
      throw new Unreadable(`calculates with ${name}, which may be no number`);
  }
}

/** `export`, `declare` and the like: words are names, assignments, options. */
export function declared(words: readonly Word[], at: Surroundings): readonly Use[] {
  return words.flatMap((word) => {
    if (assignmentOf(word) !== undefined) return assign(word, at, false);
    const values = valuesOf(word, at.variables)?.map(unescaped);
    if (values === undefined) return [unknownWord(word)];
    for (const value of values) declare(value, at);
    return [];
  });
}

function declare(value: string, at: Surroundings): void {
  if (/^[-+][xrgpf]+$|^--$/.test(value) || NAME.test(value)) return;
  const head = ASSIGNMENT.exec(value);
  if (head === null) throw new Unreadable(`declares ${value}`);
  give(head[1] ?? "", head[2] === "+", [value.slice(head[0].length)], at);
}

/** `read`, `mapfile`, `getopts`: whatever they name has a value that only the shell knows. */
export function readInto(words: readonly Word[], at: Surroundings): readonly Use[] {
  return words.flatMap((word) => {
    const text = plainText(word);
    if (text === undefined) return [unknownWord(word)];
    if (/^-[a-z]*[Cc]/.test(text)) throw new Unreadable("has a callback");
    const name = /^-[a-zA-Z]*[ap](.+)$/.exec(text)?.[1] ?? text;
    if (NAME.test(name)) at.assign(name, undefined);
    return piecesOf(text.replaceAll("\\", "\\\\"), "read", at.directories, at.home);
  });
}

/** `printf -v NAME`, `wait -p NAME`, `test -v NAME`: the names, which have to be plain. */
export function namedByOption(words: readonly Word[], option: "-v" | "-p", at: Surroundings): void {
  const texts = words.map((word) => valuesOf(word, at.variables)?.map(unescaped));
  texts.forEach((values, place) => {
    const names = (values ?? []).flatMap((value) =>
      value === option ? (texts[place + 1] ?? ["?"]) : value.startsWith(option) ? [value.slice(2)] : [],
    );
    for (const name of names) {
      if (!NAME.test(name)) throw new Unreadable(`names a variable by ${name}`);
      at.assign(name, undefined);
    }
  });
}

/**
 * A test that calculates must be given numbers, for a shell calculates with the text of a variable; and `printf` a format that is known, for
 * it may be `-v`. Their words are looked at by others.
 */
export function calculated(program: string, words: readonly Word[], at: Surroundings): undefined {
  requirePlain(words.flatMap((word) => saidBy(word, at) ?? []));
  const [first] = words;
  if (program === "printf" && first !== undefined && saidBy(first, at) === undefined)
    throw new Unreadable("prints by a format that is known only when it runs");
  const isNumeric = words.some(({ source }) => /^-(?:eq|ne|lt|le|gt|ge|v)$/.test(source));
  if (program === "[[" && isNumeric && words.some((word) => saidBy(word, at) === undefined))
    throw new Unreadable("calculates in [[ ]] with what is known only when it runs: use [ ]");
  return undefined;
}
