/** Writes one row of the log as it is given; its place is checked by a trigger, its hash by nobody. */
import type Database from "better-sqlite3";
import type { LogRow } from "../chain.ts";
import { prepareShorten } from "./texts.ts";

/** Prepares the writing of rows. */
export function prepareAppendRow(db: Database.Database): (row: LogRow) => void {
  const shorten = prepareShorten(db);
  const append = db.prepare(
    "INSERT INTO log (seq, round, at, kind, body, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  return ({ seq, round, at, kind, body, prev, hash }) =>
    void append.run(seq, round, at, kind, shorten(body), prev, hash);
}
