/**
 * What a role's `run` names: its program and the files among its words, to be read from inside.
 *
 * F1. A file is bound in, never its folder: what lies beside it is somebody else's. A program that needs more says so
 *     (`sandbox.exempt`).
 * F2. A program that is a link is the same link inside, to the file that it leads to: what it loads from beside that file, it looks for
 *     there.
 */
import { lstat, realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { isErrno } from "../../soup/errno.ts";
import { findProgram } from "../process/find-program.ts";
import { type Mount, seen } from "./port.ts";
import { isOfSystem } from "./system-paths.ts";

/** The mounts of a program and its words; a program that is not found is left to whoever starts it. */
export async function programMounts(
  [program = "", ...words]: readonly string[],
  searchPath: string,
  workspace: string,
): Promise<readonly Mount[]> {
  const found = await findProgram(program, searchPath, workspace);
  const files = [...("path" in found ? [found.path] : []), ...words.filter(isAbsolute)];
  const outside = files.filter((path) => !isOfSystem(path) && !path.startsWith(`${workspace}/`));
  return (await Promise.all(outside.map(fileMounts))).flat();
}

/** A file at its path, and where it leads to when it is a link (F2); nothing for what is no file. */
export async function fileMounts(path: string): Promise<readonly Mount[]> {
  try {
    if (!(await stat(path)).isFile()) return [];
    const real = await realpath(path);
    if (!(await lstat(path)).isSymbolicLink()) return [seen(path)];
    const target = isOfSystem(real) ? [] : [seen(real)];
    return [...target, { kind: "link", to: real, at: path }];
  } catch (error) {
    // A word that is no path after all: too long, or with a NUL byte.
    if (isErrno(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP", "ERR_INVALID_ARG_VALUE"))
      return [];
    throw error;
  }
}
