/**
 * The user's own configuration: `cfa/config.yaml` in $XDG_CONFIG_HOME, or else in ~/.config (docs/human.md).
 *
 * U1. No file is an empty configuration; a mistake in it is one sentence, and nothing starts.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse, YAMLParseError } from "yaml";
import { z } from "zod";
import { notifySchema } from "../job/file-schema.ts";
import type { NotifyTarget } from "../job/definition.ts";
import { resolveProgram } from "../job/program.ts";
import { isErrno } from "../soup/errno.ts";
import type { Context } from "./context.ts";
import { Misuse } from "./errors.ts";

const schema = z.strictObject({ notify: notifySchema.optional() }).nullable();

/** How the user wants to be told of questions; undefined where they have said nothing. */
export async function userNotify(
  { env }: Pick<Context, "env">,
  top: string,
): Promise<NotifyTarget | undefined> {
  const home =
    env["XDG_CONFIG_HOME"] ?? (env["HOME"] === undefined ? undefined : join(env["HOME"], ".config"));
  if (home === undefined || home === "") return undefined;
  const file = join(home, "cfa", "config.yaml");
  const notify = await read(file);
  if (notify?.url !== undefined) return { url: notify.url };
  if (notify?.run === undefined) return undefined;
  const places = { directory: dirname(file), repository: top, searchPath: env["PATH"] ?? "" };
  const program = resolveProgram(notify.run, places);
  if ("run" in program) return { run: [...program.run] };
  throw new Misuse(`${file}: notify.run: ${program.sentence} (${program.hint})`);
}

async function read(file: string): Promise<z.infer<typeof notifySchema> | undefined> {
  try {
    const parsed = schema.safeParse(parse(await readFile(file, "utf8")));
    if (parsed.success) return parsed.data?.notify;
    const [issue] = parsed.error.issues;
    throw new Misuse(`${file}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    if (error instanceof YAMLParseError) throw new Misuse(`${file} is no YAML: ${error.message}`);
    throw error;
  }
}
