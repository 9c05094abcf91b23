/** A text that a person gives to a command: as an argument, from a file, or from standard input. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isErrno } from "../soup/errno.ts";
import type { Context } from "./context.ts";
import { Misuse } from "./errors.ts";

/** Where the text may come from. */
export type Given = {
  /** The argument; `-` is standard input. */
  readonly words: string | undefined;
  readonly file: string | undefined;
  /** What the text is, for sentences: `answer`, `message`. */
  readonly what: string;
  /** The command without its text: `cfa answer q1.1.1`. */
  readonly command: string;
};

/** The text. Throws {@link Misuse} when there is none, or two. */
export async function givenText(context: Context, { words, file, what, command }: Given): Promise<string> {
  if (words !== undefined && file !== undefined)
    throw new Misuse(`the ${what} comes from the command line or from --file, not from both`);
  if (words === undefined && file === undefined)
    throw new Misuse(`say what: ${command} TEXT, or --file FILE, or - for standard input`);
  const text = file === undefined ? await spoken(context, words ?? "") : await written(context, file, what);
  if (text.trim() === "") throw new Misuse(`the ${what} is empty: say something`);
  return text;
}

async function spoken({ stdin }: Context, words: string): Promise<string> {
  return words === "-" ? stdin.text() : words;
}

async function written({ cwd }: Context, name: string, what: string): Promise<string> {
  const file = resolve(cwd, name);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES")) throw error;
    throw new Misuse(`${file} cannot be read: name a text file with the ${what}`);
  }
}
