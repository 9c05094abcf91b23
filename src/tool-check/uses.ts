/** What a tool call would use, before anything is looked up: the link between reading a call and judging it. */
import type { Access } from "./tools.ts";

/** A path of a call. */
export type PathUse = {
  readonly kind: "path";
  /** How a message names it. */
  readonly written: string;
  /** Absolute, or relative to each of `bases`; a pattern when `pattern` says so. */
  readonly path: string;
  readonly bases: readonly string[];
  readonly access: Access;
  /** A pattern for file names, in which a backslash takes the meaning of the next letter away. */
  readonly pattern: boolean;
  /** It may be no path at all: it counts only when it, or the folder that it would lie in, exists. */
  readonly doubtful: boolean;
};

/** What a call would use. */
export type Use =
  | PathUse
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "network"; readonly what: string }
  | { readonly kind: "command"; readonly name: string }
  /** What cannot be judged; the sentence says what and what to do. */
  | { readonly kind: "unclear"; readonly sentence: string };

/** A path use; doubt and pattern are false unless given. */
export function pathUse(
  path: string,
  access: Access,
  bases: readonly string[],
  more: Partial<Pick<PathUse, "written" | "pattern" | "doubtful">> = {},
): PathUse {
  return { kind: "path", written: path, pattern: false, doubtful: false, ...more, path, access, bases };
}
