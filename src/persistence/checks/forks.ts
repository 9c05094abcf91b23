/**
 * Forks: a log that was opened as that of another job says with `fork` where it left it, and its entries before that give
 * the hash which the other job's log had there (docs/fork.md).
 *
 * K1. A `fork` names the entry before it, by number and time; the first one names the job that the log was opened as, or a fork of that
 *     job, which was left before its own `fork`.
 * K2. The hash of the other log is made again when all entries have been read, from the rows.
 */
import type { LogRow } from "../chain.ts";
import type { Entry } from "../entry.ts";
import { hashInPast } from "../fork-rows.ts";
import type { LogCheck, Offence, Step } from "../verify.ts";

type Fork = Extract<Entry, { kind: "fork" }>;

/** See the header. */
export class ForkCheck implements LogCheck {
  readonly name = "forks";
  readonly says = "what it has taken over is what the log that it names held";
  readonly #forks: Fork[] = [];
  #opened: { readonly as: string; readonly job: string } | undefined;
  #at = "";

  readonly step = ({ entry }: Step): string | undefined => {
    const problem = entry.kind === "fork" ? this.#misplaced(entry) : undefined;
    if (entry.kind === "open") this.#opened = { as: entry.body.job, job: entry.job };
    if (entry.kind === "fork") this.#forks.push(entry);
    this.#at = entry.at;
    return problem;
  };

  /** What does not hold of a log that has been read (K2); `rows` are given from the first on, each time anew. */
  missing(rows: () => Iterable<LogRow>): Offence | undefined {
    const { name: check } = this;
    const opened = this.#opened;
    if (opened !== undefined && opened.as !== opened.job && this.#forks.length === 0) {
      const problem = `it opens job ${opened.as} in the log of job ${opened.job}, and no entry says that it is a fork`;
      return { check, seq: 1, claim: "open", problem, found: [] };
    }
    for (const { seq, body } of this.#forks) {
      const hash = hashInPast(rows(), body);
      if (hash === body.hash) continue;
      const problem = `entry ${body.seq} of job ${body.job} had the hash ${body.hash}, and the entries before give ${hash}: they are not that job's`;
      return { check, seq, claim: "fork", problem, found: [] };
    }
    return undefined;
  }

  #misplaced({ seq, job, body }: Fork): string | undefined {
    if (body.seq !== seq - 1)
      return `it goes on from entry ${body.seq}, and the entry before it is ${seq - 1}`;
    if (body.at !== this.#at) return `the entry before it was written at ${this.#at}, not at ${body.at}`;
    if (body.job === job) return "a job is no fork of itself";
    const as = this.#opened?.as ?? "none";
    // The id of a fork is made from that of the job (docs/fork.md).
    const isOfJob = body.job === as || body.job.startsWith(`${as}-at-`);
    if (this.#forks.length > 0 || isOfJob) return undefined;
    return `it goes on from job ${body.job}, and the entries before are those of ${as}`;
  }
}
