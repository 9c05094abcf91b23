/**
 * `cfa verify` without its words: a log file against the rules, and against what is kept outside it.
 *
 * V1. The log alone is enough for chain, rules, rounds, turns, questions and the job; the rest needs a repository or a hash
 *     that somebody has kept. Every check that could not be made is named, with why.
 * V2. The first offence ends it. Nothing is written.
 */
import { jobCheck } from "../job/verify.ts";
import { BusError } from "../persistence/bus-error.ts";
import type { LogRow } from "../persistence/chain.ts";
import { questionsCheck } from "../persistence/checks/questions.ts";
import { roundsCheck } from "../persistence/checks/rounds.ts";
import { turnsCheck } from "../persistence/checks/turns.ts";
import { openingCheck } from "../persistence/checks/versions.ts";
import type { LogFile } from "../persistence/log-file.ts";
import { type LogCheck, LogVerifier, type Offence } from "../persistence/verify.ts";
import { complete } from "../rules/table.ts";
import { checkAnchor, type HeadWanted, keptHead, RepositoryFacts } from "./verify-outside.ts";

/** A check and what it found: what holds, or why it could not be made. */
export type CheckNote = { readonly check: string; readonly says: string };

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
  /** The head that somebody has kept. */
  readonly head?: HeadWanted | undefined;
};

/** The checks that need nothing but the log; made anew for each. */
export function logChecks(): readonly LogCheck[] {
  return [openingCheck(), roundsCheck(complete), turnsCheck(), questionsCheck(), jobCheck()];
}

/** Verifies a log file. Rejects only for what is no fault of the log: a git that cannot be run, a bug. */
export async function verifyLog(file: LogFile, options: VerifyOptions = {}): Promise<Verification> {
  const checks = logChecks();
  const verifier = new LogVerifier(complete, checks);
  const kept = keptHead(options.head);
  const repository = new RepositoryFacts();
  let job: string | null = null;
  const judge = (row: LogRow): Offence | undefined => {
    job ??= row.job;
    const offence = verifier.take(row) ?? kept.take(row);
    if (offence === undefined) repository.take(row);
    return offence;
  };
  const offence = readThrough(file, judge, verifier) ?? kept.end(verifier.head.seq);
  const { seq, round, hash } = verifier.head;
  const result = { job, entries: seq, commits: round, head: hash };
  if (offence !== undefined) return { ...result, valid: false, made: [], notMade: [], remarks: [], offence };
  const outside = await checkAnchor(options.top, job ?? "", repository, seq);
  const caches = cacheNotes(file);
  const made = [
    { check: "chain", says: "every entry carries the hash of the one before it" },
    { check: "rules", says: `${verifier.firings} firings and all moves are allowed where they stand` },
    ...checks.map(({ name, says }) => ({ check: name, says })),
    ...kept.made,
    ...outside.made,
    ...caches.made,
  ];
  const notMade = [...kept.notMade, ...outside.notMade, ...caches.notMade];
  const { remarks } = outside;
  return { ...result, valid: outside.offence === null, made, notMade, remarks, offence: outside.offence };
}

function readThrough(
  file: LogFile,
  judge: (row: LogRow) => Offence | undefined,
  verifier: LogVerifier,
): Offence | undefined {
  const unreadable = (problem: string): Offence => ({
    check: "file",
    seq: verifier.head.seq + 1,
    claim: "cannot be read",
    problem,
    found: [],
  });
  try {
    for (const row of file.rows()) {
      const offence = judge(row);
      if (offence !== undefined) return offence;
    }
    const last = verifier.end();
    if (last !== undefined) return last;
    if (verifier.head.seq === 0) return unreadable("the log is empty: it needs the entry that opens the job");
    const damage = file.damage();
    return damage === undefined
      ? undefined
      : { ...unreadable(`the database is damaged: ${damage}`), claim: "end" };
  } catch (error) {
    if (error instanceof BusError && error.code === "corrupt") return unreadable(error.message);
    throw error;
  }
}

/** Caches are compared with their folds. The only one that a database may hold is a checkpoint. */
function cacheNotes(file: LogFile): { readonly made: CheckNote[]; readonly notMade: CheckNote[] } {
  const checkpoint = file.checkpoint();
  const database = { check: "file", says: "SQLite finds its pages undamaged" };
  if (file.kind === "export")
    return { made: [], notMade: [{ check: "caches", says: "an export holds none" }] };
  const says =
    checkpoint === undefined ? "the database holds none" : "this cfa does not know the form of this one";
  return { made: [database], notMade: [{ check: "checkpoint", says }] };
}
