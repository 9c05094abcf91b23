/**
 * The outbox on disk: appending calls while the turn runs, reading them when it has ended (O1, O4, O9 of outbox.ts).
 *
 * S1. Numbers go up from 1; the number of a call is taken with the file itself, so two calls at once never share one.
 * S2. The outbox is bounded: {@link CALLS_MAX} calls, {@link OUTBOX_BYTES_MAX} bytes. What lies beyond is a problem, not read.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { TurnFacts } from "./agents/port.ts";
import { mintedQuestion, mintedThread } from "./admission.ts";
import {
  FILES_FOLDER,
  MCP_FILE,
  outboxEntrySchema,
  type OutboxEntry,
  REFUSED_FILE,
  RESOLVED_FILE,
  USAGE_FILE,
} from "./outbox.ts";
import { createFile, readRegular, TEMPORARY } from "./outbox-file.ts";
import { ENDED_FILE, FACTS_FILE, parseJson } from "./outbox-facts.ts";

/** Calls that a turn may make. */
export const CALLS_MAX = 1000;
/** Bytes that the calls of a turn may take. */
export const OUTBOX_BYTES_MAX = 16 * 1024 * 1024;

/** What else stands in an outbox. */
const OTHER_FILES: ReadonlySet<string> = new Set([
  FACTS_FILE,
  ENDED_FILE,
  FILES_FOLDER,
  MCP_FILE,
  REFUSED_FILE,
  RESOLVED_FILE,
  USAGE_FILE,
]);

/** What a turn said. */
export type Outbox = {
  /** The calls, in order. */
  readonly entries: readonly OutboxEntry[];
  /** What was not understood or not allowed, one sentence each; the file is named. */
  readonly problems: readonly string[];
  /** Number for the next call. */
  readonly next: number;
};

/** Writes a call under its number; settles with false when the number is taken (S1). */
export function appendCall(directory: string, number: number, entry: OutboxEntry): Promise<boolean> {
  return createFile(join(directory, fileName(number)), `${JSON.stringify(entry)}\n`);
}

/**
 * Reads an outbox. With `facts`, an entry with a thread or question id that the turn could not have minted for it is a problem, too:
 * such a file was not written by cfa, and its id could clash.
 */
export async function readOutbox(directory: string, facts?: TurnFacts): Promise<Outbox> {
  const entries: OutboxEntry[] = [];
  const problems: string[] = [];
  const { numbers, strangers } = await listCalls(directory);
  for (const name of strangers)
    problems.push(`outbox file ${name} is no call (calls are 0001.json, 0002.json, …): ignored`);
  let bytes = 0;
  for (const number of numbers) {
    if (entries.length >= CALLS_MAX) {
      problems.push(
        `the outbox holds more than ${CALLS_MAX} calls: those from ${fileName(number)} on are ignored`,
      );
      break;
    }
    const file = await readRegular(join(directory, fileName(number)), OUTBOX_BYTES_MAX - bytes);
    if (file === undefined) continue;
    if ("text" in file) bytes += Buffer.byteLength(file.text);
    const entry = "problem" in file ? file : parseEntry(file.text, number, facts);
    if ("problem" in entry) problems.push(`outbox file ${fileName(number)} ${entry.problem}: ignored`);
    else entries.push(entry);
  }
  return { entries, problems, next: (numbers.at(-1) ?? 0) + 1 };
}

async function listCalls(
  directory: string,
): Promise<{ readonly numbers: readonly number[]; readonly strangers: readonly string[] }> {
  const names = (await readdir(directory)).filter(
    (name) => !OTHER_FILES.has(name) && !name.startsWith(TEMPORARY),
  );
  const numberOf = (name: string): number => {
    const number = /^\d{4,9}\.json$/.test(name) ? Number.parseInt(name, 10) : 0;
    return fileName(number) === name ? number : 0;
  };
  const numbers = names.map(numberOf).filter((number) => number > 0);
  return {
    numbers: numbers.sort((a, b) => a - b),
    strangers: names.filter((name) => numberOf(name) === 0).sort(),
  };
}

function parseEntry(
  text: string,
  number: number,
  facts: TurnFacts | undefined,
): OutboxEntry | { readonly problem: string } {
  const parsed = outboxEntrySchema.safeParse(parseJson(text));
  if (!parsed.success)
    return { problem: `is no call (${z.prettifyError(parsed.error).replaceAll(/\s+/g, " ")})` };
  const entry = parsed.data;
  if (facts === undefined) return entry;
  const isProxys = entry.verb === "respond" || (facts.proxy !== undefined && entry.verb === "ask");
  if (isProxys !== (facts.proxy !== undefined))
    return { problem: `is a call (${entry.verb}) that ${facts.agent} cannot make` };
  if (entry.verb === "ask" && entry.question !== mintedQuestion(facts, number)) {
    return { problem: `asks under the id ${entry.question}, which is not this call's` };
  }
  if (entry.verb === "send" && entry.opens && entry.thread !== mintedThread(facts, number)) {
    return { problem: `opens the conversation ${entry.thread}, which is not this call's id` };
  }
  return entry;
}

function fileName(number: number): string {
  return `${String(number).padStart(4, "0")}.json`;
}
