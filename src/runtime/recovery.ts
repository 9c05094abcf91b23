/**
 * What a process that takes over a job finds: turns that were running when the one before it died or lost the job.
 *
 * R1. Each Run is rolled back: its message is at the head of its mailbox again, at most that turn is lost (CfA §11).
 * R2. What dies anyway is not rolled back.
 */
import type { Draft } from "../persistence/entry.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { Run } from "../soup/molecule.ts";

/** The Runs that were lost with their process (R2). */
export function lostRuns(configuration: Configuration): readonly Run[] {
  return [...configuration.cells()].flatMap((cell) =>
    cell.terminates.length > 0 ? [] : cell.lifecycles.flatMap((one) => (one.kind === "Run" ? [one] : [])),
  );
}

/** What the log says of it: the job goes on, and the lost turns are given back (R1). `since` is the time of the newest entry. */
export function recoveryDrafts(lost: readonly Run[], since: string): readonly Draft[] {
  const reason = "the process that ran this turn has died, or stood still past its lease";
  return [
    { kind: "resume", body: { since } },
    ...lost.map(({ thread, turn }): Draft => ({ kind: "rollback", body: { thread, turn, reason } })),
  ];
}
