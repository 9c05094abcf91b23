/**
 * The log of a fork: the entries of another job up to one of its commits, under a new id, and the entry that says so
 * (docs/fork.md).
 *
 * F1. Number, commit, time, kind and body of a copied entry stay; job and hashes are the fork's, so its chain is whole by itself.
 * F2. The chain of the other job can be made again from the copy: it ends in the hash that `fork` names. So a fork shows
 *     what it was made of, with nothing but its own log.
 */
import { EMPTY_HEAD, type Head, type LogRow, rechained, sealRound } from "./chain.ts";
import type { Draft, Entry, EntryBody } from "./entry.ts";

/** Where a fork begins: the newest entry that it takes over. */
export type ForkPoint = Pick<Entry, "job" | "seq" | "round" | "at" | "hash">;

/** The `fork` entry of a log that begins at `point`. */
export function forkDraft({ job, seq, hash, at }: ForkPoint): Draft {
  return { kind: "fork", body: { job, seq, hash, at } };
}

/**
 * The first rows of the log of `job`: those of `past` up to `point`, then one commit of `drafts` at wall time `at`.
 * `past` is given from its first row on.
 */
export function* forkRows(
  past: Iterable<LogRow>,
  point: ForkPoint,
  job: string,
  at: string,
  drafts: readonly Draft[],
): Generator<LogRow, void, void> {
  let head: Head = EMPTY_HEAD;
  for (const row of past) {
    if (row.seq > point.seq) break;
    const copy = rechained(row, job, head.hash);
    head = { seq: copy.seq, round: copy.round, hash: copy.hash };
    yield copy;
  }
  for (const { row } of sealRound(job, head, at, drafts)) yield row;
}

/** The hash that the entry `seq` had in the log of job `job`, made again from the rows of a fork (F2). */
export function hashInPast(rows: Iterable<LogRow>, { job, seq }: EntryBody<"fork">): string {
  let { hash } = EMPTY_HEAD;
  for (const row of rows) {
    if (row.seq > seq) break;
    hash = rechained(row, job, hash).hash;
  }
  return hash;
}
