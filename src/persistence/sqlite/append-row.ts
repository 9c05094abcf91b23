/** Writes one row of the log as it is given; its place is checked by a trigger, its hash by nobody. */
import type Database from "better-sqlite3";
import type { LogRow } from "../chain.ts";

/** Prepares the writing of rows. */
export function prepareAppendRow(db: Database.Database): (row: LogRow) => void {
  const append = db.prepare(
    "INSERT INTO log (seq, round, at, kind, body, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  return (row) => void append.run(row.seq, row.round, row.at, row.kind, row.body, row.prev, row.hash);
}
