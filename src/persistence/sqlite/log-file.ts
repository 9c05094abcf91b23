/**
 * The database of a job as a file of rows, read as they are stored.
 *
 * L1. Bodies are read as bytes: SQLite would hand over bytes that are not UTF-8 with replacements, and a change would pass.
 */
import { z } from "zod";
import { BusError } from "../bus-error.ts";
import type { LogRow } from "../chain.ts";
import { utf8 } from "../export-file.ts";
import type { LogFile } from "../log-file.ts";
import { prepareReadCheckpoint } from "./checkpoint.ts";
import { guarded } from "./errors.ts";
import { connect, type Connection, jobOf } from "./open.ts";
import { connectToRead } from "./reading.ts";
import { prepareLengthen } from "./texts.ts";

/** Rows fetched at once. */
const PAGE_ROWS = 256;

const rowSchema = z.strictObject({
  seq: z.int(),
  round: z.int(),
  at: z.string(),
  kind: z.string(),
  body: z.instanceof(Uint8Array),
  prev: z.string(),
  hash: z.string(),
});

/** The log in a database file; of `wanted`, where that is given. @throws BusError as `openSqliteBus` does. */
export function sqliteLogFile(file: string, wanted?: string): LogFile {
  return guarded(file, () => {
    // The job of a repository may be run at this moment: a copy would lag behind its anchor.
    const db = wanted === undefined ? connectToRead(file) : connect(file, "readonly", "FULL");
    try {
      const job = jobOf(db, file, wanted);
      const readCheckpoint = prepareReadCheckpoint(db);
      return {
        kind: "database",
        rows: (after) => rowsOf(db, file, job, after),
        checkpoint: () => guarded(file, readCheckpoint),
        damage: () => guarded(file, () => damageOf(db)),
        close: () => void db.close(),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function* rowsOf(
  db: Connection,
  file: string,
  job: string,
  after = Number.MIN_SAFE_INTEGER,
): Generator<LogRow, void, void> {
  const page = guarded(file, () =>
    db.prepare(
      "SELECT seq, round, at, kind, CAST(body AS BLOB) AS body, prev, hash FROM log WHERE seq > ? ORDER BY seq LIMIT ?",
    ),
  );
  const lengthen = guarded(file, () => prepareLengthen(db, file));
  for (let known = after; ;) {
    const rows = guarded(file, () => page.all(known, PAGE_ROWS).map((found) => rowSchema.parse(found)));
    for (const { body, ...row } of rows) {
      const text = utf8(body);
      if (text === undefined)
        throw new BusError("corrupt", `${file}: the body of entry ${row.seq} is not UTF-8: restore a copy`);
      yield { job, ...row, body: guarded(file, () => lengthen(text, row.seq)) };
      known = row.seq;
    }
    if (rows.length < PAGE_ROWS) return;
  }
}

/** What SQLite itself finds wrong with its pages; the tables may still be readable. */
function damageOf(db: Connection): string | undefined {
  const said = String(db.pragma("quick_check(1)", { simple: true }));
  return said === "ok" ? undefined : said;
}
