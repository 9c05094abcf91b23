/**
 * Locks on refs that a killed git has left. To be removed only when no git works for the job any more (strays.ts).
 *
 * L1. What lies under `refs/cfa/<job>/` and the branch `cfa/<job>` is the job's alone: a lock there is stale.
 * L2. Deleting a ref takes the one lock `packed-refs.lock`, which belongs to everybody. A note in the job's files says
 *     that a deletion is under way; only if one is found is such a lock taken for ours, and only when it stays as it is
 *     for longer than git itself waits for it.
 */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isErrno } from "../../soup/errno.ts";
import { look } from "./safe-path.ts";
import { type JobGit, refs } from "./trees.ts";

/** How long git waits for the lock (git-config, `core.packedRefsTimeout`), and a second more. */
const PATIENCE_MILLIS = 2000;

const NOTE = "deleting-refs.";
let deletions = 0;

/** Changes refs by lines for `git update-ref --stdin`, among them `delete` (L2). */
export async function deleteRefs(job: JobGit, lines: readonly string[]): Promise<void> {
  await mkdir(job.files, { recursive: true });
  deletions += 1;
  const note = join(job.files, `${NOTE}${deletions}`);
  await writeFile(note, "");
  await job.git.run(["update-ref", "--stdin"], { input: lines.map((line) => `${line}\n`).join("") });
  await rm(note);
}

/** Removes stale locks on the job's refs (L1, L2). */
export async function removeRefLocks(job: JobGit): Promise<void> {
  const own = join(job.common, dirname(refs.base(job.job)));
  for (const file of await filesBelow(own, true)) if (file.endsWith(".lock")) await rm(join(own, file));
  await rm(join(job.common, `${refs.branch(job.job)}.lock`), { force: true });
  const notes = (await filesBelow(job.files, false)).filter((file) => file.startsWith(NOTE));
  if (notes.length > 0) await removeIfStale(join(job.common, "packed-refs.lock"));
  for (const file of notes) await rm(join(job.files, file));
}

async function removeIfStale(lock: string): Promise<void> {
  const before = await look(lock);
  if (before === undefined) return;
  await delay(PATIENCE_MILLIS);
  const after = await look(lock);
  if (after?.ino === before.ino && after.mtimeMs === before.mtimeMs) await rm(lock, { force: true });
}

async function filesBelow(directory: string, recursive: boolean): Promise<readonly string[]> {
  try {
    return await readdir(directory, { recursive });
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
