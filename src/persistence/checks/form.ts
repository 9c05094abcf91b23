/**
 * The form of a row, wherever it was kept: the bytes that were hashed are those that cfa writes (docs/log.md, "Which bytes are
 * hashed").
 *
 * F1. `at` is an ISO 8601 time in UTC with milliseconds, and the body is canonical: no other text says the same.
 */
import { z } from "zod";
import { canonicalJson } from "../canonical-json.ts";
import type { LogRow } from "../chain.ts";
import type { Entry } from "../entry.ts";

const atSchema = z.iso.datetime({ precision: 3 });

/** What is wrong with the form of a row whose body says what `entry` does; undefined when nothing is. */
export function misformed(row: LogRow, entry: Entry): string | undefined {
  if (!atSchema.safeParse(row.at).success)
    return `its time ${JSON.stringify(row.at)} is not written as cfa writes it: ISO 8601 in UTC, with milliseconds`;
  if (canonicalJson(entry.body) !== row.body)
    return "its body is not written as cfa writes it: canonical JSON";
  return undefined;
}
