/**
 * Opening and making a job's file.
 *
 * F1. A file is made whole under another name and linked into place: a kill leaves none that is half made, and of two
 *     processes that make it at once one wins and both open the same.
 * F2. Before anything is read the file is recognised: SQLite, a cfa log, of this version, of this job.
 * F3. Opening an existing file changes nothing in it.
 */
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { nanoid } from "nanoid";
import { z } from "zod";
import { BusError } from "../bus-error.ts";
import type { LogRow } from "../chain.ts";
import type { OpenMode } from "../options.ts";
import { prepareAppendRow } from "./append-row.ts";
import { APPLICATION_ID, TABLES, TABLES_VERSION } from "./tables.ts";

/** A connection to a job's file. */
export type Connection = Database.Database;

/** How long a statement waits for a lock of another process, in milliseconds. */
const LOCK_MILLIS = 5_000;

/**
 * Makes the file of a job, with its folders, unless something stands there already: then it returns false. `rows` are the
 * entries that its log begins with, sealed for this job.
 * @throws whatever the file system or SQLite reports.
 */
export function createFile(file: string, job: string, rows: Iterable<LogRow> = []): boolean {
  if (existsSync(file)) return false;
  const folder = dirname(file);
  const made = mkdirSync(folder, { recursive: true });
  const draft = `${file}.${nanoid(8)}.new`;
  let linked: boolean;
  try {
    makeTables(draft, job, rows);
    linked = linkUnlessThere(draft, file);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${draft}${suffix}`, { force: true });
  }
  for (let synced = folder; ; synced = dirname(synced)) {
    syncFolder(synced);
    if (made === undefined || synced === dirname(made)) return linked;
  }
}

/**
 * Connects to the file of a job.
 * @throws BusError `missing`, `foreign`, `version` or `job` (F2); SqliteError for what SQLite reports.
 */
export function connect(file: string, mode: OpenMode, synchronous: "FULL" | "NORMAL"): Connection {
  if (!existsSync(file))
    throw new BusError("missing", `${file} does not exist: check the job's id (cfa status lists the jobs)`);
  const db = new Database(file, { readonly: mode === "readonly", fileMustExist: true, timeout: LOCK_MILLIS });
  try {
    db.pragma(`synchronous = ${synchronous}`);
    recognise(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The job whose log a connection holds. @throws BusError `job` when that is not the one that was `wanted`. */
export function jobOf(db: Connection, file: string, wanted?: string): string {
  const row: unknown = db.prepare("SELECT job FROM meta").get();
  const parsed = z.strictObject({ job: z.string().min(1) }).safeParse(row);
  if (!parsed.success)
    throw new BusError("corrupt", `${file} does not say of which job it is: restore it from a copy`);
  const { job } = parsed.data;
  if (wanted === undefined || wanted === job) return job;
  throw new BusError(
    "job",
    `${file} holds job "${job}", not "${wanted}": its folder was renamed or mixed up`,
  );
}

/** Sees that a database is a cfa log of this version (F2). @throws BusError `foreign` or `version`. */
export function recognise(db: Connection, file: string): void {
  const application = db.pragma("application_id", { simple: true });
  if (application !== APPLICATION_ID)
    throw new BusError("foreign", `${file} is a database, but not a cfa log, or is empty: name another file`);
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version === TABLES_VERSION) return;
  const [age, advice] =
    version > TABLES_VERSION
      ? ["a newer", "use that cfa or a later one"]
      : ["an older", "finish or read the job with that cfa"];
  throw new BusError(
    "version",
    `${file} was written by ${age} cfa (format ${version}, this one reads ${TABLES_VERSION}): ${advice}`,
  );
}

function makeTables(file: string, job: string, rows: Iterable<LogRow>): void {
  const db = new Database(file);
  try {
    db.pragma("journal_mode = WAL");
    db.transaction(() => {
      db.exec(TABLES);
      db.prepare("INSERT INTO meta (one, job) VALUES (1, ?)").run(job);
      const append = prepareAppendRow(db);
      for (const row of rows) append(row);
    }).immediate();
  } finally {
    // The last connection to close brings the write-ahead log home: the file alone is the database.
    db.close();
  }
}

function linkUnlessThere(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return false;
  }
}

/** Makes the new name in a folder survive a power cut. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
