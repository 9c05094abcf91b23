/** Where the programs of a command run: `cd`, and the options by which a program is told to work in another folder. */
import { pathUse, type Use } from "../uses.ts";
import { isPattern, valuesOf } from "./expand.ts";
import { saidBy } from "./shell-calls.ts";
import type { Surroundings } from "./surroundings.ts";
import { NO_WORD, plainText, type Word } from "./syntax.ts";
import { unknownWord, wholeWord } from "./words.ts";

/** `cd` and `pushd`; `words` stand behind them. */
export function changed(words: readonly Word[], negated: boolean, at: Surroundings): readonly Use[] {
  const [target] = words.filter((word) => !/^-[LPe@]+$|^--$/.test(plainText(word) ?? ""));
  if (words.length > 0 && target === undefined) return [];
  const values = target === undefined ? [at.home ?? "/"] : valuesOf(target, at.variables);
  // `cd -`, `pushd +1`, `pushd -n`: where they lead is known to the shell only.
  const isKnown = values?.every((value) => !isPattern(value) && !/^[-+]/.test(value)) === true;
  if (values === undefined || !isKnown || (at.variables.get("CDPATH")?.size ?? 0) > 0)
    return [unknownWord(target ?? NO_WORD)];
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

/** Where a program works that is told to: `-C FOLDER`, `--chdir=FOLDER`, `--directory FOLDER`. */
export function withFolders(words: readonly Word[], at: Surroundings): Surroundings {
  const texts = words.map((word) => saidBy(word, at) ?? []);
  const folders = texts.flatMap((values, place) =>
    values.flatMap((value) => {
      const glued = /^(?:-C|--(?:chdir|directory|cwd|prefix|work-tree)=)(.+)$/s.exec(value)?.[1];
      const isOption = /^(?:-C|--(?:chdir|directory|cwd|prefix|work-tree))$/.test(value);
      return glued === undefined ? (isOption ? (texts[place + 1] ?? []) : []) : [glued];
    }),
  );
  return folders.length === 0 ? at : at.also(folders);
}
