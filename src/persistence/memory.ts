/**
 * The bus in memory: for tests, simulations and embedding without a file. What it keeps dies with the process.
 *
 * Y1. A store outlives its buses: several buses on one store are like several processes on one file.
 * Y2. Bodies are kept as canonical text and parsed on reading, so a caller that changes a body later changes no log.
 */
import { invariant } from "../soup/invariant.ts";
import { BusError } from "./bus-error.ts";
import { EMPTY_HEAD, type Head, type LogRow, sealRound } from "./chain.ts";
import { decodeEntry } from "./codec.ts";
import type { Entry } from "./entry.ts";
import { inboxItemSchema, requirePending } from "./inbox-item.ts";
import { claimed, FREE_LEASE, type Holder, later, type Lease, ownerOf, refuseStale } from "./lease.ts";
import { type Listeners, listeners } from "./listeners.ts";
import { type BusOptions, withDefaults } from "./options.ts";
import type { Bus, Checkpoint, Claim, Commit, Inbox, InboxItem, JobLog, Ownership } from "./ports.ts";

/** What the buses of one job share (Y1). Made by {@link memoryStore}. */
export type MemoryStore = {
  readonly job: string;
  readonly rows: LogRow[];
  /** Every id ever posted. */
  readonly posted: Set<string>;
  /** Items not yet taken up, by id, oldest first. */
  readonly pending: Map<string, InboxItem>;
  readonly wake: Listeners;
  lease: Lease;
  checkpoint: Checkpoint | undefined;
};

/** An empty store for a job. */
export function memoryStore(job: string): MemoryStore {
  const parts = {
    rows: [],
    posted: new Set<string>(),
    pending: new Map<string, InboxItem>(),
    wake: listeners(),
  };
  return { job, ...parts, lease: FREE_LEASE, checkpoint: undefined };
}

/** A bus for a job, on a store of its own or on a given one. */
export function memoryBus(job: string, options: BusOptions & { readonly store?: MemoryStore } = {}): Bus {
  const store = options.store ?? memoryStore(job);
  if (store.job !== job) throw new BusError("job", `the store holds job "${store.job}", not "${job}"`);
  let open = true;
  const run: Run = (operation) => {
    if (!open) throw new BusError("closed", `the bus of job ${job} is closed: open it again`);
    return operation();
  };
  const settings = withDefaults(options);
  const { ownership, giveUp } = memoryOwnership(store, run, settings);
  return {
    job,
    log: memoryLog(store, run, settings.clock),
    inbox: memoryInbox(store, run),
    ownership,
    wake: { subscribe: (listener) => store.wake.add(listener), notify: () => store.wake.call() },
    close: async () => {
      if (open) giveUp();
      open = false;
    },
  };
}

/** Does something with the store unless the bus is closed. */
type Run = <T>(operation: () => T) => T;

function memoryLog(store: MemoryStore, run: Run, clock: () => Date): JobLog {
  return {
    commit: async (commit) => run(() => appendRound(store, commit, clock)),
    read: async function* (after = 0, upTo = Infinity) {
      const rows = run(() => store.rows.slice(after, Math.max(after, upTo)));
      for (const row of rows) yield run(() => decodeEntry(row, `entry ${row.seq} of job ${store.job}`));
    },
    head: async () => run(() => headOf(store)),
    checkpoint: async () => run(() => store.checkpoint),
    saveCheckpoint: async ({ seq, state }) => run(() => void (store.checkpoint = { seq, state })),
  };
}

function headOf({ rows }: MemoryStore): Head {
  const row = rows.at(-1);
  return row === undefined ? EMPTY_HEAD : { seq: row.seq, round: row.round, hash: row.hash };
}

/** Everything that can fail comes before the first change: a commit happens whole or not at all. */
function appendRound(store: MemoryStore, commit: Commit, clock: () => Date): readonly Entry[] {
  const head = headOf(store);
  const { epoch, holder } = store.lease;
  refuseStale(store.job, commit, { epoch, held: holder !== undefined }, head);
  const sealed = sealRound(store.job, head, clock().toISOString(), commit.drafts);
  const taken = new Set(commit.consumed);
  invariant(taken.size === commit.consumed.length, "a commit takes up one inbox item twice");
  for (const id of taken) requirePending(id, store.pending.has(id));
  for (const id of taken) store.pending.delete(id);
  for (const { row } of sealed) store.rows.push(row);
  return sealed.map(({ entry }) => entry);
}

function memoryInbox(store: MemoryStore, run: Run): Inbox {
  return {
    post: async (posted) => {
      const item = inboxItemSchema.parse(posted);
      run(() => store.posted.has(item.id) || store.pending.set(item.id, item));
      store.posted.add(item.id);
      store.wake.call();
    },
    pending: async () => run(() => [...store.pending.values()]),
  };
}

type MemoryOwnership = { readonly ownership: Ownership; readonly giveUp: () => void };

function memoryOwnership(store: MemoryStore, run: Run, settings: Required<BusOptions>): MemoryOwnership {
  const { clock, lease: millis, self } = settings;
  let mine: number | undefined;
  const held = (epoch: number): Holder | undefined =>
    store.lease.epoch === epoch ? store.lease.holder : undefined;
  const claim = (): Claim => {
    const owner = ownerOf(store.lease, self, clock());
    if (owner !== undefined && !owner.expired && owner.epoch !== mine) return { owner };
    store.lease = claimed(store.lease, self, clock(), millis);
    mine = store.lease.epoch;
    return { epoch: mine };
  };
  const beat = (epoch: number): boolean => {
    const holder = held(epoch);
    if (holder === undefined) return false;
    store.lease = { epoch, holder: { ...holder, until: later(clock(), millis) } };
    return true;
  };
  const release = (epoch: number): void => {
    if (held(epoch) !== undefined) store.lease = { epoch, holder: undefined };
  };
  const ownership: Ownership = {
    claim: async () => run(claim),
    beat: async (epoch) => run(() => beat(epoch)),
    release: async (epoch) => run(() => release(epoch)),
    owner: async () => run(() => ownerOf(store.lease, self, clock())),
  };
  return { ownership, giveUp: () => mine !== undefined && release(mine) };
}
