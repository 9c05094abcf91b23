/** Reads and moves the one owner row of a job; the decisions are in ../lease.ts. */
import { z } from "zod";
import { claimed, later, type Lease, ownerOf } from "../lease.ts";
import type { BusOptions } from "../options.ts";
import type { Claim } from "../ports.ts";
import type { Connection } from "./open.ts";

const leaseSchema = z.union([
  z.strictObject({
    epoch: z.int(),
    host: z.string(),
    pid: z.int(),
    started: z.string(),
    since: z.int(),
    lease: z.int(),
  }),
  z.strictObject({
    epoch: z.int(),
    host: z.null(),
    pid: z.null(),
    started: z.null(),
    since: z.null(),
    lease: z.null(),
  }),
]);

/** Prepares reading the lease. */
export function prepareReadLease(db: Connection): () => Lease {
  const read = db.prepare("SELECT epoch, host, pid, started, since, lease FROM owner");
  return () => {
    const { epoch, host, pid, started, since, lease } = leaseSchema.parse(read.get());
    if (host === null) return { epoch, holder: undefined };
    return { epoch, holder: { host, pid, started, since: new Date(since), until: new Date(lease) } };
  };
}

/** Prepares claims. `mine` is the epoch that this bus claimed last, if any. */
export function prepareClaim(
  db: Connection,
  readLease: () => Lease,
  { clock, lease: millis, self }: Required<BusOptions>,
): (mine: number | undefined) => Claim {
  const write = db.prepare(
    "UPDATE owner SET epoch = ?, host = ?, pid = ?, started = ?, since = ?, lease = ?",
  );
  const transaction = db.transaction((mine: number | undefined): Claim => {
    const before = readLease();
    const now = clock();
    const owner = ownerOf(before, self, now);
    if (owner !== undefined && !owner.expired && owner.epoch !== mine) return { owner };
    const { epoch } = claimed(before, self, now, millis);
    write.run(epoch, self.host, self.pid, self.started, now.getTime(), later(now, millis).getTime());
    return { epoch };
  });
  return (mine) => transaction.immediate(mine);
}

/** Prepares beats: a lease held under `epoch` then lasts until `until`. False when it is held no more. */
export function prepareBeat(db: Connection): (epoch: number, until: Date) => boolean {
  const extend = db.prepare("UPDATE owner SET lease = ? WHERE epoch = ? AND host IS NOT NULL");
  return (epoch, until) => extend.run(until.getTime(), epoch).changes === 1;
}

/** Prepares releases; another epoch's lease is left alone. */
export function prepareRelease(db: Connection): (epoch: number) => void {
  const free = db.prepare(
    "UPDATE owner SET host = NULL, pid = NULL, started = NULL, since = NULL, lease = NULL WHERE epoch = ?",
  );
  return (epoch) => void free.run(epoch);
}
