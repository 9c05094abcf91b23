/**
 * Which log a reading command means: a job of the repository, or a file that may lie anywhere.
 *
 * L1. A word that ends in `.jsonl` or `.db`, or holds a `/`, is a file; any other is a job. Without a word it is the newest job.
 * L2. A file needs no repository; `--repo` names the one that it came from.
 * L3. Where the repository is known, a log that lacks what its anchor names is refused, but to who looks for such faults.
 */
import { resolve } from "node:path";
import { requireAnchoredFile } from "../engine/anchored.ts";
import { BusError } from "../persistence/bus-error.ts";
import { decodeEntry } from "../persistence/codec.ts";
import type { Entry } from "../persistence/entry.ts";
import { jobFile } from "../persistence/jobs.ts";
import { type LogFile, openLogFile } from "../persistence/log-file.ts";
import type { Context } from "./context.ts";
import { chooseJob, repositoryTop } from "./jobs.ts";

/** A log to read. */
export type LogSource = {
  /** The word by which the user knows it. */
  readonly name: string;
  /** Id of the job; undefined where a file was named. */
  readonly job: string | undefined;
  readonly file: LogFile;
  /** Top of its repository; undefined where none is known. */
  readonly top: string | undefined;
};

/** Whether a word names a file (L1). */
export function isFileName(word: string): boolean {
  return /\.(jsonl|db)$/.test(word) || word.includes("/");
}

/** Opens the log that a word means, does `work`, and closes it. Throws BusError for a damaged log (L3). */
export function withSource<T>(
  context: Context,
  repo: string | undefined,
  word: string | undefined,
  work: (source: LogSource) => Promise<T>,
): Promise<T> {
  return withUncheckedSource(context, repo, word, async (source) => {
    const { top, file } = source;
    const job = source.job ?? file.rows().next().value?.job;
    if (top !== undefined && job !== undefined) await requireAnchoredFile(top, job, file);
    return work(source);
  });
}

/** The same for `cfa verify`, which says itself what the anchor tells. */
export async function withUncheckedSource<T>(
  context: Context,
  repo: string | undefined,
  word: string | undefined,
  work: (source: LogSource) => Promise<T>,
): Promise<T> {
  const source = await open(context, repo, word);
  try {
    return await work(source);
  } finally {
    source.file.close();
  }
}

async function open(
  context: Context,
  repo: string | undefined,
  word: string | undefined,
): Promise<LogSource> {
  if (word !== undefined && isFileName(word)) {
    const top = repo === undefined ? undefined : await repositoryTop(context, repo);
    return { name: word, job: undefined, file: openLogFile(resolve(context.cwd, word)), top };
  }
  const { top, id } = await chooseJob(context, repo, word);
  return { name: id, job: id, file: openLogFile(jobFile(top, id), id), top };
}

/** The entries of a log, parsed. Throws BusError for a row that is none, and for a log without rows. */
export function* entriesOf({ file, name }: LogSource): Generator<Entry, void, void> {
  let empty = true;
  for (const row of file.rows()) {
    empty = false;
    yield decodeEntry(row, `entry ${row.seq} of ${name}`);
  }
  if (empty)
    throw new BusError("corrupt", `the log of ${name} is empty: it needs the entry that opens the job`);
}
