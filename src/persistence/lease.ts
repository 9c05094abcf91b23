/**
 * Who may write: the decisions of ownership, apart from where the lease is kept.
 *
 * O1. One lease per job. It is held or free; its epoch rises with every claim and never falls, also over a release.
 * O2. A lease may be claimed when it is free, has run out, belongs to a process of this host that is certainly gone,
 *     or to the claimant itself.
 * O3. A lease that has run out is still its holder's until somebody claims it: only a higher epoch shuts a writer out.
 */
import { type HostProcess, processState } from "./process-identity.ts";
import { type Commit, type Owner, StaleCommit } from "./ports.ts";
import type { Head } from "./chain.ts";

/** How long a claim or a beat holds by default, in milliseconds. A holder beats some three times in that. */
export const LEASE_MILLIS = 30_000;

/** Who holds a lease, since when, and until when, both by the store's clock. */
export type Holder = HostProcess & { readonly since: Date; readonly until: Date };

/** The lease of a job (O1). */
export type Lease = { readonly epoch: number; readonly holder: Holder | undefined };

/** What a commit must know of a lease: its epoch, and whether anybody holds it. */
export type Fence = { readonly epoch: number; readonly held: boolean };

/** The lease of a job that nobody has claimed. */
export const FREE_LEASE: Lease = { epoch: 0, holder: undefined };

/** The present owner as `self` sees it at `now`; undefined when the lease is free. */
export function ownerOf(lease: Lease, self: HostProcess, now: Date): Owner | undefined {
  if (lease.holder === undefined) return undefined;
  const { host, pid, started, since, until } = lease.holder;
  const expired = until <= now || (host === self.host && processState({ pid, started }) === "gone");
  return { host, pid, started, since: since.toISOString(), epoch: lease.epoch, expired };
}

/** The lease after a claim by `self` at `now` for `millis`. */
export function claimed(lease: Lease, self: HostProcess, now: Date, millis: number): Lease {
  return { epoch: lease.epoch + 1, holder: { ...self, since: now, until: later(now, millis) } };
}

/** `millis` after `now`. */
export function later(now: Date, millis: number): Date {
  return new Date(now.getTime() + millis);
}

/**
 * Refuses a commit of somebody who is not, or no longer, the owner, or who does not know the newest entry.
 * @throws StaleCommit
 */
export function refuseStale(job: string, commit: Commit, fence: Fence, head: Head): void {
  if (fence.epoch !== commit.epoch)
    throw new StaleCommit(
      `job ${job} was claimed by another process: this one holds epoch ${commit.epoch}, the newest is ${fence.epoch}; stop here, nothing was written`,
    );
  if (!fence.held)
    throw new StaleCommit(`job ${job} has no owner: claim it before writing; nothing was written`);
  if (head.seq !== commit.expected)
    throw new StaleCommit(
      `job ${job} has ${head.seq} entries, its writer knows ${commit.expected}: read the log again; nothing was written`,
    );
}
