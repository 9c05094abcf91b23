/**
 * Calls of a shell or an interpreter inside a command: where it has its commands from.
 *
 * H1. The command behind `-c` is read as one, whichever way option and shell are written; so is a here-document.
 * H2. A shell that has its commands from anywhere else but a file that is named (a pipe, /dev/stdin, `<(…)`) is not followed.
 */
import type { Use } from "../uses.ts";
import { unescaped, valuesOf } from "./expand.ts";
import { CODE, INTERPRETERS, RUNNERS, SHELLS, WRAPPERS } from "./programs.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Step, Unreadable, type Word } from "./syntax.ts";
import { piecesOf, unknownWord } from "./words.ts";

type Simple = Extract<Step, { kind: "simple" }>;

/** Reads a text, which is the value of these words, as a command. */
export type Evaluate = (words: readonly Word[]) => readonly Use[];

/** Options of a shell whose word is the next one. */
const WITH_WORD = /^(?:-[a-zA-Z]*o|--rcfile|--init-file)$/;
const ELSEWHERE = /^\/(?:dev\/(?:stdin|fd\/|tty)|proc\/)/;

/** The values of a word as the program gets them; undefined when they are not known. */
export function saidBy(word: Word, at: Surroundings): readonly string[] | undefined {
  return valuesOf(word, at.variables)?.map(unescaped);
}

function mayBe(names: { has(name: string): boolean }, word: Word, at: Surroundings): boolean {
  return (saidBy(word, at) ?? []).some((value) => names.has(value.slice(value.lastIndexOf("/") + 1)));
}

/** The uses of the shells that a simple command calls, `words` being its program and what stands behind it (H1, H2). */
export function shellCalls(
  { words, redirects }: Simple,
  at: Surroundings,
  evaluate: Evaluate,
): readonly Use[] {
  const [first] = words;
  if (first === undefined) return [];
  if (
    mayBe(ENV, first, at) &&
    words.some((word) => saidBy(word, at)?.some((value) => SPLIT.test(value)) === true)
  )
    throw new Unreadable("has env make words of a text");
  const isWrapped = mayBe(WRAPPERS, first, at);
  const fed = redirects.flatMap(({ kind, target }) => (kind === "text" ? [target] : []));
  return words.flatMap((word, index) => {
    const isShell = mayBe(SHELLS, word, at);
    if (!isShell && !mayBe(RUNNERS, word, at)) return [];
    const isProgram = isShell && (index === 0 || isWrapped);
    return callOf(words.slice(index + 1), { at, evaluate, fed, isProgram });
  });
}

const ENV: ReadonlySet<string> = new Set(["env"]);
const SPLIT = /^-[a-zA-Z0]*S|^--split-string/;

type Call = {
  readonly at: Surroundings;
  readonly evaluate: Evaluate;
  /** Texts of here-documents. */
  readonly fed: readonly Word[];
  /** It is run for certain; otherwise a word that is called like a shell may be anything. */
  readonly isProgram: boolean;
};

function callOf(words: readonly Word[], { at, evaluate, fed, isProgram }: Call): readonly Use[] {
  const left = [...words];
  let [isCommand, isAsked, fromInput] = [false, false, false];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const values = saidBy(word, at);
    const [value] = values ?? [];
    if (value === undefined || values?.length !== 1) {
      if (isProgram || isCommand) return [unknownWord(word)];
      continue;
    }
    if (/^[-+]./.test(value) || value === "-") {
      isAsked ||= /^--(?:version|help)$/.test(value);
      if (isProgram && /^[-+][a-zA-Z]*O/.test(value)) throw new Unreadable("sets an option of a shell");
      isCommand ||= /^-[a-zA-Z]*c/.test(value);
      fromInput ||= /^-[a-zA-Z]*s/.test(value);
      if (WITH_WORD.test(value)) left.shift();
      continue;
    }
    if (isCommand) return evaluate([word]);
    if (!isProgram) continue;
    if (ELSEWHERE.test(value) || word.scripts.length > 0) throw new Unreadable(NOT_FOLLOWED);
    return fromInput ? fed.flatMap((text) => evaluate([text])) : [];
  }
  if (!isProgram || isCommand) return [];
  if (fed.length > 0) return fed.flatMap((text) => evaluate([text]));
  if (!isAsked) throw new Unreadable(NOT_FOLLOWED);
  return [];
}

const NOT_FOLLOWED = "has a shell read its commands from somewhere else than a file";

/** `source` and `.`: a file, and not what comes through a pipe (H2). */
export function requireFile(words: readonly Word[], at: Surroundings): void {
  for (const word of words)
    if (word.scripts.length > 0 || (saidBy(word, at) ?? []).some((value) => ELSEWHERE.test(value)))
      throw new Unreadable(NOT_FOLLOWED);
}

/** Options with which an interpreter still reads its code from its input. */
const BARE = /^-[uiBEs]?$/;

/** What a here-document feeds to an interpreter, or to `xargs`, which makes words of it. */
export function interpreted({ redirects, words }: Simple, at: Surroundings): readonly Use[] {
  const reading = words.findIndex((word) => mayBe(INTERPRETERS, word, at));
  const [first] = words;
  const word = words[reading];
  if (first === undefined || word === undefined) return [];
  const isProgram = (reading === 0 || mayBe(WRAPPERS, first, at)) && mayBe(CODE, word, at);
  const isFed = redirects.some(({ kind }) => kind === "text" || kind === "read");
  if (isProgram && !isFed && words.slice(reading + 1).every(({ source }) => BARE.test(source)))
    throw new Unreadable("has an interpreter read its code from somewhere else than a file");
  return redirects.flatMap(({ kind, target }) => {
    if (kind !== "text") return [];
    const values = valuesOf(target, at.variables);
    return values === undefined
      ? [unknownWord(target)]
      : values.flatMap((one) => piecesOf(one, "read", at.directories, at.home));
  });
}
