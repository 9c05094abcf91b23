/**
 * What a shell command would use. Whatever cannot be followed is an `unclear` use, which is refused (docs/tool-check.md, "Shell commands").
 *
 * U1. Every word is looked at, those of substitutions and of the commands inside `sh -c` and `eval` too.
 * U2. What a program does beside what its words say is not seen here: that is the boundary's.
 */
import { usesOfPatch } from "../patch.ts";
import { pathUse, type Use } from "../uses.ts";
import {
  assign,
  assignmentOf,
  calculated,
  declared,
  namedByOption,
  readInto,
  requireNumbers,
  requirePlain,
} from "./assignments.ts";
import { isPattern, unescaped, valuesOf, withHome } from "./expand.ts";
import { BENDERS, DECLARERS, HARMLESS, INPUTS, WRAPPERS } from "./programs.ts";
import { changed, withFolders } from "./folders.ts";
import { readScript } from "./read-script.ts";
import { interpreted, requireFile, saidBy, shellCalls } from "./shell-calls.ts";
import { usesOfWords } from "./uses-of-words.ts";
import { shownWord, unknownWord, wholeWord } from "./words.ts";
import type { Surroundings } from "./surroundings.ts";
import { NO_WORD, plainText, type Script, type Step, Unreadable, type Word } from "./syntax.ts";

type Simple = Extract<Step, { kind: "simple" }>;

/** The uses of a command that begins in these surroundings. */
export function usesOfShell(command: string, surroundings: Surroundings, depth = 0): readonly Use[] {
  try {
    return usesOfWhole(readScript(command, depth), surroundings, depth);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return [
      {
        kind: "unclear",
        sentence: `the command ${error.message}: write it as plain commands, one after the other`,
      },
    ];
  }
}

/** Most words that one program may be given. */
const WORDS_MAX = 5000;
/** Most times that a loop is read. */
const ROUNDS_MAX = 6;
/** Deepest substitution with a loop: each one is read again with every round of those around it. */
const LOOP_DEPTH_MAX = 3;

/** The uses of a script; one with a loop is read again until nothing new can become of it (surroundings.ts, S3). */
function usesOfWhole(script: Script, at: Surroundings, depth: number): readonly Use[] {
  let uses = usesOfScript(script, at, depth);
  if (!script.some(({ kind }) => kind === "loop")) return uses;
  if (depth > LOOP_DEPTH_MAX) throw new Unreadable(`has a loop inside of ${LOOP_DEPTH_MAX} substitutions`);
  for (let round = 1; ; round++) {
    if (round > ROUNDS_MAX) throw new Unreadable("changes something each time around a loop");
    const before = at.size;
    at.again();
    uses = [...uses, ...usesOfScript(script, at, depth)];
    if (at.size === before) return uses;
  }
}

function usesOfScript(script: Script, at: Surroundings, depth: number): readonly Use[] {
  return script.flatMap((step) => {
    switch (step.kind) {
      case "join":
        at.join(step.operator);
        return [];
      case "enter":
        at.enter();
        return [];
      case "leave":
        at.leave();
        return [];
      case "loop":
        return [];
      case "number":
        requireNumbers(step.names, at);
        return [];
      case "for":
        return usesOfFor(step, at, depth);
      case "simple":
        return usesOfSimple(step, at, depth);
    }
  });
}

function usesOfFor(step: Extract<Step, { kind: "for" }>, at: Surroundings, depth: number): readonly Use[] {
  const nested = step.words.flatMap((word) => inside(word, at, depth));
  const values = step.words.map((word) => ({ word, values: valuesOf(word, at.variables) }));
  const known = values.flatMap(({ values }) => values ?? []);
  const complete = values.every(({ values }) => values !== undefined);
  const given = known.map((value) => unescaped(withHome(value, at.home)));
  requirePlain(given);
  at.assign(step.name, complete ? given : undefined, known.some(isPattern));
  const files = values.flatMap(({ word, values = [] }) =>
    values.map((value) => wholeWord(value, "read", at.directories, at.home, word.source)),
  );
  return [...nested, ...files];
}

/** The uses of the substitutions in a word (U1). */
function inside(word: Word, at: Surroundings, depth: number): readonly Use[] {
  for (const part of word.parts) if (part.kind === "number") requireNumbers(part.names, at);
  return word.scripts.flatMap((script) => usesOfWhole(script, at.inner(), depth + 1));
}

function usesOfSimple(step: Simple, at: Surroundings, depth: number): readonly Use[] {
  const { redirects } = step;
  const nested = [...step.words, ...redirects.map(({ target }) => target)].flatMap((word) =>
    inside(word, at, depth),
  );
  const assignments = step.words.findIndex((word) => assignmentOf(word) === undefined);
  const count = assignments < 0 ? step.words.length : assignments;
  if (step.words.length > WORDS_MAX) throw new Unreadable(`has a program with more than ${WORDS_MAX} words`);
  const given = step.words.slice(0, count).map((word) => assign(word, at, count < step.words.length));
  const files = redirects.map(({ kind, target }) => (kind === "text" ? [] : redirected(target, kind, at)));
  const words = step.words.slice(count);
  const called = words.length > 0 ? usesOfProgram({ ...step, words }, at, depth) : [];
  return [...nested, ...given.flat(), ...files.flat(), ...called];
}

function redirected(target: Word, access: "read" | "write", at: Surroundings): readonly Use[] {
  const values = valuesOf(target, at.variables);
  if (values === undefined) return [unknownWord(target)];
  return values.map((value) =>
    /^\\?\/dev\\?\/(?:tcp|udp)\//.test(value)
      ? { kind: "network", what: unescaped(value) }
      : wholeWord(value, access, at.directories, at.home, target.source),
  );
}

function usesOfProgram(step: Simple, at: Surroundings, depth: number): readonly Use[] {
  const [first, ...rest] = step.words;
  const names = first === undefined ? [] : valuesOf(first, at.variables);
  if (first === undefined) return [];
  if (names === undefined || names.length !== 1)
    return [
      {
        kind: "unclear",
        sentence: `the program ${shownWord(first.source)} is known only when the command runs: name it`,
      },
    ];
  const name = unescaped(withHome(names[0] ?? "", at.home));
  const called: Use[] = [{ kind: "command", name }];
  if (name.includes("/")) called.push(pathUse(name, "read", at.directories));
  const program = name.slice(name.lastIndexOf("/") + 1);
  // What has a slash in its name is a file, whatever it is called.
  const builtin = name.includes("/") ? undefined : usesOfBuiltin(name, { ...step, words: rest }, at, depth);
  return [...called, ...(builtin ?? usesOfCall(program, step, at, depth))];
}

/** The uses of what is no program but part of the shell; `words` stand behind its name. Undefined for anything else. */
function usesOfBuiltin(
  program: string,
  step: Simple,
  at: Surroundings,
  depth: number,
): readonly Use[] | undefined {
  const { words } = step;
  if (BENDERS.has(program)) throw new Unreadable(`uses ${program}, which is not followed`);
  if (DECLARERS.has(program)) return declared(words, at);
  if (INPUTS.has(program)) return readInto(words, at);
  switch (program) {
    case "cd":
    case "pushd":
      return changed(words, step.negated, at);
    case "popd":
      at.back();
      return undefined;
    case "eval":
      return evaluated(words, at, depth);
    case "trap":
      return trapped(words, at, depth);
    case "shopt":
      if (words.some((word) => !HARMLESS.has(plainText(word) ?? "")))
        throw new Unreadable("sets an option of a shell");
      return [];
    case "source":
    case ".":
      requireFile(words, at);
      return undefined;
    case "apply_patch":
    case "applypatch":
      return patched(step, at);
    case "command":
    case "builtin":
    case "exec":
      return wrapped(step, at, depth);
    case "printf":
    case "test":
    case "[":
    case "[[":
      namedByOption(words, "-v", at);
      return calculated(program, words, at);
    case "wait":
      namedByOption(words, "-p", at);
      return undefined;
    case "unset":
      requirePlain(words.flatMap((word) => saidBy(word, at) ?? []));
      return undefined;
    default:
      return undefined;
  }
}

/** `command`, `builtin`, `exec`: what stands behind their options is the command. */
function wrapped(step: Simple, at: Surroundings, depth: number): readonly Use[] {
  const start = step.words.findIndex((word) => plainText(word)?.startsWith("-") !== true);
  const options = step.words.slice(0, Math.max(start, 0)).map((word) => plainText(word) ?? "");
  if (start < 0 || options.some((option) => /^-[a-zA-Z]*[vV]/.test(option))) return [];
  const own = options.some((option) => /^-[a-zA-Z]*a/.test(option)) ? start + 1 : start;
  const words = step.words.slice(own);
  return words.length === 0 ? [] : usesOfProgram({ ...step, words, redirects: step.redirects }, at, depth);
}

/** `trap COMMAND SIGNAL`, behind its options. */
function trapped(words: readonly Word[], at: Surroundings, depth: number): readonly Use[] {
  const start = words.findIndex((word) => plainText(word)?.startsWith("-") !== true);
  return start < 0 ? [] : evaluated(words.slice(start, start + 1), at, depth);
}

/** The uses of a program's words; behind a wrapper, those of the program that it runs. */
function usesOfCall(program: string, step: Simple, outer: Surroundings, depth: number): readonly Use[] {
  const { words } = step;
  if (words.some(({ source }) => /^-(?:exec|ok)dir$/.test(source)))
    throw new Unreadable("runs something in each folder that it finds");
  const at = withFolders(words, outer);
  const read = new Set<Word>();
  const evaluate = (texts: readonly Word[]) => {
    for (const text of texts) read.add(text);
    return evaluated(texts, at.inner(), depth);
  };
  const commands = [...shellCalls(step, at, evaluate), ...interpreted(step, at)];
  const index = WRAPPERS.has(program)
    ? words.findIndex((word, place) => place > 0 && !/^[-0-9]|=/.test(word.source))
    : -1;
  const inner = words[index];
  if (inner === undefined) return [...commands, ...usesOfWords(words, at, read)];
  const name = plainText(inner) ?? inner.source;
  return [
    ...commands,
    { kind: "command", name },
    ...usesOfWords(words.slice(0, index + 1), at, read),
    ...usesOfWords(words.slice(index), at, read),
  ];
}

function evaluated(words: readonly Word[], at: Surroundings, depth: number): readonly Use[] {
  const texts = words.map((word) => valuesOf(word, at.variables));
  if (texts.some((values) => values?.length !== 1))
    return words.length === 0 ? [] : [unknownWord(words[0] ?? NO_WORD)];
  return usesOfShell(texts.map((values) => unescaped(values?.[0] ?? "")).join(" "), at, depth + 1);
}

function patched({ words, redirects }: Simple, at: Surroundings): readonly Use[] {
  const texts = [
    ...words.slice(1),
    ...redirects.filter(({ kind }) => kind === "text").map(({ target }) => target),
  ];
  const values = texts.map((word) => valuesOf(word, at.variables));
  if (values.includes(undefined))
    return [{ kind: "unclear", sentence: "the patch is known only when the command runs: write it out" }];
  return usesOfPatch(
    values
      .flat()
      .map((value) => unescaped(value ?? ""))
      .join("\n"),
    at.directories,
  );
}
