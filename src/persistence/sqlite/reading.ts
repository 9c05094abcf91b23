/**
 * A connection for whoever reads a file that lies anywhere, and leaves nothing beside it: on a read-only mount, on a full disk, in
 * somebody else's folder.
 *
 * R1. SQLite makes `-wal` and `-shm` beside a database even for readers. So where no write-ahead log holds entries, the file is all there
 *     is, and is read from a copy in memory.
 * R2. A file that a process writes to meanwhile, one with a write-ahead log, and one too large for memory are read in their place.
 */
import { readFileSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { isErrno } from "../../soup/errno.ts";
import { connect, type Connection, recognise } from "./open.ts";

/** Largest copy in memory, in bytes. */
const COPY_BYTES = 1 << 30;

/** Where the header says how the journal is kept (https://sqlite.org/fileformat.html): twice 2 for a write-ahead log. */
const JOURNAL_AT = 18;
const WRITE_AHEAD = 2;
const ROLLBACK = 1;

/** Connects for reading only. @throws as {@link connect}. */
export function connectToRead(file: string): Connection {
  const bytes = wholeFile(file);
  if (bytes === undefined) return connect(file, "readonly", "FULL");
  // A database in memory has no write-ahead log; SQLite refuses the bytes of one that says it has.
  if (bytes[JOURNAL_AT] === WRITE_AHEAD && bytes[JOURNAL_AT + 1] === WRITE_AHEAD)
    bytes.fill(ROLLBACK, JOURNAL_AT, JOURNAL_AT + 2);
  const db = new Database(bytes);
  try {
    recognise(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The bytes of a file that is all there is of its database, and was so while it was read (R1); undefined otherwise. */
function wholeFile(file: string): Buffer | undefined {
  const before = statSync(file, { throwIfNoEntry: false });
  if (before === undefined || before.size === 0 || before.size > COPY_BYTES || hasWriteAhead(file))
    return undefined;
  const bytes = readFileSync(file);
  const after = statSync(file);
  const isSame = after.mtimeMs === before.mtimeMs && after.size === bytes.length;
  return isSame && !hasWriteAhead(file) ? bytes : undefined;
}

function hasWriteAhead(file: string): boolean {
  try {
    return statSync(`${file}-wal`).size > 0;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
