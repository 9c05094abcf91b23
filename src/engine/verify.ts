/**
 * `cfa verify` without its words: a log file against the rules, and against what is kept outside it.
 *
 * V1. The log alone is enough for the chain, the rules and what is checked beside them ({@link logChecks}); the rest needs a repository or a hash
 *     that somebody has kept. Every check that could not be made is named, with why.
 * V2. The first offence ends it. Nothing is written.
 */
import { jobChecks } from "../job/verify.ts";
import { BusError } from "../persistence/bus-error.ts";
import { actsCheck } from "../persistence/checks/acts.ts";
import { answersCheck } from "../persistence/checks/answers.ts";
import { ForkCheck } from "../persistence/checks/forks.ts";
import { mailCheck } from "../persistence/checks/mail.ts";
import { proxiesCheck } from "../persistence/checks/proxies.ts";
import { questionsCheck } from "../persistence/checks/questions.ts";
import { restartsCheck } from "../persistence/checks/restarts.ts";
import { roundsCheck } from "../persistence/checks/rounds.ts";
import { turnsCheck } from "../persistence/checks/turns.ts";
import type { LogFile } from "../persistence/log-file.ts";
import { type LogCheck, LogVerifier, type Offence } from "../persistence/verify.ts";
import { complete } from "../rules/table.ts";
import { CacheCheck, cacheCheck } from "./cache-check.ts";
import {
  anchorCheck,
  type CheckNote,
  type KnownEntry,
  KnownEntryCheck,
  NamedCommits,
} from "./verify-outside.ts";

/** See the header. Its members are those of `cfa verify --json`. */
export type Verification = {
  readonly valid: boolean;
  /** Null when not even the first row could be read. */
  readonly job: string | null;
  /** Entries and commits that hold, and the hash of the newest of them. */
  readonly entries: number;
  readonly commits: number;
  readonly head: string;
  readonly made: readonly CheckNote[];
  readonly notMade: readonly CheckNote[];
  /** What is no offence and yet worth knowing. */
  readonly remarks: readonly string[];
  readonly offence: Offence | null;
};

/** What to check against besides the log. */
export type VerifyOptions = {
  /** Top of the repository of the job. */
  readonly top?: string | undefined;
  /** The entry that somebody has kept the hash of. */
  readonly head?: KnownEntry | undefined;
};

/** The checks beyond chain and rules that need nothing but the log; made anew for each. */
export function logChecks(): readonly LogCheck[] {
  return [
    roundsCheck(complete),
    turnsCheck(),
    restartsCheck(),
    mailCheck(),
    actsCheck(),
    proxiesCheck(),
    questionsCheck(),
    answersCheck(),
    ...jobChecks(),
  ];
}

/** Verifies a log file. Rejects only for what is no fault of the log: a git that cannot be run, a bug. */
export async function verifyLog(file: LogFile, { top, head }: VerifyOptions = {}): Promise<Verification> {
  const job = jobOf(file);
  const anchor = await anchorCheck(top, job ?? "");
  const kept = head === undefined ? [] : [new KnownEntryCheck("head", "the kept hash stands in it", head)];
  const known = anchor instanceof KnownEntryCheck ? [anchor, ...kept] : kept;
  const named = new NamedCommits();
  const forks = new ForkCheck();
  const cache = cacheCheck(file);
  const caches = cache instanceof CacheCheck ? [cache] : [];
  const checks = [...logChecks(), forks, ...caches, ...known, ...(top === undefined ? [] : [named])];
  const verifier = new LogVerifier(complete, checks);
  const within =
    readThrough(file, verifier) ??
    forks.missing(() => file.rows()) ??
    [...caches, ...known].map((one) => one.missing(verifier.head.seq)).find((one) => one !== undefined);
  const commits = within ?? (await commitsMissing(named, top));
  const offence = commits !== undefined && "seq" in commits ? commits : undefined;
  const unseen = commits !== undefined && "says" in commits ? commits : undefined;
  const { seq, round, hash } = verifier.head;
  const result = { job, entries: seq, commits: round, head: hash };
  if (offence !== undefined) return { ...result, valid: false, made: [], notMade: [], remarks: [], offence };
  const made: CheckNote[] = [
    { check: "chain", says: "every entry carries the hash of the one before it" },
    { check: "opening", says: "the first entry opens the job, in versions that this cfa knows" },
    { check: "rules", says: `${verifier.firings} firings and all moves are allowed where they stand` },
    ...checks.flatMap((one) => (one === named && unseen !== undefined ? [] : [noteOf(one)])),
    ...(file.kind === "database" ? [{ check: "pages", says: "SQLite finds the file undamaged" }] : []),
  ];
  const notMade = [
    ...(anchor instanceof KnownEntryCheck ? [] : [anchor]),
    ...(unseen === undefined ? [] : [unseen]),
    ...(head === undefined ? [{ check: "head", says: "no hash was given (--head)" }] : []),
    ...(cache instanceof CacheCheck ? [] : [cache]),
  ];
  const remarks = anchor instanceof KnownEntryCheck ? longerThan(anchor, seq) : [];
  return { ...result, valid: true, made, notMade, remarks, offence: null };
}

function noteOf({ name, says }: LogCheck): CheckNote {
  return { check: name, says };
}

/** What is wrong with the commits that the log names, or why they cannot be looked at; undefined when all are there. */
async function commitsMissing(
  named: NamedCommits,
  top: string | undefined,
): Promise<Offence | CheckNote | undefined> {
  if (top === undefined) return { check: named.name, says: "no repository was given (--repo)" };
  return named.missing(top);
}

/** The job that the first row names; undefined when none can be read. Why not, reading through will say. */
function jobOf(file: LogFile): string | null {
  try {
    const first = file.rows().next();
    return first.done === true ? null : first.value.job;
  } catch (error) {
    if (error instanceof BusError && error.code === "corrupt") return null;
    throw error;
  }
}

function readThrough(file: LogFile, verifier: LogVerifier): Offence | undefined {
  const unreadable = (problem: string): Offence => {
    const seq = verifier.head.seq + 1;
    return { check: "file", seq, claim: "cannot be read", problem, found: [] };
  };
  try {
    for (const row of file.rows()) {
      const offence = verifier.take(row);
      if (offence !== undefined) return offence;
    }
    const last = verifier.end();
    if (last !== undefined) return last;
    if (verifier.head.seq === 0) return unreadable("the log is empty: it needs the entry that opens the job");
    const damage = file.damage();
    return damage === undefined ? undefined : unreadable(`SQLite finds the file damaged: ${damage}`);
  } catch (error) {
    if (error instanceof BusError && error.code === "corrupt") return unreadable(error.message);
    throw error;
  }
}

function longerThan(anchor: KnownEntryCheck, last: number): readonly string[] {
  const more = last - (anchor.met ?? last);
  if (more === 0) return [];
  return [`the log is longer than its anchor by ${more === 1 ? "one entry" : `${more} entries`}`];
}
