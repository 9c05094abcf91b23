/**
 * Which file a command names, found before anything is started, so that a missing program is a sentence and not
 * exit status 127.
 */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { isErrno } from "../../soup/errno.ts";

/** An executable file, or one sentence that says why there is none. */
export type FoundProgram = { readonly path: string } | { readonly missing: string };

/**
 * Finds the executable file that `name` stands for, as a shell would: a name with a slash is a path, relative to
 * `cwd`; any other is looked up in the directories of `searchPath` (the value of a PATH variable).
 */
export async function findProgram(name: string, searchPath: string, cwd: string): Promise<FoundProgram> {
  if (name.includes("/")) {
    const path = resolve(cwd, name);
    const obstacle = await obstacleTo(path);
    return obstacle === undefined ? { path } : { missing: `cannot run "${name}": ${obstacle}` };
  }
  for (const directory of searchPath.split(delimiter)) {
    if (directory === "") continue;
    const path = join(resolve(cwd, directory), name);
    if ((await obstacleTo(path)) === undefined) return { path };
  }
  return { missing: `cannot run "${name}": no such program on PATH (${searchPath})` };
}

async function obstacleTo(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return `${path} is not a file`;
    await access(path, constants.X_OK);
    return undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return `${path} does not exist`;
    if (isErrno(error, "EACCES")) return `${path} is not executable (chmod +x)`;
    if (isErrno(error, "ELOOP", "ENAMETOOLONG")) return `${path} cannot be followed to a file`;
    throw error;
  }
}
