/**
 * Reads log rows in pages.
 *
 * R1. No statement stays open between two rows: whoever reads slowly blocks no writer, not even on the same connection.
 * R2. Rows only ever get added, so the pages of one reading fit together like one snapshot.
 */
import { z } from "zod";
import { BusError } from "../bus-error.ts";
import type { LogRow } from "../chain.ts";
import type { Connection } from "./open.ts";

/** Rows fetched at once. */
const PAGE_ROWS = 256;

const rowSchema = z.strictObject({
  seq: z.int(),
  round: z.int(),
  at: z.string(),
  kind: z.string(),
  body: z.string(),
  prev: z.string(),
  hash: z.string(),
});

/** Reads rows with numbers in (after, upTo]; `upTo` must not lie beyond the newest. */
export type ReadRows = (after: number, upTo: number) => Generator<LogRow, void, void>;

/** Prepares reading; a missing row is reported as `corrupt`. */
export function prepareReadRows(db: Connection, file: string, job: string): ReadRows {
  const page = db.prepare(
    "SELECT seq, round, at, kind, body, prev, hash FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
  );
  return function* (after, upTo) {
    let known = after;
    while (known < upTo) {
      const rows = page.all(known, upTo, PAGE_ROWS);
      if (rows.length === 0) throw gap(file, known + 1);
      for (const found of rows) {
        const { seq, round, at, kind, body, prev, hash } = rowSchema.parse(found);
        if (seq !== known + 1) throw gap(file, known + 1);
        yield { job, seq, round, at, kind, body, prev, hash };
        known = seq;
      }
    }
  };
}

function gap(file: string, seq: number): BusError {
  return new BusError(
    "corrupt",
    `${file} lacks entry ${seq}: restore it from a copy; nothing was overwritten`,
  );
}
