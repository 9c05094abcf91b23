/**
 * From one value of a word to the paths that it may name.
 *
 * V1. A whole word that is no option is a path, also where it does not look like one: a name without a slash may be a link.
 * V2. What stands inside of a word (`--file=/x`, `-I/x`, `HEAD:../x`, the text of a program) may be a path, or the name of a link: it is
 *     doubtful.
 */
import type { Access } from "../tools.ts";
import { pathUse, type Use } from "../uses.ts";
import { isPattern, unescaped, withHome } from "./expand.ts";
import type { Word } from "./syntax.ts";

const SEPARATORS = /[\s=:,;@'"`()[\]{}<>|&]+/;

/** A value as a path (V1). `written` is how the command has it. */
export function wholeWord(
  value: string,
  access: Access,
  bases: readonly string[],
  home: string | undefined,
  written: string,
): Use {
  const path = withHome(value, home);
  const pattern = isPattern(path);
  return pathUse(pattern ? path : unescaped(path), access, bases, { written, pattern });
}

/** The pieces of a value that may be paths (V2). */
export function piecesOf(
  value: string,
  access: Access,
  bases: readonly string[],
  home: string | undefined,
): readonly Use[] {
  const text = unescaped(value);
  const glued = /^-[A-Za-z]/.test(text) ? GLUED.map((length) => text.slice(length)) : [];
  const pieces = [...text.split(SEPARATORS), ...glued];
  return [...new Set(pieces)].filter(mayExist).map((piece) => {
    const path = piece.startsWith("~") ? unescaped(withHome(piece, home)) : piece;
    return pathUse(path, access, bases, { written: piece, doubtful: true });
  });
}

/** Letters of a cluster of options, the dash among them, before a name that is glued to them. */
const GLUED = [2, 3, 4, 5];
/** Longest name, and longest path, of a file (Linux, bytes). */
const [NAME_MAX, PATH_MAX] = [255, 4095];

/** Whether a file can have this name: one without a slash, too, for it may be a link. */
function mayExist(piece: string): boolean {
  return (
    piece !== "" && piece.length <= PATH_MAX && piece.split("/").every((name) => name.length <= NAME_MAX)
  );
}

/** A word whose value only the shell knows. */
export function unknownWord({ source }: Word): Use {
  return {
    kind: "unclear",
    sentence: `what ${shownWord(source)} comes to is known only when the command runs: run what is inside first, then write the result itself`,
  };
}

/** A word as a message has it. */
export function shownWord(source: string): string {
  return source.length > 60 ? `${source.slice(0, 57)}…` : source;
}
