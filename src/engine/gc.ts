/**
 * Cleaning up after jobs that have ended (docs/log.md, "Cleaning up"): worktrees and private refs go by age, the log never does.
 *
 * G1. Only jobs that have ended, and that nobody owns, are touched.
 * G2. An act in the log says so before anything is removed, so that a commit which is missing later is no riddle.
 */
import { join } from "node:path";
import type { Draft } from "../persistence/entry.ts";
import { jobFile } from "../persistence/jobs.ts";
import type { Bus } from "../persistence/ports.ts";
import { openSqliteBus } from "../persistence/sqlite/bus.ts";
import { gitAnchor, readAnchor } from "../runtime/workspaces/anchor-ref.ts";
import { collectLeftovers, type Leftovers } from "../runtime/workspaces/collect.ts";
import { requireAnchored } from "./anchored.ts";
import { openJobRecord } from "./checkpoint.ts";
import { hasEnded, type ReadJob } from "./read-job.ts";

/** Verb of the act of G2. */
export const GC_VERB = "gc";

/** What is cleaned up. */
export type GcOptions = {
  /** Jobs whose newest entry is not older than this stay as they are. */
  readonly before: Date;
  /** Only counts. */
  readonly dryRun: boolean;
  readonly by: string;
};

/** What came of one job: what was left of it, or why it was not touched. */
export type Collected =
  { readonly job: string; readonly left: Leftovers } | { readonly job: string; readonly kept: string };

/** Cleans up after one job of the repository at `top`. Throws BusError for a log that cannot be read. */
export async function collectJob(top: string, id: string, options: GcOptions): Promise<Collected> {
  const bus = openSqliteBus(jobFile(top, id), { job: id, mode: "existing" });
  try {
    await requireAnchored(top, id, bus.log);
    const job = await openJobRecord(bus);
    if (job === undefined) return { job: id, kept: "its log is empty" };
    if (!hasEnded(job)) return { job: id, kept: "it has not ended" };
    if (new Date(job.at) >= options.before) return { job: id, kept: `its newest entry is of ${job.at}` };
    const place = placeOf(top, id, job);
    const left = await collectLeftovers(place, false);
    if (options.dryRun || left.worktrees + left.refs === 0) return { job: id, left };
    if (!(await record(top, bus, left, options.by))) return { job: id, kept: "a process owns it" };
    return { job: id, left: await collectLeftovers(place, true) };
  } finally {
    await bus.close();
  }
}

function placeOf(top: string, id: string, { record: { definition, job } }: ReadJob) {
  const { artifacts, workspaces } = definition;
  return {
    repository: top,
    job: id,
    home: `job:${job}`,
    artifacts: Object.values(artifacts),
    ...(workspaces === null ? {} : { root: join(workspaces, id) }),
  };
}

/** The act of G2 as entry `seq`: from here on commits that earlier entries name may be missing. */
export function gcDraft(seq: number, by: string, result: string): Draft {
  return {
    kind: "act",
    body: { id: `gc:${seq}`, verb: GC_VERB, target: "", text: "", by, result },
  };
}

/** Writes the act of G2; false when somebody else owns the job. */
async function record(top: string, bus: Bus, { worktrees, refs }: Leftovers, by: string): Promise<boolean> {
  const claim = await bus.ownership.claim();
  if ("owner" in claim) return false;
  const { seq: expected } = await bus.log.head();
  const drafts = [gcDraft(expected + 1, by, `removed ${worktrees} worktrees and ${refs} private refs`)];
  const [entry] = await bus.log.commit({ expected, epoch: claim.epoch, drafts, consumed: [] });
  if (entry !== undefined && (await readAnchor(top, bus.job)) !== undefined)
    await gitAnchor(top, bus.job)(entry.seq, entry.hash);
  return true;
}
