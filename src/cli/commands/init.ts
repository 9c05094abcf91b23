/** `cfa init [DIR|FILE]`: writes a commented job file that runs as it is. */
import { stat, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { INIT_TEMPLATE } from "../../job/init-template.ts";
import { isErrno } from "../../soup/errno.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/** Writes the file; never over another. */
export async function initCommand(context: Context, target: string | undefined): Promise<number> {
  const file = await fileFor(resolve(context.cwd, target ?? "."));
  try {
    await writeFile(file, INIT_TEMPLATE, { flag: "wx" });
  } catch (error) {
    if (isErrno(error, "EEXIST")) throw new Misuse(`${file} exists and is left as it is: name another file`);
    if (isErrno(error, "ENOENT", "ENOTDIR", "EACCES", "EROFS"))
      throw new Misuse(
        `${file} cannot be written: name a file in a directory that exists and that you may write to`,
      );
    throw error;
  }
  const shown = relative(context.cwd, file);
  say(context.stdout, `wrote ${shown}`);
  const argument = shown === "job.yaml" ? "" : ` ${shown}`;
  say(context.stderr, `next: cfa validate${argument}, then cfa run${argument}`);
  return EXIT.completed;
}

async function fileFor(target: string): Promise<string> {
  try {
    return (await stat(target)).isDirectory() ? join(target, "job.yaml") : target;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return target;
    throw error;
  }
}
