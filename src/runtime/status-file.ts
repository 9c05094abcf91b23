/**
 * The status file: one word in `.sortie/status` by which an agent says, beside every other channel, that it needs a
 * person (docs/status-file.md; A2O §2, §3).
 *
 * P1. The token is the first line of the first 64 KiB, ASCII whitespace trimmed, compared byte for byte; further lines
 *     are ignored.
 * P2. No link is followed at any component, nothing is waited for, only a regular file is read. Whatever else there is
 *     counts as absent, with a sentence; no reading fails a turn.
 * P3. Only the agent writes the file. cfa removes it before a turn, so that no turn is judged by the word of another.
 */
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { isErrno } from "../soup/errno.ts";
import { look, openRegular } from "./workspaces/safe-path.ts";

/** Place of the file, relative to the root of a workspace. */
export const STATUS_PATH = ".sortie/status";

/** The words that are honoured, as agents write them; the last only where version 2 is configured. */
export const STATUS_TOKENS = ["blocked", "needs-human-review", "no-change-needed"] as const;

/** Which words are honoured: 1 the two of A2O §2.3, 2 those of later revisions, too. */
export type StatusVersion = 1 | 2;

/** One of {@link STATUS_TOKENS}. */
export type StatusToken = (typeof STATUS_TOKENS)[number];

/** What a status file says: a token, or why it counts as absent; undefined when there is none. */
export type Status = { readonly token: StatusToken } | { readonly problem: string } | undefined;

const BYTES_MAX = 65_536;

/** What is trimmed by hand: a pattern that looks for blanks at the end takes quadratic time on a line of blanks with a word behind it. */
const BLANKS = "\t\r ";

/** The token of these bytes, recognised or not (P1). */
export function tokenIn(bytes: Uint8Array): string {
  const [line = ""] = Buffer.from(bytes).toString("utf8").split("\n", 1);
  const isBlank = (at: number) => BLANKS.includes(line.charAt(at));
  let [from, to] = [0, line.length];
  while (from < to && isBlank(from)) from++;
  while (from < to && isBlank(to - 1)) to--;
  return line.slice(from, to);
}

/** The words of a version. */
export function tokensOf(version: StatusVersion): readonly StatusToken[] {
  return version === 2 ? STATUS_TOKENS : STATUS_TOKENS.slice(0, 2);
}

/** Whether this is a word of some version, as a log holds it. */
export function isStatusToken(word: string): word is StatusToken {
  return STATUS_TOKENS.some((token) => token === word);
}

/** Reads the status file of the workspace at `root` (P2). Never rejects. */
export async function readStatus(root: string, version: StatusVersion = 1): Promise<Status> {
  try {
    const file = await openRegular(root, STATUS_PATH);
    if (file === undefined) return undefined;
    await using opened = file;
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(BYTES_MAX), 0, BYTES_MAX, 0);
    const token = tokenIn(buffer.subarray(0, bytesRead));
    const known = tokensOf(version);
    if (isStatusToken(token) && known.includes(token)) return { token };
    return {
      problem: `${STATUS_PATH} says ${JSON.stringify(token.slice(0, 80))}, which is none of ${known.join(", ")}: ignored`,
    };
  } catch (error) {
    return {
      problem: `${STATUS_PATH} is ignored: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** Removes the status file of the workspace at `root` (P3). Says why not, where it stays; never rejects. */
export async function clearStatus(root: string): Promise<string | undefined> {
  const stays = (why: string) => `${STATUS_PATH} of an earlier turn was not removed: ${why}`;
  const directory = join(root, ".sortie");
  try {
    if ((await look(directory))?.isSymbolicLink() === true) return stays(".sortie is a link");
    if ((await look(join(root, STATUS_PATH)))?.isSymbolicLink() === true) return stays("it is a link");
    await unlink(join(root, STATUS_PATH));
    return undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    return stays(error instanceof Error ? error.message : String(error));
  }
}
