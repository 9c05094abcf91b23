/**
 * What an operation on a tree may fail for because of those who work in the trees, told from what is a bug or a full disk.
 *
 * G1. Git that refuses, files that are gone or something else, state of ours that does not read as it was written: all of it
 *     becomes a {@link TreeBroken} with one sentence. Everything else passes as it is.
 */
import { isMachineFault } from "../machine-fault.ts";
import type { ThreadId } from "../../soup/message.ts";
import { isErrno } from "../../soup/errno.ts";
import { ZodError } from "zod";
import { GitFailure } from "./git.ts";
import { PathRefused, TreeBroken } from "./port.ts";

const FILES = [
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "EEXIST",
  "ENOTEMPTY",
  "ELOOP",
  "EACCES",
  "EPERM",
  "ENAMETOOLONG",
];

/** True for what a tree that somebody has damaged makes an operation fail with (G1). */
export function isDamage(error: unknown): boolean {
  // A full disk makes git fail too, and is nothing that an agent did.
  if (isMachineFault(error)) return false;
  const isUnreadable = error instanceof ZodError || error instanceof SyntaxError;
  return error instanceof GitFailure || isUnreadable || isErrno(error, ...FILES);
}

/** Runs an operation on the tree of `thread` (G1); `damaged` is called when that has to be mended. */
export async function guarded<T>(
  thread: ThreadId,
  work: () => Promise<T>,
  damaged: (thread: ThreadId) => void,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDamaged = isDamage(error);
    if (isDamaged || (error instanceof TreeBroken && !(error instanceof PathRefused))) damaged(thread);
    if (!isDamaged) throw error;
    const why = error instanceof Error ? oneLine(error.message) : "";
    throw new TreeBroken(`the workspace of ${thread} cannot be used as it is: ${why}`, { cause: error });
  }
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, "; ");
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
