/**
 * Appends one commit to the log, whole or not at all.
 *
 * A1. No other writer comes between the check of epoch and sequence and the rows: both are one statement, or one IMMEDIATE
 *     transaction.
 * A2. The statement is for the usual commit: some rows without long texts, nothing taken up from the inbox, after the entry
 *     that this connection wrote last. It holds the check of A1 itself and writes nothing where that fails; then, and in
 *     every other case, the transaction reads where the log stands, and refuses or goes on from there.
 */
import { z } from "zod";
import { EMPTY_HEAD, type Head, type Sealed, sealRound } from "../chain.ts";
import type { Entry } from "../entry.ts";
import { requirePending } from "../inbox-item.ts";
import { type Fence, refuseStale } from "../lease.ts";
import type { Commit } from "../ports.ts";
import { prepareAppendAtOnce } from "./append-at-once.ts";
import { prepareAppendRow } from "./append-row.ts";
import type { Connection } from "./open.ts";

/** Prepares commits for a job. The result throws StaleCommit for a writer that is not the owner or not up to date. */
export function prepareAppendRound(
  db: Connection,
  job: string,
  clock: () => Date,
): (commit: Commit) => readonly Entry[] {
  const appendAtOnce = prepareAppendAtOnce(db);
  const appendChecked = prepareAppendChecked(db, job, clock);
  let known = EMPTY_HEAD;
  return (commit) => {
    const sealed = quickly(commit, known) ?? appendChecked(commit);
    const entries = sealed.map(({ entry }) => entry);
    known = entries.at(-1) ?? known;
    return entries;
  };

  function quickly(commit: Commit, head: Head): readonly Sealed[] | undefined {
    if (commit.expected !== head.seq || commit.consumed.length > 0) return undefined;
    const sealed = sealRound(job, head, clock().toISOString(), commit.drafts);
    return appendAtOnce(commit.epoch, sealed) ? sealed : undefined;
  }
}

/** Prepares the transaction of A2. */
function prepareAppendChecked(
  db: Connection,
  job: string,
  clock: () => Date,
): (commit: Commit) => readonly Sealed[] {
  const readFrontier = prepareReadFrontier(db);
  const append = prepareAppendRow(db);
  const take = db.prepare("UPDATE inbox SET taken = ? WHERE id = ? AND taken IS NULL");
  const transaction = db.transaction((commit: Commit): readonly Sealed[] => {
    const { fence, head } = readFrontier();
    refuseStale(job, commit, fence, head);
    const sealed = sealRound(job, head, clock().toISOString(), commit.drafts);
    for (const { row } of sealed) append(row);
    for (const id of commit.consumed) requirePending(id, take.run(head.round + 1, id).changes === 1);
    return sealed;
  });
  return (commit) => transaction.immediate(commit);
}

const frontierSchema = z.strictObject({
  epoch: z.int(),
  held: z.int(),
  seq: z.int().nullable(),
  round: z.int().nullable(),
  hash: z.string().nullable(),
});

/** All that a commit is checked against, in one statement. */
function prepareReadFrontier(db: Connection): () => { readonly fence: Fence; readonly head: Head } {
  const read = db.prepare(
    "SELECT epoch, host IS NOT NULL AS held, seq, round, hash FROM owner LEFT JOIN log ON seq = (SELECT max(seq) FROM log)",
  );
  return () => {
    const { epoch, held, seq, round, hash } = frontierSchema.parse(read.get());
    const head = seq === null || round === null || hash === null ? EMPTY_HEAD : { seq, round, hash };
    return { fence: { epoch, held: held === 1 }, head };
  };
}
