/** The files that the words of one program name, by what is known of the program (programs.ts). */
import type { Access } from "../tools.ts";
import { pathUse, type Use } from "../uses.ts";
import { unescaped, valuesOf } from "./expand.ts";
import { COPIERS, PATTERNED, SPEAKERS, TEXT_OPTIONS, WRITERS } from "./programs.ts";
import type { Surroundings } from "./surroundings.ts";
import { plainText, type Word } from "./syntax.ts";
import { piecesOf, unknownWord, wholeWord } from "./words.ts";

/** How one word is taken. */
type Role = "file" | "text" | "message";

/** Options whose word is written to, in whatever program. */
const OUTPUT_OPTIONS = new Set([
  "-o",
  "--output",
  "-O",
  "--output-document",
  "--outfile",
  "-t",
  "--target-directory",
]);

/** The same, with the word glued to it. */
const GLUED_OUTPUT =
  /^(?:--(?:output|output-document|outfile|target-directory|directory-prefix)=|-[oOt][~/.])/;

/** Where a program unpacks to: the option and its word. */
const PLACES: ReadonlyMap<string, RegExp> = new Map([
  ["tar", /^(?:-C|--directory) |^\S* (?:-C|--directory=)/],
  ["unzip", /^-d |^\S* -d/],
  ["wget", /^-P |^\S* -P/],
]);

/** The uses of the words of a program, of which the first is its name. Those in `read` have been read as commands (shell-calls.ts). */
export function usesOfWords(
  words: readonly Word[],
  at: Surroundings,
  read: ReadonlySet<Word>,
): readonly Use[] {
  const [first, ...rest] = words;
  const called = first === undefined ? "" : (plainText(first) ?? "");
  const program = called.slice(called.lastIndexOf("/") + 1);
  const roles = rolesOf(program, rest, read);
  const uses = rest.flatMap((word, index) => {
    const access = accessOf(program, rest, index);
    const isOperand = rest.slice(0, index).some(({ source }) => source === "--");
    return usesOfWord(word, roles[index] ?? "file", access, at, isOperand);
  });
  return program === "ln" ? [...uses, ...linked(rest, at)] : uses;
}

function usesOfWord(
  word: Word,
  role: Role,
  access: Access,
  at: Surroundings,
  isOperand: boolean,
): readonly Use[] {
  const values = valuesOf(word, at.variables);
  if (values === undefined) return role === "file" ? [unknownWord(word)] : [];
  if (role === "message") return [];
  return values.flatMap((value) => {
    if (value === "") return [];
    const pieces = piecesOf(value, access, at.directories, at.home);
    const isFile = role === "file" && (isOperand || !value.startsWith("-"));
    return isFile ? [...pieces, wholeWord(value, access, at.directories, at.home, word.source)] : pieces;
  });
}

function rolesOf(program: string, words: readonly Word[], read: ReadonlySet<Word>): readonly Role[] {
  const options = TEXT_OPTIONS.get(program);
  const brings = words.some(
    ({ source }) => options?.has(source) === true || source === "-f" || source.startsWith("--file"),
  );
  let patternOpen = PATTERNED.has(program) && !brings;
  return words.map((word, index) => {
    if (SPEAKERS.has(program)) return "text";
    if (options?.has(words[index - 1]?.source ?? "") === true)
      return isMessage(program, words, index) ? "message" : "text";
    if (read.has(word)) return "message";
    if (!patternOpen || word.source.startsWith("-")) return "file";
    patternOpen = false;
    return "text";
  });
}

/** Whether the word of an option is text that no program opens: a commit message. */
function isMessage(program: string, words: readonly Word[], index: number): boolean {
  if (program === "gh") return true;
  const isNew = words.some(({ source }) => /^(?:commit|merge|tag|notes|stash)$/.test(source));
  return program === "git" && isNew && /^(?:-m|--message)$/.test(words[index - 1]?.source ?? "");
}

function accessOf(program: string, words: readonly Word[], index: number): Access {
  const previous = words[index - 1]?.source ?? "";
  const inPlace =
    (program === "sed" || program === "perl") &&
    words.some(({ source }) => /^-[A-Za-z]*i|^--in-place/.test(source));
  const isOutput = OUTPUT_OPTIONS.has(previous) || GLUED_OUTPUT.test(words[index]?.source ?? "");
  const isUnpacked = PLACES.get(program)?.test(`${previous} ${words[index]?.source ?? ""}`) === true;
  if (WRITERS.has(program) || inPlace || isOutput || isUnpacked) return "write";
  if (!COPIERS.has(program)) return "read";
  const operands = words.flatMap(({ source }, place) => (source.startsWith("-") ? [] : [place]));
  return index === operands.at(-1) ? "write" : "read";
}

/** A relative link leads from where it lies, not from where it is made. */
function linked(words: readonly Word[], at: Surroundings): readonly Use[] {
  const operands = words
    .filter(({ source }) => !source.startsWith("-"))
    .map((word) => valuesOf(word, at.variables) ?? []);
  const places = (operands.at(-1) ?? []).map(unescaped);
  const targets = operands.slice(0, -1).flat().map(unescaped);
  const from = places.flatMap((place) =>
    at.directories.flatMap((directory) => {
      const path = place.startsWith("/") ? place : `${directory}/${place}`;
      return [path, path.slice(0, Math.max(path.replace(/\/+$/, "").lastIndexOf("/"), 1))];
    }),
  );
  return targets.map((target) =>
    pathUse(target, "read", [...new Set(from)], { doubtful: !target.includes("..") }),
  );
}
