/**
 * What no log names any more: worktrees and private refs of jobs whose folder is gone, removed by hand, or together with the
 * linked worktree that held it.
 *
 * P1. A job is gone when no worktree of the repository has a folder of it (`.cfa/jobs/<job>`). While a job runs its folder is there,
 *     wherever its log is kept.
 * P2. Refs and worktrees are listed before folders are looked for, and a ref is deleted only as it was listed: a job that begins
 *     meanwhile is never taken for one that is gone.
 * P3. Where some worktree of the repository cannot be looked into, nobody knows which jobs live there: nothing is removed.
 * P4. Only what cfa alone makes goes: refs under `refs/cfa/`, and worktrees whose path or mark is cfa's. The branch `cfa/<job>`
 *     stays: it is a result.
 */
import { readdir, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isErrno } from "../../soup/errno.ts";
import { type Git, gitAt, text } from "./git.ts";
import { look } from "./safe-path.ts";
import { origin, removeAll, worktreeOf } from "./worktrees.ts";

/** What was left of a job that is gone. */
export type Gone = { readonly job: string; readonly worktrees: number; readonly refs: number };

type Ref = { readonly name: string; readonly id: string };
type Stray = { readonly job: string; readonly admin: string; readonly dir: string };

/** Finds what is left of jobs that are gone, in the repository whose worktree is at `top`; with `remove` it goes. */
export async function reapGone(top: string, remove: boolean): Promise<readonly Gone[]> {
  const git = gitAt({ cwd: top });
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--git-dir"];
  const [common = "", own = ""] = text(await git.run(asked)).split("\n");
  const refs = await privateRefs(git);
  const { strays, tops, reachable } = await worktreesOf(common);
  const isMainKnown = basename(common) === ".git" || own === common || (await isBare(git));
  if (!reachable || !isMainKnown) return [];
  const places = [top, ...tops, ...(basename(common) === ".git" ? [dirname(common)] : [])];
  const jobs = new Set([...refs.keys(), ...strays.map(({ job }) => job)]);
  const gone: Gone[] = [];
  for (const job of [...jobs].sort()) {
    const folders = await Promise.all(places.map((place) => look(join(place, ".cfa", "jobs", job))));
    if (folders.some((folder) => folder !== undefined)) continue;
    const own = strays.filter((stray) => stray.job === job);
    const named = refs.get(job) ?? [];
    if (remove && !(await removeGone(git, own, named))) continue;
    gone.push({ job, worktrees: own.length, refs: named.length });
  }
  if (remove && gone.length > 0) await removeIfEmpty(join(common, "worktrees"));
  return gone;
}

/** Refs below `refs/cfa/`, by job. */
async function privateRefs(git: Git): Promise<ReadonlyMap<string, readonly Ref[]>> {
  const found = new Map<string, Ref[]>();
  const out = await git.run(["for-each-ref", "--format=%(objectname) %(refname)", "refs/cfa/"]);
  for (const line of out.split("\n").filter((line) => line !== "")) {
    const [id = "", name = ""] = line.split(" ");
    const job = text(name.split("/")[2] ?? "");
    found.set(job, [...(found.get(job) ?? []), { name, id }]);
  }
  return found;
}

/** The worktrees of the repository: those of jobs, and the tops of all others; `reachable` when each of these is there. */
async function worktreesOf(common: string) {
  const strays: Stray[] = [];
  const tops: string[] = [];
  let reachable = true;
  for (const name of await namesIn(join(common, "worktrees"))) {
    const admin = join(common, "worktrees", name);
    const dir = await worktreeOf(admin);
    if (dir === undefined) continue;
    const job = (await origin(admin)) === undefined ? jobByPath(dir) : basename(dirname(dir));
    if (job === undefined) {
      tops.push(dir);
      reachable &&= (await look(dir)) !== undefined;
    } else strays.push({ job: jobByPath(dir) ?? job, admin, dir });
  }
  return { strays, tops, reachable };
}

/** The job whose folder holds a worktree, by its path; undefined for a worktree of somebody else. */
function jobByPath(dir: string): string | undefined {
  return /\/\.cfa\/jobs\/([^/]+)\/work\/[^/]+-[0-9a-f]{10}$/u.exec(dir)?.[1];
}

async function isBare(git: Git): Promise<boolean> {
  return (await git.attempt(["config", "--type=bool", "--get", "core.bare"])).out.trim() === "true";
}

/** Removes what is left of one job; false when it has changed meanwhile (P2). */
async function removeGone(git: Git, strays: readonly Stray[], refs: readonly Ref[]): Promise<boolean> {
  const input = refs.map(({ name, id }) => `delete ${name} ${id}\n`).join("");
  if (refs.length > 0 && (await git.attempt(["update-ref", "--stdin"], { input })).code !== 0) return false;
  for (const { admin, dir } of strays) {
    await removeAll(dir);
    await removeAll(admin);
  }
  return true;
}

async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch((error: unknown) => {
    if (!isErrno(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
  });
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}
