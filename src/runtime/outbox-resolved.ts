/**
 * Paths of a conflict that an agent declares resolved while its turn runs; they are taken up when it has ended (O5 of outbox.ts), each
 * judged again as it stands then.
 */
import { constants } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RESOLVED_FILE } from "./outbox.ts";
import { parseJson } from "./outbox-facts.ts";
import { readRegular } from "./outbox-file.ts";

const BYTES_MAX = 1024 * 1024;

/** Notes that a path of the turn's workspace counts as resolved. */
export async function noteResolved(outbox: string, path: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const flag = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY;
  await appendFile(join(outbox, RESOLVED_FILE), `${JSON.stringify(path)}\n`, { flag });
}

/** The paths that were declared, each once; and why some may be missing, as a sentence. */
export async function readResolved(
  outbox: string,
): Promise<{ readonly paths: readonly string[]; readonly problems: readonly string[] }> {
  const file = await readRegular(join(outbox, RESOLVED_FILE), BYTES_MAX);
  if (file === undefined) return { paths: [], problems: [] };
  if ("problem" in file)
    return { paths: [], problems: [`outbox file ${RESOLVED_FILE} ${file.problem}: ignored`] };
  const paths = file.text
    .split("\n")
    .flatMap((line) => z.string().min(1).safeParse(parseJson(line)).data ?? []);
  return { paths: [...new Set(paths)], problems: [] };
}
