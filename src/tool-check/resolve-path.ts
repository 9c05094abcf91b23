/**
 * Where a path really leads: every link on the way is followed, one component after the other, as the system does it.
 *
 * R1. What does not exist yet is taken as it stands; a `..` behind it goes back by name.
 * R2. A way through a place that means something else in each process (`/proc`, `/dev/fd`) is an end: it stands in the result.
 * R3. A path that cannot be followed (too long, no right to look, links in a circle) is a problem, never a guess.
 */
import { lstat, readlink } from "node:fs/promises";
import { isErrno } from "../soup/errno.ts";

/** Where a path leads, whether something is there, and whether the folder is that it lies in. */
export type Destination =
  | { readonly path: string; readonly exists: boolean; readonly folderExists: boolean }
  | { readonly problem: string };

const LINKS_MAX = 40;
const PER_PROCESS = ["/proc", "/dev/fd"];

/** What stands at paths that have been looked at: many paths of one call lead through the same folders. */
export type Looked = Map<string, string | undefined | null | { readonly problem: string }>;

/** Follows an absolute path. */
export async function resolvePath(absolute: string, looked: Looked = new Map()): Promise<Destination> {
  if (absolute.includes("\0")) return { problem: "holds a NUL byte" };
  const left = absolute.split("/").reverse();
  let links = 0;
  let at = "";
  /** Components at the end of `at` that do not exist. */
  let missing = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, Math.max(at.lastIndexOf("/"), 0));
      missing = Math.max(missing - 1, 0);
      continue;
    }
    const next = `${at}/${name}`;
    if (PER_PROCESS.includes(next))
      return { path: [next, ...left.toReversed()].join("/"), exists: true, folderExists: true };
    const target = missing > 0 ? null : looked.has(next) ? looked.get(next) : await lookAt(next);
    if (missing === 0) looked.set(next, target);
    if (typeof target === "object" && target !== null) return target;
    if (target === undefined || target === null) {
      at = next;
      missing += target === null ? 1 : 0;
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) return { problem: "leads through links in a circle" };
    left.push(...target.split("/").reverse());
    if (target.startsWith("/")) [at, missing] = ["", 0];
  }
  return { path: at === "" ? "/" : at, exists: missing === 0, folderExists: missing <= 1 };
}

/** The target of a link; undefined for anything else that is there, null for what is not. */
async function lookAt(path: string): Promise<string | undefined | null | { readonly problem: string }> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return null;
    if (isErrno(error, "EACCES", "EPERM")) return { problem: "may not be looked at" };
    if (isErrno(error, "ENAMETOOLONG", "EINVAL", "ELOOP", "EIO")) return { problem: "cannot be followed" };
    throw error;
  }
}

/** Whether a resolved path is the folder or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
