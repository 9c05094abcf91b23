/**
 * How a child stands for the siblings that need it, from its record in the ledger alone.
 *
 * D1. Completed is what its newest turn has brought about, and only that: new mail opens it again until the turn on it has ended.
 * D2. A file-based agent has completed when its own account of its work says so (docs/files.md); any other when it has replied to its
 *     parent.
 * D3. A child that has failed stands so until its parent has closed it, which is the acknowledgement; one that was opened as optional is
 *     acknowledged beforehand.
 */
import type { ThreadRecord } from "../thread-record.ts";

/** `skipped`: it has ended without having completed, and its parent knows. */
export type ChildStanding = "open" | "completed" | "failed" | "skipped";

type Known = Pick<ThreadRecord, "turn" | "last" | "owes" | "failed" | "optional" | "ending" | "closed">;

/** How the child stands. */
export function standingOf(record: Known): ChildStanding {
  const { failed, optional, ending, closed, last, turn } = record;
  if (failed) return optional ? "skipped" : "failed";
  // What was dropped after all is no part of the job.
  if (ending !== "drop" && hasCompleted(record)) return "completed";
  if (closed || ending !== undefined) return "skipped";
  return last?.result === "failed" && last.turn === turn ? "failed" : "open";
}

function hasCompleted({ last, turn, owes }: Known): boolean {
  if (last?.result !== "ok" || last.turn !== turn) return false;
  return last.work === undefined ? !owes : last.work.state === "completed";
}
