/**
 * Refusing a log that is shorter than, or other than, what its anchor in git says (docs/log.md, "The anchor").
 *
 * A1. Whoever reads a job or adds to it asks here first: what is read from a cut log is wrong, what is added to it buries the rest.
 *     `cfa verify` alone goes on, and says what it finds (verify-outside.ts).
 */
import { BusError } from "../persistence/bus-error.ts";
import type { LogFile } from "../persistence/log-file.ts";
import type { JobLog } from "../persistence/ports.ts";
import { readAnchor } from "../runtime/workspaces/anchor-ref.ts";
import { refs } from "../runtime/workspaces/trees.ts";

type Row = { readonly seq: number; readonly hash: string };

/** The entries of a log after number `after`, in their order. */
type ReadAfter = (after: number) => Iterable<Row> | AsyncIterable<Row>;

/**
 * Sees that the log of a job holds the entry that the anchor in the repository at `top` names.
 * @throws BusError `corrupt` when it does not: the log was cut, its write-ahead log is missing, or it was written anew.
 */
export function requireAnchored(top: string, job: string, log: JobLog): Promise<void> {
  return compare(top, job, (after) => log.read(after));
}

/** The same for the log of a job in a file. */
export function requireAnchoredFile(top: string, job: string, file: LogFile): Promise<void> {
  return compare(top, job, (after) => file.rows(after));
}

async function compare(top: string, job: string, read: ReadAfter): Promise<void> {
  // The anchor first: a log that grows meanwhile only gets longer.
  const anchor = await readAnchor(top, job);
  if (anchor === undefined || anchor === "unreadable") return;
  for await (const { hash } of read(anchor.seq - 1)) {
    if (hash === anchor.hash) return;
    throw refusal(job, anchor, "another entry stands there");
  }
  let last = 0;
  for await (const { seq } of read(0)) last = seq;
  throw refusal(job, anchor, `the log ends at entry ${last}`);
}

function refusal(job: string, { seq }: Row, what: string): BusError {
  return new BusError(
    "corrupt",
    `job ${job}: ${refs.anchor(job)} names entry ${seq}, and ${what}: bus.db was cut, replaced, or separated from its bus.db-wal; restore both from a copy; nothing was overwritten`,
  );
}
