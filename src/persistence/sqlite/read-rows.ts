/**
 * Reads log rows in pages.
 *
 * R1. No statement stays open between two pages: whoever reads slowly blocks no writer, not even on the same connection.
 * R2. Rows only ever get added, so the pages of one reading fit together like one snapshot.
 */
import { z } from "zod";
import { BusError } from "../bus-error.ts";
import type { LogRow } from "../chain.ts";
import type { Connection } from "./open.ts";
import { prepareLengthen } from "./texts.ts";

/** Rows fetched at once. */
const PAGE_ROWS = 256;

const rowSchema = z.tuple([z.int(), z.int(), z.string(), z.string(), z.string(), z.string(), z.string()]);

/** Reads the first rows with numbers in (after, upTo], at least one where there are any; `upTo` must not lie beyond the newest. */
export type ReadPage = (after: number, upTo: number) => readonly LogRow[];

/** Prepares reading; a missing row is reported as `corrupt`. */
export function prepareReadPage(db: Connection, file: string, job: string): ReadPage {
  const page = db
    .prepare(
      "SELECT seq, round, at, kind, body, prev, hash FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
    )
    .raw();
  const lengthen = prepareLengthen(db, file);
  return (after, upTo) => {
    if (after >= upTo) return [];
    const found = page.all(after, upTo, PAGE_ROWS);
    if (found.length === 0) throw gap(file, after + 1);
    const rows: LogRow[] = [];
    let known = after;
    for (const one of found) {
      const row = rowOf(one, job, lengthen);
      known += 1;
      if (row.seq !== known) throw gap(file, known);
      rows.push(row);
    }
    return rows;
  };
}

/** A row as SQLite gives it; the table is STRICT, so what the schema refuses is damage. */
function rowOf(found: unknown, job: string, lengthen: (body: string, seq: number) => string): LogRow {
  const row = isRow(found) ? found : rowSchema.parse(found);
  return {
    job,
    seq: row[0],
    round: row[1],
    at: row[2],
    kind: row[3],
    body: lengthen(row[4], row[0]),
    prev: row[5],
    hash: row[6],
  };
}

/** What {@link rowSchema} says, in a tenth of its time: a log is read row by row. */
function isRow(row: unknown): row is z.infer<typeof rowSchema> {
  if (!Array.isArray(row) || row.length !== 7) return false;
  if (!Number.isInteger(row[0]) || !Number.isInteger(row[1])) return false;
  for (let at = 2; at < 7; at++) if (typeof row[at] !== "string") return false;
  return true;
}

function gap(file: string, seq: number): BusError {
  return new BusError(
    "corrupt",
    `${file} lacks entry ${seq}: restore it from a copy; nothing was overwritten`,
  );
}
