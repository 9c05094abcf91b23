/**
 * The bus in a SQLite file: one file a job, one process that writes its log, any number that read and post.
 *
 * Q1. The journal is a write-ahead log, so readers and the writer do not wait for each other.
 * Q2. `synchronous` FULL (the default) keeps each commit over a power cut, NORMAL over a killed process only (docs/log.md).
 * Q3. Statements are prepared once a connection; each operation is a file beside this one.
 * Q4. Opening, reading and posting claim nothing.
 */
import { decodeEntry } from "../codec.ts";
import { inboxItemSchema } from "../inbox-item.ts";
import { later, ownerOf } from "../lease.ts";
import { type BusOptions, type OpenMode, withDefaults } from "../options.ts";
import type { Bus, Inbox, JobLog, Ownership, Wake } from "../ports.ts";
import { prepareAppendRound } from "./append-round.ts";
import { prepareReadCheckpoint, prepareSaveCheckpoint } from "./checkpoint.ts";
import { guarded } from "./errors.ts";
import { preparePending, preparePost } from "./inbox.ts";
import { requireKnownLog } from "./known-version.ts";
import { prepareBeat, prepareClaim, prepareReadLease, prepareRelease } from "./lease.ts";
import { connect, type Connection, createFile, jobOf } from "./open.ts";
import { prepareReadHead } from "./read-head.ts";
import { prepareReadPage } from "./read-rows.ts";
import { fileWake } from "./wake.ts";

/** Options of {@link openSqliteBus}. */
export type SqliteBusOptions = BusOptions & {
  /** The job; needed to make a file, otherwise checked against the file's own. */
  readonly job?: string;
  /** `create` (the default) makes a missing file, `existing` refuses it, `readonly` also refuses to write. */
  readonly mode?: OpenMode;
  /** What a power cut may cost (Q2). Default FULL. */
  readonly synchronous?: "FULL" | "NORMAL";
};

/** Where a connection leads, and the way to run statements on it with errors as sentences. */
type Store = {
  readonly db: Connection;
  readonly file: string;
  readonly job: string;
  readonly run: <T>(operation: () => T) => T;
};

/**
 * Opens the bus in `file`, an absolute or relative path.
 * @throws BusError `missing`, `foreign`, `version`, `job`, `corrupt`, `busy` or `io`; an existing file is not changed.
 */
export function openSqliteBus(file: string, options: SqliteBusOptions = {}): Bus {
  const { job, mode = "create", synchronous = "FULL" } = options;
  const run = <T>(operation: () => T): T => guarded(file, operation);
  return run(() => {
    if (mode === "create" && job !== undefined) createFile(file, job);
    const db = connect(file, mode, synchronous);
    try {
      const found = jobOf(db, file, job);
      requireKnownLog(db, file, found);
      return busOn({ db, file, job: found, run }, withDefaults(options));
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function busOn(store: Store, settings: Required<BusOptions>): Bus {
  const wake = fileWake(store.file);
  const { ownership, giveUp } = sqliteOwnership(store, settings);
  return {
    job: store.job,
    log: sqliteLog(store, settings.clock),
    inbox: sqliteInbox(store, wake),
    ownership,
    wake,
    close: async () => {
      if (!store.db.open) return;
      try {
        store.run(giveUp);
      } finally {
        wake.close();
        store.db.close();
      }
    },
  };
}

function sqliteLog({ db, file, job, run }: Store, clock: () => Date): JobLog {
  const head = prepareReadHead(db);
  const appendRound = prepareAppendRound(db, job, clock);
  const readPage = prepareReadPage(db, file, job);
  const readCheckpoint = prepareReadCheckpoint(db);
  const saveCheckpoint = prepareSaveCheckpoint(db);
  return {
    commit: async (commit) => run(() => appendRound(commit)),
    read: async function* (after = 0, upTo = Infinity) {
      const last = Math.min(upTo, run(head).seq);
      for (let known = after; known < last;) {
        for (const row of run(() => readPage(known, last))) {
          yield decodeEntry(row, `entry ${row.seq} of ${file}`);
          known = row.seq;
        }
      }
    },
    head: async () => run(head),
    checkpoint: async () => run(readCheckpoint),
    saveCheckpoint: async (checkpoint) => run(() => saveCheckpoint(checkpoint)),
  };
}

function sqliteInbox({ db, run }: Store, wake: Wake): Inbox {
  const post = preparePost(db);
  const pending = preparePending(db);
  return {
    post: async (posted) => {
      const item = inboxItemSchema.parse(posted);
      run(() => post(item));
      wake.notify();
    },
    pending: async () => run(pending),
  };
}

type SqliteOwnership = { readonly ownership: Ownership; readonly giveUp: () => void };

function sqliteOwnership({ db, run }: Store, settings: Required<BusOptions>): SqliteOwnership {
  const { clock, lease: millis, self } = settings;
  const readLease = prepareReadLease(db);
  const claim = prepareClaim(db, readLease, settings);
  const beat = prepareBeat(db);
  const release = prepareRelease(db);
  let mine: number | undefined;
  const ownership: Ownership = {
    claim: async () => {
      const result = run(() => claim(mine));
      if ("epoch" in result) mine = result.epoch;
      return result;
    },
    beat: async (epoch) => run(() => beat(epoch, later(clock(), millis))),
    release: async (epoch) => run(() => release(epoch)),
    owner: async () => ownerOf(run(readLease), self, clock()),
  };
  return { ownership, giveUp: () => mine !== undefined && release(mine) };
}
