/**
 * The export format: an entry as one line of JSON (`cfa log --jsonl`), and back.
 *
 * L1. A line is the object `{job, seq, round, at, kind, body, prev, hash}` with its members in this order, the body as
 *     canonical JSON, no spaces (docs/log.md, "The exported form").
 * L2. Reading is strict: a line that says the same in other bytes is refused, so every changed byte is noticed.
 */
import { z } from "zod";
import { BusError } from "./bus-error.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type LogRow, rowOf } from "./chain.ts";
import { requireKnownVersion } from "./checks/versions.ts";
import { type Entry, parseDraft } from "./entry.ts";
import { isPlainFiring } from "./plain-firing.ts";

const hex64 = z.string().regex(/^[0-9a-f]{64}$/, "expected 64 lower-case hex digits");
const lineSchema = z.strictObject({
  job: z.string().min(1),
  seq: z.int().positive(),
  round: z.int().positive(),
  at: z.iso.datetime({ precision: 3 }),
  kind: z.string().min(1),
  body: z.unknown().refine((body) => body !== undefined, "missing"),
  prev: hex64,
  hash: hex64,
});

/** A row as a line of the export, without line end (L1). */
export function encodeRow(row: LogRow): string {
  const quoted = JSON.stringify;
  return (
    `{"job":${quoted(row.job)},"seq":${row.seq},"round":${row.round},"at":${quoted(row.at)},` +
    `"kind":${quoted(row.kind)},"body":${row.body},"prev":${quoted(row.prev)},"hash":${quoted(row.hash)}}`
  );
}

/** An entry as a line of the export, without line end (L1). */
export function encodeEntry(entry: Entry): string {
  return encodeRow(rowOf(entry));
}

/**
 * A line of the export as a row; the body is not yet checked against its kind, the hash not against the bytes.
 * @param number of the line in its file, from 1, for the message.
 * @throws BusError `corrupt` when the line is not JSON, lacks or adds a member, or is not in the bytes of L1.
 */
export function decodeRow(line: string, number: number): LogRow {
  const parsed = lineSchema.safeParse(jsonOf(line, number));
  if (!parsed.success) throw refusal(`line ${number}`, explain(parsed.error));
  const row: LogRow = { ...parsed.data, body: canonicalJson(parsed.data.body) };
  if (encodeRow(row) !== line) throw refusal(`line ${number}`, "written otherwise than cfa writes it");
  return row;
}

/**
 * A row as an entry: the body parsed with the schema of its kind.
 * @param where the row was found (`line 7`, `entry 7 of FILE`), for the message.
 * @throws BusError `version` for the first entry of a log of another version, `corrupt` for an unknown kind or a body that does
 *   not fit it.
 */
export function decodeEntry(row: LogRow, where: string): Entry {
  const { job, seq, round, at, prev, hash } = row;
  requireKnownVersion(row, where);
  const draft = draftOf(row, where);
  if (draft.kind === "fire") return { job, seq, round, at, prev, hash, kind: "fire", body: draft.body };
  return { job, seq, round, at, prev, hash, ...draft };
}

/** A line of the export as an entry: {@link decodeRow}, then {@link decodeEntry}. */
export function decodeLine(line: string, number: number): Entry {
  return decodeEntry(decodeRow(line, number), `line ${number}`);
}

function draftOf(row: LogRow, where: string): ReturnType<typeof parseDraft> {
  const body: unknown = bodyOf(row, where);
  if (row.kind === "fire" && isPlainFiring(body)) return { kind: "fire", body };
  try {
    return parseDraft(row.kind, body);
  } catch (error) {
    if (error instanceof z.ZodError) throw refusal(`${where} (${row.kind})`, explain(error), error);
    if (error instanceof Error) throw new BusError("corrupt", `${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

function bodyOf(row: LogRow, where: string): unknown {
  try {
    return JSON.parse(row.body);
  } catch (error) {
    throw refusal(where, "its body is not JSON", error);
  }
}

function jsonOf(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw refusal(`line ${number}`, line === "" ? "empty" : "not a JSON object, or cut short", error);
  }
}

/** The first issue of a ZodError with its path, as half a sentence. */
function explain(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return error.message;
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}

function refusal(where: string, what: string, cause?: unknown): BusError {
  const advice = "the log was edited, damaged or cut: restore it from a copy or export it again";
  return new BusError("corrupt", `${where}: ${what}; ${advice}`, { cause });
}
