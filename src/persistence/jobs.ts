/**
 * Where jobs live: `<top>/.cfa/jobs/<id>/bus.db`, `<top>` being the top of a worktree.
 *
 * J1. The folders are the index. There is no other list that could say something else.
 * J2. A folder without `bus.db` is no job: it was never opened.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { BusError } from "./bus-error.ts";
import { firstEntryTime } from "./sqlite/first-entry-time.ts";

/**
 * The folder of a job: its log, its worktrees, its streams. It need not exist.
 * @throws BusError `name` when the id is not a single file name.
 */
export function jobDirectory(top: string, id: string): string {
  if (id === "" || id === "." || id === ".." || /[/\\\0]/.test(id))
    throw new BusError("name", `"${id}" is not the id of a job: give one as cfa status lists it`);
  return join(top, ".cfa", "jobs", id);
}

/** The file that holds the log of a job. It need not exist. */
export function jobFile(top: string, id: string): string {
  return join(jobDirectory(top, id), "bus.db");
}

/**
 * The ids of all jobs under `top`, newest first: by the time of the first entry; of a job without a readable one by
 * the birth of its file; equal times by id. An unreadable job is listed too, so that whoever opens it hears why.
 */
export async function listJobs(top: string): Promise<readonly string[]> {
  const names = await entriesIn(join(top, ".cfa", "jobs"));
  const jobs = await Promise.all(names.map(async (id) => ({ id, time: await timeOf(jobFile(top, id)) })));
  return jobs
    .flatMap(({ id, time }) => (time === undefined ? [] : [{ id, time }]))
    .sort((a, b) => b.time - a.time || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

/** Milliseconds since 1970; undefined when the file is not there. */
async function timeOf(file: string): Promise<number | undefined> {
  const birth = await unlessMissing(stat(file), undefined);
  if (birth === undefined || !birth.isFile()) return undefined;
  return firstEntryTime(file) ?? birth.birthtimeMs;
}

async function entriesIn(folder: string): Promise<readonly string[]> {
  return unlessMissing(readdir(folder), []);
}

async function unlessMissing<T, U>(found: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return otherwise;
    throw error;
  }
}
