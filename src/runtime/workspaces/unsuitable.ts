/**
 * Configurations of a repository in which no tree could be made that holds what is written there.
 *
 * N1. A filter that is required (`filter.<name>.required`, as git-lfs sets it) and whose program is not there: git checks out and
 *     stages nothing of its files.
 * N2. `core.ignoreCase` where the file system tells cases apart: git takes `Text.txt` for `text.txt`, and a rename between them
 *     would be lost.
 */
import { join } from "node:path";
import { findProgram } from "../process/find-program.ts";
import { fields, type Git, gitAt, text } from "./git.ts";
import { look } from "./safe-path.ts";

const ASKED = "^(core\\.ignorecase|filter\\..*\\.(required|process|clean|smudge))$";

/** Why no job can work in the repository at `top`: one sentence; undefined when one can. */
export async function whyUnsuitable(top: string): Promise<string | undefined> {
  const git = gitAt({ cwd: top });
  const settings = new Map<string, string>();
  for (const field of fields((await git.attempt(["config", "-z", "--get-regexp", ASKED])).out)) {
    const end = field.indexOf("\n");
    settings.set(end < 0 ? field : field.slice(0, end), end < 0 ? "true" : field.slice(end + 1));
  }
  if (isTrue(settings.get("core.ignorecase")) && (await look(join(top, ".GIT"))) === undefined)
    return `${top} has core.ignoreCase set, and its file system tells names apart by case: run "git config core.ignoreCase false" there.`;
  for (const [key, value] of settings) {
    const name = /^filter\.(.*)\.required$/su.exec(key)?.[1];
    if (name === undefined || !isTrue(value)) continue;
    const program = await missingProgram(name, settings, top);
    const file = program === undefined ? undefined : await firstOf(git, name);
    if (file !== undefined)
      return `${top}: its files need the filter "${text(name)}", whose program ${program} is not on the PATH (${text(file)}, for one): install it.`;
  }
  return undefined;
}

const isTrue = (value: string | undefined): boolean => /^(true|yes|on|[1-9]\d*)$/iu.test(value ?? "");

/** The program of a filter that is not there; a command that is more than a program and its arguments is the shell's business. */
async function missingProgram(
  name: string,
  settings: ReadonlyMap<string, string>,
  top: string,
): Promise<string | undefined> {
  for (const kind of ["process", "clean", "smudge"]) {
    const [program = ""] = (settings.get(`filter.${name}.${kind}`) ?? "").split(" ");
    if (!/^[\w./+-]+$/u.test(program)) continue;
    if ("missing" in (await findProgram(program, process.env["PATH"] ?? "", top))) return program;
  }
  return undefined;
}

/** The first tracked file to which a filter applies. */
async function firstOf(git: Git, filter: string): Promise<string | undefined> {
  const input = await git.run(["ls-files", "-z"]);
  const out = (await git.run(["check-attr", "-z", "--stdin", "filter"], { input })).split("\0");
  const at = out.findIndex((value, index) => index % 3 === 2 && value === filter);
  return at < 0 ? undefined : out[at - 2];
}
