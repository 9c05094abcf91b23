/**
 * A shell command as the tool check sees it: simple commands in the order in which they stand, with what joins them.
 *
 * W1. Nothing of the text is dropped silently: what is not understood is {@link Unreadable}.
 * W2. A word keeps apart what is quoted, because only unquoted text is a pattern, a brace list or a home.
 */

/** A piece of a word. */
export type Part =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  /** The value of a variable; `fallback` where it has none (`${X:-fallback}`). */
  | { readonly kind: "variable"; readonly name: string; readonly quoted: boolean; readonly fallback?: string }
  /** The result of an expression, and the variables in it. */
  | { readonly kind: "number"; readonly names: readonly string[] }
  /** What only the shell knows when it runs. */
  | { readonly kind: "unknown"; readonly quoted: boolean };

/** A word; `source` is how it is written, `scripts` are the substitutions in it. */
export type Word = {
  readonly parts: readonly Part[];
  readonly source: string;
  readonly scripts: readonly Script[];
};

/** A word of nothing. */
export const NO_WORD: Word = { parts: [], source: "", scripts: [] };

/** A redirection to or from a file, or a here-document, whose body is a word. */
export type Redirect =
  | { readonly kind: "read" | "write"; readonly target: Word }
  | { readonly kind: "text"; readonly target: Word };

/** One element of a command line. */
export type Step =
  | {
      readonly kind: "simple";
      readonly words: readonly Word[];
      readonly redirects: readonly Redirect[];
      readonly negated: boolean;
    }
  /** `for NAME in WORDS`. */
  | { readonly kind: "for"; readonly name: string; readonly words: readonly Word[] }
  /** `((…))` with these variables. */
  | { readonly kind: "number"; readonly names: readonly string[] }
  /** What stands in the script may run more than once. */
  | { readonly kind: "loop" }
  /** A subshell begins or ends. */
  | { readonly kind: "enter" }
  | { readonly kind: "leave" }
  | { readonly kind: "join"; readonly operator: "&&" | "||" | "|" | ";" };

/** A command line. */
export type Script = readonly Step[];

/** The command is not understood; the message continues "the command …". */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** The text of a word that needs no shell to know; undefined otherwise. */
export function plainText({ parts }: Word): string | undefined {
  return parts.every((part) => part.kind === "text")
    ? parts.map((part) => (part.kind === "text" ? part.text : "")).join("")
    : undefined;
}
