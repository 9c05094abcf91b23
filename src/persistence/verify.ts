/**
 * The verifier: a log against the rule table, row by row. It shares the table and nothing of the scheduler.
 *
 * V1. A row is judged by what precedes it alone: chain, kind and body, the rules in the configuration that the entries
 *     before it give, then the further checks. The first that does not hold is the offence; nothing after it is looked at.
 * V2. Further checks see an entry between the configurations around it, and a commit when all of it has been seen.
 * V3. Nothing is repaired, guessed or skipped.
 */
import type { RuleTable } from "../rules/table.ts";
import { Configuration } from "../soup/configuration.ts";
import { printMolecule } from "../soup/print.ts";
import { BusError } from "./bus-error.ts";
import { EMPTY_HEAD, type Head, type LogRow, verifyRows } from "./chain.ts";
import { moleculesOn, threadsNamed } from "./change.ts";
import { decodeEntry } from "./codec.ts";
import type { Entry } from "./entry.ts";
import { applyDraft } from "./fold.ts";
import { printClaim } from "./notation.ts";
import { misformed } from "./checks/form.ts";
import { misopened, unreadableVersion } from "./checks/versions.ts";

/** An entry between the configurations around it. */
export type Step = { readonly entry: Entry; readonly before: Configuration; readonly after: Configuration };

/** What does not hold at an entry, and what would have been required; one sentence. */
export type Flaw = { readonly seq: number; readonly problem: string };

/** A check beyond chain and rules, with the state that it needs. Made anew for each log. */
export interface LogCheck {
  readonly name: string;
  /** What holds when it passes, for people. */
  readonly says: string;
  /** What is wrong with an entry. Called in order, once an entry. */
  readonly step?: (step: Step) => string | undefined;
  /** What is wrong with the entries of one commit, all of them. */
  readonly commit?: (steps: readonly Step[]) => Flaw | undefined;
}

/** The first entry that a log should not have. */
export type Offence = {
  /** The check that failed. */
  readonly check: string;
  readonly seq: number;
  /** What the entry claims, in notation; its kind where it cannot be read. */
  readonly claim: string;
  readonly problem: string;
  /** What stood on the threads that it names, in notation; empty where that says nothing. */
  readonly found: readonly string[];
};

/** See the header. Rows go in one after the other. */
export class LogVerifier {
  readonly #table: RuleTable;
  readonly #checks: readonly LogCheck[];
  #before: LogRow | undefined;
  #commit: Step[] = [];
  /** The head after the rows so far. */
  head: Head = EMPTY_HEAD;
  configuration = Configuration.empty();
  firings = 0;

  constructor(table: RuleTable, checks: readonly LogCheck[]) {
    this.#table = table;
    this.#checks = checks;
  }

  /** Takes the next row. Returns the offence, after which no row may follow. */
  take(row: LogRow): Offence | undefined {
    const problem = this.#misfit(row);
    if (problem !== undefined) return { ...bare("chain", row), problem };
    const finished = row.round === this.head.round ? undefined : this.end();
    if (finished !== undefined) return finished;
    this.#before = row;
    this.head = { seq: row.seq, round: row.round, hash: row.hash };
    const entry = read(row);
    return "check" in entry ? entry : this.#step(entry);
  }

  /** The rows have ended: judges the last commit. */
  end(): Offence | undefined {
    const steps = this.#commit;
    this.#commit = [];
    for (const { name, commit } of this.#checks) {
      const flaw = commit?.(steps);
      const step = steps.find(({ entry }) => entry.seq === flaw?.seq);
      if (flaw !== undefined && step !== undefined) return offence(name, step.entry, flaw.problem);
    }
    return undefined;
  }

  #misfit(row: LogRow): string | undefined {
    const chain = verifyRows([row], this.head);
    if (!chain.whole) return chain.problem;
    const before = this.#before;
    if (before !== undefined && before.job !== row.job) return `is of job ${row.job}, not of ${before.job}`;
    if (before?.round === row.round && before.at !== row.at) return "has another time than its commit";
    return undefined;
  }

  #step(entry: Entry): Offence | undefined {
    const opening = misopened(entry);
    if (opening !== undefined) return offence("opening", entry, opening);
    const before = this.configuration;
    const next = applyDraft(this.#table, before, entry);
    if ("refused" in next) {
      const threads = [...new Set(threadsNamed(entry))];
      const found = threads.flatMap((thread) => moleculesOn(before, thread).map(printMolecule));
      return { ...offence("rules", entry, next.refused), found };
    }
    const step = { entry, before, after: next.configuration };
    for (const { name, step: judge } of this.#checks) {
      const problem = judge?.(step);
      if (problem !== undefined) return offence(name, entry, problem);
    }
    this.configuration = next.configuration;
    this.#commit.push(step);
    if (entry.kind === "fire") this.firings += 1;
    return undefined;
  }
}

function offence(check: string, entry: Entry, problem: string): Offence {
  return { check, seq: entry.seq, claim: printClaim(entry), problem, found: [] };
}

function bare(check: string, row: LogRow): Omit<Offence, "problem"> {
  return { check, seq: row.seq, claim: row.kind, found: [] };
}

function read(row: LogRow): Entry | Offence {
  const version = unreadableVersion(row);
  if (version !== undefined) return { ...bare("versions", row), problem: version };
  try {
    const entry = decodeEntry(row, `entry ${row.seq}`);
    const form = misformed(row, entry);
    return form === undefined ? entry : { ...bare("entries", row), problem: form };
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return { ...bare("entries", row), problem: error.message };
  }
}
