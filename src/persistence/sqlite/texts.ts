/**
 * Long texts of bodies, stored once: the final text of a turn that is also its reply, an outcome record that four entries repeat,
 * a message that is quoted. What the log says and what is hashed does not change by it.
 *
 * X1. In a stored body a long string, quotes included, may stand as U+0001 and the SHA-256 of what it stands for. JSON never
 *     holds that character as it is, so nothing else can be taken for one.
 * X2. A text is never changed or deleted: triggers see to it. One that is damaged all the same breaks the hash of each entry
 *     that holds it; one that is missing is reported with the entry.
 */
import { createHash } from "node:crypto";
import type Database from "better-sqlite3";
import { z } from "zod";
import { BusError } from "../bus-error.ts";

/** Shortest string that is stored aside, in characters with its quotes: less would not be worth its place. */
export const LONG = 1_024;
const MARK = "\u0001";
const MARKED = new RegExp(`${MARK}([0-9a-f]{64})`, "gu");

const textSchema = z.strictObject({ text: z.string() }).optional();

/** Prepares putting long texts aside. The result gives the body as it is stored. */
export function prepareShorten(db: Database.Database): (body: string) => string {
  const keep = db.prepare("INSERT INTO texts (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING");
  return (body) => {
    if (body.length < LONG) return body;
    let stored = "";
    let rest = 0;
    for (const [from, to] of stringsOf(body)) {
      if (to - from < LONG) continue;
      const literal = body.slice(from, to);
      const hash = createHash("sha256").update(literal).digest("hex");
      keep.run(hash, literal);
      stored += `${body.slice(rest, from)}${MARK}${hash}`;
      rest = to;
    }
    return stored + body.slice(rest);
  };
}

/** Where the strings of a JSON text begin and end. By hand: a regular expression runs out of stack on a long one full of escapes. */
function* stringsOf(json: string): Generator<readonly [from: number, to: number], void, void> {
  for (let from = json.indexOf('"'); from >= 0;) {
    let end = json.indexOf('"', from + 1);
    while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
    yield [from, end + 1];
    from = json.indexOf('"', end + 1);
  }
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/** Prepares reading bodies back. The result gives the body as it was hashed. @throws BusError `corrupt` (X2). */
export function prepareLengthen(db: Database.Database, file: string): (body: string, seq: number) => string {
  const find = db.prepare("SELECT text FROM texts WHERE hash = ?");
  return (body, seq) => {
    if (!body.includes(MARK)) return body;
    return body.replaceAll(MARKED, (_, hash: string) => {
      const found = textSchema.parse(find.get(hash));
      if (found !== undefined) return found.text;
      throw new BusError(
        "corrupt",
        `${file} lacks a text of entry ${seq}: restore it from a copy; nothing was overwritten`,
      );
    });
  };
}
