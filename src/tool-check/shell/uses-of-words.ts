/** The files that the words of one program name, by what is known of the program (programs.ts). */
import type { Access } from "../tools.ts";
import { pathUse, type Use } from "../uses.ts";
import { unescaped, valuesOf } from "./expand.ts";
import { COPIERS, PATTERNED, SHELLS, SPEAKERS, TEXT_OPTIONS, WRITERS } from "./programs.ts";
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

/** The uses of the words of a program, of which the first is its name. */
export function usesOfWords(words: readonly Word[], at: Surroundings): readonly Use[] {
  const [first, ...rest] = words;
  const called = first === undefined ? "" : (plainText(first) ?? "");
  const program = called.slice(called.lastIndexOf("/") + 1);
  const roles = rolesOf(program, rest);
  const uses = rest.flatMap((word, index) => {
    const access = accessOf(program, rest, index);
    return usesOfWord(word, roles[index] ?? "file", access, at);
  });
  return program === "ln" ? [...uses, ...linked(rest, at)] : uses;
}

function usesOfWord(word: Word, role: Role, access: Access, at: Surroundings): readonly Use[] {
  const values = valuesOf(word, at.variables);
  if (values === undefined) return role === "file" ? [unknownWord(word)] : [];
  if (role === "message") return [];
  return values.flatMap((value) => {
    if (value === "") return [];
    const pieces = piecesOf(value, access, at.directories, at.home);
    const isFile = role === "file" && !value.startsWith("-");
    return isFile ? [...pieces, wholeWord(value, access, at.directories, at.home, word.source)] : pieces;
  });
}

function rolesOf(program: string, words: readonly Word[]): readonly Role[] {
  const options = TEXT_OPTIONS.get(program);
  const brings = words.some(
    ({ source }) => options?.has(source) === true || source === "-f" || source.startsWith("--file"),
  );
  let patternOpen = PATTERNED.has(program) && !brings;
  return words.map((word, index) => {
    if (SPEAKERS.has(program)) return "text";
    if (options?.has(words[index - 1]?.source ?? "") === true)
      return program === "git" || program === "gh" ? "message" : "text";
    // The command behind -c is read as one (uses-of-shell.ts).
    if (isCommandOfShell(words, index, program)) return "message";
    if (!patternOpen || word.source.startsWith("-")) return "file";
    patternOpen = false;
    return "text";
  });
}

function isCommandOfShell(words: readonly Word[], index: number, program: string): boolean {
  if (!/^-[a-zA-Z]*c[a-zA-Z]*$/.test(words[index - 1]?.source ?? "")) return false;
  const before = words.slice(0, index - 1).map((word) => plainText(word) ?? "");
  return [program, ...before].some((name) => SHELLS.has(name.slice(name.lastIndexOf("/") + 1)));
}

function accessOf(program: string, words: readonly Word[], index: number): Access {
  const previous = words[index - 1]?.source ?? "";
  const inPlace =
    (program === "sed" || program === "perl") &&
    words.some(({ source }) => /^-[a-z]*i|^--in-place/.test(source));
  if (WRITERS.has(program) || inPlace || OUTPUT_OPTIONS.has(previous)) return "write";
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
