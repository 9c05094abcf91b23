/**
 * What a bus takes from outside: a clock, a name for its process, and the length of a lease.
 */
import { LEASE_MILLIS } from "./lease.ts";
import { type HostProcess, thisProcess } from "./process-identity.ts";

/** Options that every bus understands. */
export type BusOptions = {
  /** The store's clock: wall time of entries and leases. Default: the system's. */
  readonly clock?: () => Date;
  /** How long a claim or a beat holds, in milliseconds. Default {@link LEASE_MILLIS}. */
  readonly lease?: number;
  /** The process in whose name the job is claimed. Default: this one. */
  readonly self?: HostProcess;
};

/** How a job's file is opened: made when missing, only if there, or only for reading. */
export type OpenMode = "create" | "existing" | "readonly";

/** The options with their defaults filled in. */
export function withDefaults(options: BusOptions): Required<BusOptions> {
  const { clock = () => new Date(), lease = LEASE_MILLIS, self = thisProcess() } = options;
  return { clock, lease, self };
}
