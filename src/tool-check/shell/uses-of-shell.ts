/**
 * What a shell command would use. Whatever cannot be followed is an `unclear` use, which is refused (docs/tool-check.md, "Shell commands").
 *
 * U1. Every word is looked at, those of substitutions and of the commands inside `sh -c` and `eval` too.
 * U2. What a program does beside what its words say is not seen here: that is the boundary's.
 */
import { usesOfPatch } from "../patch.ts";
import { pathUse, type Use } from "../uses.ts";
import { isPattern, unescaped, valuesOf, withHome } from "./expand.ts";
import { DECLARERS, INPUTS, SHELLS, WRAPPERS } from "./programs.ts";
import { readScript } from "./read-script.ts";
import { usesOfWords } from "./uses-of-words.ts";
import { piecesOf, unknownWord, wholeWord } from "./words.ts";
import type { Surroundings } from "./surroundings.ts";
import { plainText, type Script, type Step, Unreadable, type Word } from "./syntax.ts";

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;
/** Variables that change how the shell reads words, finds directories or starts. */
const STEERING = new Set(["IFS", "CDPATH", "BASH_ENV", "ENV", "PATH_SEPARATOR", "SHELLOPTS", "BASHOPTS"]);
const INTERPRETERS = /^(?:python[0-9.]*|node|perl|ruby|php|deno|bun|awk)$/;

type Simple = Extract<Step, { kind: "simple" }>;

/** The uses of a command that begins in these surroundings. */
export function usesOfShell(command: string, surroundings: Surroundings, depth = 0): readonly Use[] {
  try {
    return usesOfScript(readScript(command, depth), surroundings, depth);
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
  at.assign(step.name, complete ? known.map((value) => unescaped(withHome(value, at.home))) : undefined);
  const files = values.flatMap(({ word, values = [] }) =>
    values.map((value) => wholeWord(value, "read", at.directories, at.home, word.source)),
  );
  return [...nested, ...files];
}

/** The uses of the substitutions in a word (U1). */
function inside(word: Word, at: Surroundings, depth: number): readonly Use[] {
  return word.scripts.flatMap((script) => usesOfScript(script, at.inner(), depth + 1));
}

function usesOfSimple(step: Simple, at: Surroundings, depth: number): readonly Use[] {
  const { redirects } = step;
  const nested = [...step.words, ...redirects.map(({ target }) => target)].flatMap((word) =>
    inside(word, at, depth),
  );
  const assignments = step.words.findIndex((word) => assignmentOf(word) === undefined);
  const count = assignments < 0 ? step.words.length : assignments;
  const uses: Use[] = [...nested];
  for (const word of step.words.slice(0, count)) uses.push(...assign(word, at, count < step.words.length));
  for (const { kind, target } of redirects) if (kind !== "text") uses.push(...redirected(target, kind, at));
  const words = step.words.slice(count);
  if (words.length > 0) uses.push(...usesOfProgram({ ...step, words }, at, depth));
  return uses;
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

/** Name and value of an assignment. */
function assignmentOf(word: Word): { readonly name: string; readonly value: Word } | undefined {
  const [first, ...rest] = word.parts;
  if (first?.kind !== "text" || first.quoted) return undefined;
  const head = ASSIGNMENT.exec(first.text);
  if (head === null) return undefined;
  const value = { ...word, parts: [{ ...first, text: first.text.slice(head[0].length) }, ...rest] };
  return { name: head[1] ?? "", value };
}

function assign(word: Word, at: Surroundings, given: boolean): readonly Use[] {
  const assignment = assignmentOf(word);
  if (assignment === undefined) return [];
  const { name, value } = assignment;
  const values = valuesOf(value, at.variables)?.map((one) => unescaped(withHome(one, at.home)));
  if (STEERING.has(name) && values?.join("") !== "")
    return [
      {
        kind: "unclear",
        sentence: `the command sets ${name}, which changes how its words are read: leave that out`,
      },
    ];
  at.assign(name, values);
  // A program may open what its environment names.
  return given ? (values ?? []).flatMap((one) => piecesOf(one, "read", at.directories, at.home)) : [];
}

function usesOfProgram(step: Simple, at: Surroundings, depth: number): readonly Use[] {
  const [first, ...rest] = step.words;
  const names = first === undefined ? [] : valuesOf(first, at.variables);
  if (first === undefined) return [];
  if (names === undefined || names.length !== 1)
    return [
      {
        kind: "unclear",
        sentence: `the program ${first.source} is known only when the command runs: name it`,
      },
    ];
  const name = unescaped(withHome(names[0] ?? "", at.home));
  const called: Use[] = [{ kind: "command", name }];
  if (name.includes("/")) called.push(pathUse(name, "read", at.directories));
  const program = name.slice(name.lastIndexOf("/") + 1);
  if (program === "cd" || program === "pushd") return [...called, ...changed(rest, step.negated, at)];
  if (program === "popd") at.back();
  if (program === "eval" || program === "trap")
    return [...called, ...evaluated(program === "trap" ? rest.slice(0, 1) : rest, at, depth)];
  if (DECLARERS.has(program)) return [...called, ...rest.flatMap((word) => assign(word, at, false))];
  if (INPUTS.has(program) || rest.some(({ source }) => source === "-v"))
    for (const word of rest) at.assign(plainText(word) ?? "", undefined);
  if (INPUTS.has(program)) return called;
  if (program === "apply_patch" || program === "applypatch") return [...called, ...patched(step, at)];
  return [
    ...called,
    ...commandsInside(step.words, at, depth),
    ...fed(step, program, at, depth),
    ...usesOfCall(program, step.words, at),
  ];
}

/** The uses of a program's words; behind a wrapper, those of the program that it runs. */
function usesOfCall(program: string, words: readonly Word[], at: Surroundings): readonly Use[] {
  const index = WRAPPERS.has(program)
    ? words.findIndex((word, place) => place > 0 && !/^[-0-9]|=/.test(word.source))
    : -1;
  const inner = words[index];
  if (inner === undefined) return usesOfWords(words, at);
  const name = plainText(inner) ?? inner.source;
  return [
    { kind: "command", name },
    ...usesOfWords(words.slice(0, index + 1), at),
    ...usesOfWords(words.slice(index), at),
  ];
}

const emptyWord: Word = { parts: [], source: "", scripts: [] };

function changed(words: readonly Word[], negated: boolean, at: Surroundings): readonly Use[] {
  const [target] = words.filter(({ source }) => !/^-[LPe@]+$|^--$/.test(source));
  if (words.length > 0 && target === undefined) return [];
  const values = target === undefined ? [at.home ?? "/"] : valuesOf(target, at.variables);
  if (
    values === undefined ||
    values.some(isPattern) ||
    target?.source === "-" ||
    target?.source.startsWith("+") === true
  )
    return [unknownWord(target ?? emptyWord)];
  const uses = values.map((value) =>
    wholeWord(value, "read", at.directories, at.home, target?.source ?? "cd"),
  );
  const paths = uses.flatMap((use) => (use.kind === "path" ? [use.path] : []));
  // The shell takes `..` back by name, the system by what the directory really is: both may be.
  const reached = at.directories.flatMap((from) =>
    paths
      .map((path) => (path.startsWith("/") ? path : `${from}/${path}`))
      .flatMap((path) => [path, byName(path)]),
  );
  at.change([...new Set(reached)], negated);
  return [...uses, ...reached.map((path) => pathUse(path, "read", []))];
}

/** A path with its `..` taken back by name. */
function byName(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

function evaluated(words: readonly Word[], at: Surroundings, depth: number): readonly Use[] {
  const texts = words.map((word) => valuesOf(word, at.variables));
  if (texts.some((values) => values?.length !== 1))
    return words.length === 0 ? [] : [unknownWord(words[0] ?? emptyWord)];
  return usesOfShell(texts.map((values) => unescaped(values?.[0] ?? "")).join(" "), at, depth + 1);
}

/** The commands behind `sh -c`, wherever in the words they stand: `env sh -c`, `find -exec sh -c`. */
function commandsInside(words: readonly Word[], at: Surroundings, depth: number): readonly Use[] {
  return words.flatMap((word, index) => {
    const name = plainText(word) ?? "";
    if (!SHELLS.has(name.slice(name.lastIndexOf("/") + 1))) return [];
    const option = words.findIndex(
      ({ source }, place) => place > index && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(source),
    );
    const script = words[option + 1];
    if (option < 0 || script === undefined) return [];
    return evaluated([script], at.inner(), depth);
  });
}

/** What a here-document feeds to a shell or an interpreter. */
function fed({ redirects, words }: Simple, program: string, at: Surroundings, depth: number): readonly Use[] {
  return redirects.flatMap(({ kind, target }) => {
    if (kind !== "text") return [];
    if (SHELLS.has(program) && words.length === 1) return evaluated([target], at.inner(), depth);
    if (!INTERPRETERS.test(program)) return [];
    const values = valuesOf(target, at.variables);
    return values === undefined
      ? [unknownWord(target)]
      : values.flatMap((one) => piecesOf(one, "read", at.directories, at.home));
  });
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
