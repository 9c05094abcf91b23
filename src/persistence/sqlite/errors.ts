/**
 * SQLite's result codes as sentences.
 */
import Database from "better-sqlite3";
import { z } from "zod";
import { BusError } from "../bus-error.ts";

/**
 * Runs `operation` on the database in `file`; what SQLite reports, and a row that no schema of ours fits, is thrown as a
 * {@link BusError}. Errors of other kinds (a StaleCommit, a bug) pass unchanged.
 */
export function guarded<T>(file: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw busErrorOf(error, file);
  }
}

/** The {@link BusError} for what SQLite reports; any other error as it is. */
export function busErrorOf(error: unknown, file: string): unknown {
  if (error instanceof TypeError && error.message === "The database connection is not open")
    return new BusError("closed", `${file} is closed: open the bus again`, { cause: error });
  const because = { cause: error };
  if (error instanceof z.ZodError)
    return new BusError("corrupt", `${file} holds a row that no cfa wrote: restore it from a copy`, because);
  if (!(error instanceof Database.SqliteError)) return error;
  // The file of shared memory that even readers need could not be made as long as it must be.
  if (error.code === "SQLITE_IOERR_SHMSIZE") return full(file, because);
  switch (primaryCode(error.code)) {
    case "SQLITE_FULL":
      return full(file, because);
    case "SQLITE_NOTADB":
      return new BusError(
        "foreign",
        `${file} is not a SQLite database, so no cfa log: name another file`,
        because,
      );
    case "SQLITE_CORRUPT":
      return new BusError(
        "corrupt",
        `${file} is damaged or cut (${error.message}): restore it from a copy; nothing was overwritten`,
        because,
      );
    case "SQLITE_BUSY":
    case "SQLITE_LOCKED":
      return new BusError("busy", `${file} is locked by another process: try again when it is done`, because);
    case "SQLITE_READONLY":
      return new BusError(
        "read-only",
        `${file} cannot be written here: it was opened or mounted read-only`,
        because,
      );
    case "SQLITE_CANTOPEN":
      return new BusError(
        "io",
        `${file} cannot be opened: check that it may be read and its folder written`,
        because,
      );
    default:
      return new BusError("io", `${file}: ${error.message} (${error.code})`, because);
  }
}

function full(file: string, because: ErrorOptions): BusError {
  return new BusError("full", `${file}: no space left on its disk; free some, then resume the job`, because);
}

/** `SQLITE_IOERR_WRITE` → `SQLITE_IOERR`: extended codes add words to the primary one. */
function primaryCode(code: string): string {
  return code.split("_").slice(0, 2).join("_");
}
