/**
 * The user's own configuration: `cfa/config.yaml` in $XDG_CONFIG_HOME, or else in ~/.config (docs/human.md).
 *
 * U1. No file is an empty configuration; a mistake in it is one sentence, and nothing starts.
 * U2. An XDG_CONFIG_HOME that is empty or relative counts for nothing, as the XDG base directory specification wants it.
 */
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { parse, YAMLParseError } from "yaml";
import { z } from "zod";
import { notifySchema } from "../job/file-schema.ts";
import type { NotifyTarget } from "../job/definition.ts";
import { resolveProgram } from "../job/program.ts";
import { isErrno } from "../soup/errno.ts";
import type { Context } from "./context.ts";
import { Misuse } from "./errors.ts";

const schema = z.strictObject({ notify: notifySchema.optional() }).nullable();

/** How the user wants to be told of questions; undefined where they have said nothing. Throws {@link Misuse} for a mistake (U1). */
export async function userNotify(
  { env }: Pick<Context, "env">,
  top: string,
): Promise<NotifyTarget | undefined> {
  const file = fileOf(env);
  if (file === undefined) return undefined;
  const notify = await read(file);
  if (notify?.url !== undefined) return { url: notify.url };
  if (notify?.run === undefined) return undefined;
  const places = { directory: dirname(file), repository: top, searchPath: env["PATH"] ?? "" };
  const program = resolveProgram(notify.run, places);
  if ("run" in program) return { run: [...program.run] };
  throw new Misuse(`${file}: notify.run: ${program.sentence} (${program.hint})`);
}

/** Where it lies (U2); undefined for a user without a home. */
function fileOf(env: Context["env"]): string | undefined {
  const { XDG_CONFIG_HOME: given = "", HOME: home = "" } = env;
  if (isAbsolute(given)) return join(given, "cfa", "config.yaml");
  return isAbsolute(home) ? join(home, ".config", "cfa", "config.yaml") : undefined;
}

async function read(file: string): Promise<z.infer<typeof notifySchema> | undefined> {
  try {
    const parsed = schema.safeParse(parse(await readFile(file, "utf8")));
    if (parsed.success) return parsed.data?.notify;
    throw new Misuse(`${file}: ${parsed.error.issues.map(sentence).join("; ")}`);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    if (error instanceof Error && isErrno(error, "EACCES", "EISDIR", "ELOOP"))
      throw new Misuse(`${file} cannot be read: ${error.message}`);
    if (error instanceof YAMLParseError) throw new Misuse(`${file} is no YAML: ${error.message}`);
    throw error;
  }
}

function sentence({ path, message, ...issue }: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys")
    return `there is no key ${issue.keys.join(", ")}: it takes notify, with run or url`;
  return `${path.join(".") || "the file"}: ${message}`;
}
