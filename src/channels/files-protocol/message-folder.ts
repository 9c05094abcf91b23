/**
 * The folder `messages/` of an agent's home: what arrives is written there before its turn, what it has written is read afterwards.
 *
 * B1. What a turn has written is what was not there when its program started, or has been changed since; what an earlier turn left,
 *     one that was lost included, is never taken for this one's.
 * B2. Reading follows no link, waits for no writer, and is bounded. Whatever is not taken is named with the reason.
 * B3. Mail is written once: a turn that is run again finds it there.
 */
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { createFile, readRegular } from "../../runtime/outbox-file.ts";
import { look } from "../../runtime/workspaces/safe-path.ts";
import {
  type FileMessage,
  MESSAGE_FILE_BYTES_MAX,
  messageFileName,
  numberIn,
  pairOf,
  parseFileMessage,
} from "./messages.ts";

/** Most files of one turn that are read. */
export const MESSAGES_MAX = 100;
/** Most of the others that are named. */
const NAMED_MAX = 50;
/** Most files that are looked at. */
const LISTED_MAX = 10_000;

/** What was there when a program started: each file with its identity (B1). */
export type Before = ReadonlyMap<string, string>;

/** What a turn has written. */
export type Written = {
  readonly messages: readonly { readonly file: string; readonly message: FileMessage }[];
  /** What was not taken, one sentence each; the file is named. */
  readonly problems: readonly string[];
};

/** Writes a message that has arrived, under the next number of its pair (B3). Returns the name of its file. */
export async function writeArrived(folder: string, message: FileMessage): Promise<string> {
  const pair = pairOf(message);
  const { names } = await list(folder);
  const numbers = names.flatMap((name) => numberIn(name, pair) ?? []);
  const newest = Math.max(0, ...numbers);
  const there = newest === 0 ? undefined : await readMessage(folder, messageFileName(message, newest));
  if (there !== undefined && "message" in there && there.message.mail === message.mail)
    return messageFileName(message, newest);
  for (let number = newest + 1; ; number++) {
    const file = messageFileName(message, number);
    if (await createFile(join(folder, file), `${JSON.stringify(message, null, 2)}\n`)) return file;
  }
}

/** What is there now. */
export async function filesBefore(folder: string): Promise<Before> {
  const { names } = await list(folder);
  const entries = await Promise.all(
    names.map(async (name) => [name, await identityOf(folder, name)] as const),
  );
  return new Map(entries);
}

/** What has been written since (B1, B2), in the order of the numbers. */
export async function readWritten(folder: string, before: Before): Promise<Written> {
  const at = await look(folder);
  if (at?.isDirectory() !== true) {
    const problem = at === undefined ? "is gone" : "is no folder any more";
    return { messages: [], problems: [`messages/ ${problem}: nothing in it is read`] };
  }
  const { names, cut } = await list(folder);
  const fresh: string[] = [];
  for (const name of names) if (before.get(name) !== (await identityOf(folder, name))) fresh.push(name);
  const taken: { file: string; message: FileMessage; number: number }[] = [];
  const problems = cut ? [`messages/ holds more than ${LISTED_MAX} files: the rest is not looked at`] : [];
  fresh.sort();
  for (const file of fresh.slice(0, MESSAGES_MAX)) {
    const read = await readMessage(folder, file);
    if ("problem" in read) problems.push(`messages/${shown(file)} ${read.problem}: ignored`);
    else taken.push({ file, ...read });
  }
  const over = fresh.slice(MESSAGES_MAX);
  if (over.length > 0)
    problems.push(
      `more than ${MESSAGES_MAX} messages in one turn, ${over.length} ignored: ${over.slice(0, NAMED_MAX).map(shown).join(", ")}${over.length > NAMED_MAX ? ", …" : ""}`,
    );
  return { messages: taken.sort((one, other) => one.number - other.number), problems };
}

/** A name as the log shows it: an agent may have put anything into it. */
function shown(file: string): string {
  return /^[\w.-]{1,120}$/u.test(file) ? file : JSON.stringify(file.slice(0, 120));
}

async function readMessage(folder: string, file: string): Promise<ReturnType<typeof parseFileMessage>> {
  const read = await readRegular(join(folder, file), MESSAGE_FILE_BYTES_MAX);
  if (read === undefined) return { problem: "has gone" };
  return "problem" in read ? read : parseFileMessage(file, read.text);
}

/** Names in the folder, at most {@link LISTED_MAX}. */
async function list(folder: string): Promise<{ readonly names: readonly string[]; readonly cut: boolean }> {
  const names: string[] = [];
  for await (const entry of await opendir(folder)) {
    if (names.length >= LISTED_MAX) return { names, cut: true };
    names.push(entry.name);
  }
  return { names, cut: false };
}

/** What changes whenever a file is written: a program cannot set it back. */
async function identityOf(folder: string, name: string): Promise<string> {
  const { ino, ctimeNs } = await lstat(join(folder, name), { bigint: true });
  return `${ino} ${ctimeNs}`;
}
