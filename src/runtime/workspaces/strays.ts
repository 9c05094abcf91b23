/**
 * Git commands that outlived the cfa that started them: a SIGKILL of cfa does not reach them, and they go on writing.
 *
 * Y1. Every git that works for a job carries {@link STRAY_MARK} in its environment, with the job's root as value.
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

/** Settles when no git works for the job with this root. To be called while this process runs none. */
export async function awaitStrays(root: string): Promise<void> {
  while (await anyStray(`${STRAY_MARK}=${root}`)) await delay(PAUSE_MILLIS);
}

async function anyStray(mark: string): Promise<boolean> {
  for (const name of await entriesOfProc()) {
    if (/^\d+$/.test(name) && (await environmentOf(name)).includes(mark)) return true;
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
