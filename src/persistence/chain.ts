/**
 * The hash chain: each entry carries the hash of itself and of the entry before it.
 *
 * H1. Hashed are the UTF-8 bytes of the canonical JSON array `[prev, job, seq, round, at, kind, body]`
 *     (canonical-json.ts; docs/log.md, "Which bytes are hashed"). Wall time is among them.
 * H2. A row keeps the body as the text that was hashed, so that storing, exporting and verifying never serialise again.
 * H3. The chain alone shows that nothing was changed, inserted, reordered or left out before its newest entry.
 */
import { hash as digest } from "node:crypto";
import { canonicalJson, quote } from "./canonical-json.ts";
import { bodySchemas, type Draft, type Entry, type Stamp } from "./entry.ts";
import { isPlainFiring } from "./plain-firing.ts";
import { invariant } from "../soup/invariant.ts";

/** An entry as stores and exports keep it: the body is canonical JSON text (H2). */
export type LogRow = Stamp & { readonly kind: string; readonly body: string };

/** Where a log ends: number, round and hash of its newest entry. */
export type Head = { readonly seq: number; readonly round: number; readonly hash: string };

/** The place of an entry before it is hashed. */
export type Place = Omit<Stamp, "hash">;

/** The head of a log without entries. */
export const EMPTY_HEAD: Head = { seq: 0, round: 0, hash: "0".repeat(64) };

/** What a chain is worth: whole up to `head`, or broken at entry number `seq` (the first offending one). */
export type ChainVerdict =
  | { readonly whole: true; readonly head: Head }
  | { readonly whole: false; readonly seq: number; readonly problem: string };

/** SHA-256 over the bytes of H1, as 64 lower-case hex digits. Ignores the row's own `hash`; `prev` is one: nothing in it to escape. */
function rowHash(row: Omit<LogRow, "hash">): string {
  const { prev, job, seq, round, at, kind, body } = row;
  const text = `["${prev}",${quote(job)},${seq},${round},${quote(at)},${quote(kind)},${body}]`;
  return digest("sha256", text, "hex");
}

/** The row of a draft at its place. */
function sealRow(draft: Draft, place: Place): LogRow {
  const { job, seq, round, at, prev } = place;
  const { kind } = draft;
  const body = canonicalJson(draft.body);
  // Spelled out twice: a spread here takes longer than writing and hashing the row together.
  const hash = rowHash({ job, seq, round, at, kind, body, prev });
  return { job, seq, round, at, kind, body, prev, hash };
}

/** The entry of a draft at its place, hashed as H1 says. */
export function seal(draft: Draft, place: Place): Entry {
  return { ...place, hash: sealRow(draft, place).hash, ...draft };
}

/** An entry beside its row. */
export type Sealed = { readonly entry: Entry; readonly row: LogRow };

/** The drafts of one commit after `head`: all in the next round and at the same wall time (ISO 8601). */
export function sealRound(job: string, head: Head, at: string, drafts: readonly Draft[]): readonly Sealed[] {
  const sealed: Sealed[] = [];
  const round = head.round + 1;
  let { seq, hash: prev } = head;
  for (const draft of drafts) {
    seq += 1;
    requireReadable(draft);
    const row = sealRow(draft, { job, seq, round, at, prev });
    // The draft last: spread first, objects of many shapes make this line the slowest of the commit (measured 20-fold).
    sealed.push({ entry: { job, seq, round, at, prev, hash: row.hash, ...draft }, row });
    prev = row.hash;
  }
  return sealed;
}

/** A draft that its own schema refuses would make a log that cannot be read again: a bug of whoever made it. */
function requireReadable(draft: Draft): void {
  if (draft.kind === "fire" && isPlainFiring(draft.body)) return;
  const { error } = bodySchemas[draft.kind].safeParse(draft.body);
  invariant(
    error === undefined,
    `a draft of kind "${draft.kind}" does not fit its schema: ${error?.message}`,
  );
}

/** A row as it stands in the log of `job` after the entry with hash `prev`: nothing else of it changes. */
export function rechained(row: LogRow, job: string, prev: string): LogRow {
  const { seq, round, at, kind, body } = row;
  return { job, seq, round, at, kind, body, prev, hash: rowHash({ job, seq, round, at, kind, body, prev }) };
}

/** The row of an entry: its body written as canonical JSON. */
export function rowOf(entry: Entry): LogRow {
  const { job, seq, round, at, kind, body, prev, hash } = entry;
  return { job, seq, round, at, kind, body: canonicalJson(body), prev, hash };
}

/**
 * Follows the chain over rows that continue `after` (the empty log by default) and names the first that does not fit:
 * numbers without gaps, rounds that stay or rise by one, one job, one time a round, `prev` and `hash` as H1 says.
 */
export function verifyRows(rows: Iterable<LogRow>, after: Head = EMPTY_HEAD): ChainVerdict {
  let before: LogRow | undefined;
  let head = after;
  for (const row of rows) {
    const problem = misfit(row, head, before);
    if (problem !== undefined) return { whole: false, seq: row.seq, problem: `entry ${row.seq}: ${problem}` };
    before = row;
    head = { seq: row.seq, round: row.round, hash: row.hash };
  }
  return { whole: true, head };
}

/** {@link verifyRows} over entries; their bodies are written as canonical JSON again. */
export function verifyChain(entries: Iterable<Entry>, after: Head = EMPTY_HEAD): ChainVerdict {
  return verifyRows(rowsOf(entries), after);
}

function* rowsOf(entries: Iterable<Entry>): Iterable<LogRow> {
  for (const entry of entries) yield rowOf(entry);
}

function misfit(row: LogRow, head: Head, before: LogRow | undefined): string | undefined {
  if (row.seq !== head.seq + 1) return `stands where entry ${head.seq + 1} belongs`;
  if (before !== undefined && row.job !== before.job) return `is of job "${row.job}", not "${before.job}"`;
  const sameRound = row.round === head.round && head.seq > 0;
  if (!sameRound && row.round !== head.round + 1)
    return `is of round ${row.round}, after round ${head.round}`;
  if (sameRound && before !== undefined && row.at !== before.at) return `has another time than its round`;
  if (row.prev !== head.hash) return `names ${row.prev} as the hash before it, which is ${head.hash}`;
  const hash = rowHash(row);
  if (row.hash !== hash) return `carries the hash ${row.hash}, but its bytes give ${hash}`;
  return undefined;
}
