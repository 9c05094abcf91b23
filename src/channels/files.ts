/** The files that a call names: regular files of the turn's workspace, by their path below its top. */
import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Refused } from "../runtime/admission.ts";
import type { TurnFacts } from "../runtime/agents/port.ts";
import { isErrno } from "../soup/errno.ts";

/**
 * The paths of these files below the top of the workspace, links on the way resolved; or why one cannot go.
 * @param cwd directory that the names are relative to.
 * @param option how the caller names a file, as a refusal quotes it.
 */
export async function filesInWorkspace(
  facts: TurnFacts,
  cwd: string,
  names: readonly string[],
  option: "--file" | "files:",
): Promise<readonly string[] | Refused> {
  const files: string[] = [];
  for (const name of names) {
    const file = await fileInWorkspace(facts, cwd, name, `${option} ${name}`);
    if ("refused" in file) return file;
    files.push(file.path);
  }
  return files;
}

async function fileInWorkspace(
  { workspace }: TurnFacts,
  cwd: string,
  name: string,
  said: string,
): Promise<{ readonly path: string } | Refused> {
  const file = resolve(cwd, name);
  if (name.includes("\0"))
    return { refused: `${said.replaceAll("\0", "\\0")} is no name of a file: it holds a NUL` };
  try {
    if (!(await lstat(file)).isFile())
      return { refused: `${said} is no regular file: name files, one by one` };
    const path = relative(await realpath(workspace), await realpath(file));
    if (path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) {
      return { refused: `${said} lies outside your workspace ${workspace}: copy it there first` };
    }
    return { path: path.split(sep).join("/") };
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG")) throw error;
    return { refused: `${said} does not exist or may not be read (looked for ${file})` };
  }
}
