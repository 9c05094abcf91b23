/**
 * Appends one commit to the log, whole or not at all.
 *
 * A1. One IMMEDIATE transaction: no other writer comes between the check of epoch and sequence and the rows.
 */
import { z } from "zod";
import { EMPTY_HEAD, type Head, sealRound } from "../chain.ts";
import type { Entry } from "../entry.ts";
import { requirePending } from "../inbox-item.ts";
import { type Fence, refuseStale } from "../lease.ts";
import type { Commit } from "../ports.ts";
import { prepareAppendRow } from "./append-row.ts";
import type { Connection } from "./open.ts";

/** Prepares commits for a job. The result throws StaleCommit for a writer that is not the owner or not up to date. */
export function prepareAppendRound(
  db: Connection,
  job: string,
  clock: () => Date,
): (commit: Commit) => readonly Entry[] {
  const readFrontier = prepareReadFrontier(db);
  const append = prepareAppendRow(db);
  const take = db.prepare("UPDATE inbox SET taken = ? WHERE id = ? AND taken IS NULL");
  const transaction = db.transaction((commit: Commit): readonly Entry[] => {
    const { fence, head } = readFrontier();
    refuseStale(job, commit, fence, head);
    const entries: Entry[] = [];
    for (const { entry, row } of sealRound(job, head, clock().toISOString(), commit.drafts)) {
      append(row);
      entries.push(entry);
    }
    for (const id of commit.consumed) requirePending(id, take.run(head.round + 1, id).changes === 1);
    return entries;
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
