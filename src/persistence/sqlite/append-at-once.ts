/**
 * Writes the rows of one commit in one statement: a commit of one entry costs one call instead of four, and no transaction of its own
 * has to be begun and ended.
 *
 * O1. The round of the first row comes from a query that finds nothing unless the epoch is the owner's and the entry before has
 *     the hash that the first row names; that it is the newest, the trigger of the table says. Then no row is written.
 */
import Database from "better-sqlite3";
import type { Sealed } from "../chain.ts";
import type { Connection } from "./open.ts";
import { LONG } from "./texts.ts";

/** Most rows of one statement; each number of rows has one of its own, prepared when it is first needed. */
const MOST = 32;

const ROUND =
  "(SELECT ? FROM owner, log WHERE owner.epoch = ? AND owner.host IS NOT NULL AND log.seq = ? AND log.hash = ?)";

/**
 * Prepares writing. The result says whether the rows are written: they are not when `epoch` does not own the job or the first row does
 * not follow the newest (O1), nor when there are too many of them, none, or one whose body is to be stored in parts (texts.ts).
 */
export function prepareAppendAtOnce(db: Connection): (epoch: number, sealed: readonly Sealed[]) => boolean {
  const statements: Database.Statement[] = [];
  return (epoch, sealed) => {
    const count = sealed.length;
    if (count === 0 || count > MOST) return false;
    const values: (string | number)[] = [];
    for (const { row } of sealed) {
      const { seq, round, at, kind, body, prev, hash } = row;
      if (body.length >= LONG) return false;
      if (values.length === 0) values.push(seq, round, epoch, seq - 1, prev);
      else values.push(seq, round);
      values.push(at, kind, body, prev, hash);
    }
    return isWritten((statements[count] ??= db.prepare(insertOf(count))), values);
  };
}

function insertOf(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `(?, ${at === 0 ? ROUND : "?"}, ?, ?, ?, ?, ?)`);
  return `INSERT INTO log (seq, round, at, kind, body, prev, hash) VALUES ${rows.join(", ")}`;
}

/** False when the table refuses the rows: a round that is missing, or a number that does not follow the newest (O1). */
function isWritten(insert: Database.Statement, values: readonly (string | number)[]): boolean {
  try {
    insert.run(...values); // one by one: better-sqlite3 takes an array to pieces more slowly
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT")) return false;
    throw error;
  }
}
