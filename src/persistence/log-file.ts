/**
 * A log as it lies in a file, for whoever only reads: rows as they were stored, not yet believed.
 *
 * F1. Nothing is claimed and nothing in the file is changed; the file alone is enough.
 * F2. Only a regular file is read: it is opened more than once, and what comes through a pipe comes once.
 * F3. Rows are given as they stand: whether they fit together is for verify.ts to say.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { BusError } from "./bus-error.ts";
import type { LogRow } from "./chain.ts";
import { exportFile } from "./export-file.ts";
import type { Checkpoint } from "./ports.ts";
import { sqliteLogFile } from "./sqlite/log-file.ts";

/** See the header. Close it when done. */
export type LogFile = {
  readonly kind: "database" | "export";
  /**
   * Rows from the first, or those after number `after`, to the one that was newest when reading began. Throws BusError `corrupt`
   * where none can be made out.
   */
  readonly rows: (after?: number) => Generator<LogRow, void, void>;
  /** The cache that a database keeps beside its log; undefined when there is none. */
  readonly checkpoint: () => Checkpoint | undefined;
  /** What is wrong with the file itself, in one sentence; undefined when nothing is known to be. */
  readonly damage: () => string | undefined;
  readonly close: () => void;
};

const SQLITE = "SQLite format 3\0";

/**
 * Opens a log: the database of a job (`bus.db`), or what `cfa log --jsonl` printed. A database must be of the job `wanted`, where
 * one is.
 * @throws BusError `missing`, `foreign`, `version`, `job`, `corrupt` or `io`.
 */
export function openLogFile(file: string, wanted?: string): LogFile {
  return startOf(file) === SQLITE || file.endsWith(".db") ? sqliteLogFile(file, wanted) : exportFile(file);
}

function startOf(file: string): string {
  try {
    if (!statSync(file).isFile())
      throw new BusError("foreign", `${file} is no regular file: write the log into one, and name that`);
    const handle = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(SQLITE.length);
      return bytes.toString("latin1", 0, readSync(handle, bytes));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (error instanceof BusError || !(error instanceof Error && "code" in error)) throw error;
    const missing = error.code === "ENOENT" || error.code === "ENOTDIR";
    const what = missing
      ? "does not exist: name the file of a log"
      : `cannot be read (${String(error.code)})`;
    throw new BusError(missing ? "missing" : "io", `${file} ${what}`, { cause: error });
  }
}
