/** Refusing a log that is shorter than, or other than, what its anchor in git says (docs/log.md, "The anchor"). */
import { BusError } from "../persistence/bus-error.ts";
import type { JobLog } from "../persistence/ports.ts";
import { readAnchor } from "../runtime/workspaces/anchor-ref.ts";
import { refs } from "../runtime/workspaces/trees.ts";

/**
 * Sees that the log of a job holds the entry that the anchor in the repository at `top` names.
 * @throws BusError `corrupt` when it does not: the log was cut, its write-ahead log is missing, or it was written anew.
 */
export async function requireAnchored(top: string, job: string, log: JobLog): Promise<void> {
  // The anchor first: a log that grows meanwhile only gets longer.
  const anchor = await readAnchor(top, job);
  if (anchor === undefined || anchor === "unreadable") return;
  const { seq, hash } = anchor;
  for await (const entry of log.read(seq - 1, seq)) if (entry.hash === hash) return;
  const last = (await log.head()).seq;
  const what = last < seq ? `the log ends at entry ${last}` : "another entry stands there";
  throw new BusError(
    "corrupt",
    `job ${job}: ${refs.anchor(job)} names entry ${seq}, and ${what}: bus.db was cut, replaced, or separated from its bus.db-wal; restore both from a copy; nothing was overwritten`,
  );
}
