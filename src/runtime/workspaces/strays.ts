/**
 * Git commands that outlived the cfa that started them: a SIGKILL of cfa does not reach them, and they go on writing.
 *
 * Y1. Every git that changes something for a job carries {@link STRAY_MARK} in its environment: with the folder of the job's
 *     trees as value, or with the job's own folder where it moves the anchor of the log.
 * Y2. They are waited for, not killed: a git that ends by itself leaves no lock and no half-written tree, also where
 *     it works in a worktree of the user. None of them waits for anybody.
 * Y3. Where there is no /proc nothing is known of them.
 */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isErrno } from "../../soup/errno.ts";

/** Name of the variable that marks a git (Y1). */
export const STRAY_MARK = "CFA_GIT_OF";

const PAUSE_MILLIS = 20;

/** Settles when no git works for the job with these folders (Y1). To be called while this process runs none. */
export async function awaitStrays(...folders: readonly string[]): Promise<void> {
  const marks = new Set(folders.map((folder) => `${STRAY_MARK}=${folder}`));
  while (await anyStray(marks)) await delay(PAUSE_MILLIS);
}

async function anyStray(marks: ReadonlySet<string>): Promise<boolean> {
  for (const name of await entriesOfProc()) {
    if (/^\d+$/.test(name) && (await environmentOf(name)).some((entry) => marks.has(entry))) return true;
  }
  return false;
}

async function entriesOfProc(): Promise<readonly string[]> {
  try {
    return await readdir("/proc");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}

/** `NAME=value` entries; none for a zombie, for one that has ended meanwhile, and for another user's process. */
async function environmentOf(pid: string): Promise<readonly string[]> {
  try {
    return (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM")) return [];
    throw error;
  }
}
