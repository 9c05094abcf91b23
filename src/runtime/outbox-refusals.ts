/**
 * The calls of a turn that were refused early: the agent hears it at once, the log when the turn has ended (O4 of
 * outbox.ts).
 *
 * U1. Noting a refusal never changes what the agent is told: where it cannot be noted, nothing else fails.
 * U2. What the log gets is bounded: {@link REFUSALS_MAX} sentences, and how many more there were.
 */
import { constants } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isErrno } from "../soup/errno.ts";
import { REFUSED_FILE } from "./outbox.ts";
import { parseJson } from "./outbox-facts.ts";
import { readRegular } from "./outbox-file.ts";

/** Refusals of a turn that the log names one by one. */
export const REFUSALS_MAX = 20;
const SENTENCE_MAX = 500;
const BYTES_MAX = 1024 * 1024;

/** Notes that a call of `verb` was refused with this sentence. */
export async function noteRefusal(outbox: string, verb: string, sentence: string): Promise<void> {
  const line = `${JSON.stringify(`cfa ${verb} was refused: ${sentence.slice(0, SENTENCE_MAX)}`)}\n`;
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const flag = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY;
  try {
    await appendFile(join(outbox, REFUSED_FILE), line, { flag });
  } catch (error) {
    // U1: the outbox is gone, full, or not what cfa made.
    if (!isErrno(error, "ENOENT", "ENOTDIR", "EACCES", "EROFS", "ENOSPC", "ELOOP", "EISDIR", "ENXIO"))
      throw error;
  }
}

/** The sentences of the refused calls of a turn that has ended, in order (U2). */
export async function readRefusals(outbox: string): Promise<readonly string[]> {
  const file = await readRegular(join(outbox, REFUSED_FILE), BYTES_MAX);
  if (file === undefined) return [];
  if ("problem" in file) return [`outbox file ${REFUSED_FILE} ${file.problem}: ignored`];
  const sentences = file.text.split("\n").flatMap((line) => z.string().safeParse(parseJson(line)).data ?? []);
  const more = sentences.length - REFUSALS_MAX;
  return more > 0 ? [...sentences.slice(0, REFUSALS_MAX), `${more} more calls were refused`] : sentences;
}
