/**
 * What is kept outside a log and can be compared with it: the anchor in git, a hash that somebody wrote down, and the
 * commits that the log names.
 *
 * O1. A log that is shorter than a kept entry, or has another hash there, is invalid; a longer one is said.
 */
import type { Entry } from "../persistence/entry.ts";
import { GC_VERB } from "./gc.ts";
import { printClaim } from "../persistence/notation.ts";
import type { LogCheck, Offence, Step } from "../persistence/verify.ts";
import { readAnchor } from "../runtime/workspaces/anchor-ref.ts";
import { missingCommits } from "../runtime/workspaces/commits.ts";
import { refs } from "../runtime/workspaces/trees.ts";

/** A check and what it found: what holds, or why it could not be made. */
export type CheckNote = { readonly check: string; readonly says: string };

/** The hash of an entry that is known from elsewhere, with its number where that is known too. */
export type KnownEntry = { readonly seq: number | undefined; readonly hash: string };

/** Looks for a known entry while the log is read. */
export class KnownEntryCheck implements LogCheck {
  readonly name: string;
  readonly says: string;
  readonly #known: KnownEntry;
  /** Number of the entry that it is, once it was met. */
  met: number | undefined;

  constructor(name: string, says: string, known: KnownEntry) {
    this.name = name;
    this.says = says;
    this.#known = known;
  }

  readonly step = ({ entry }: Step): string | undefined => {
    const { seq, hash } = this.#known;
    if (entry.seq === seq && entry.hash !== hash)
      return `the hash that is known of it is ${hash}, and it carries ${entry.hash}: the log was written anew`;
    if (entry.hash === hash) this.met = entry.seq;
    return undefined;
  };

  /** The offence of a log that has ended at entry `last` without it. */
  missing(last: number): Offence | undefined {
    if (this.met !== undefined) return undefined;
    const { seq, hash } = this.#known;
    const problem =
      seq === undefined
        ? `no entry carries the hash ${hash}: the log was cut before it, or written anew`
        : `entry ${seq} is known with the hash ${hash}, and the log ends at entry ${last}: it was cut`;
    return { check: this.name, seq: last, claim: "end of the log", problem, found: [] };
  }
}

/** The anchor of a job as a check, or why it cannot be one. */
export async function anchorCheck(
  top: string | undefined,
  job: string,
): Promise<KnownEntryCheck | CheckNote> {
  const name = "anchor";
  if (top === undefined) return { check: name, says: "no repository was given (--repo)" };
  const ref = refs.anchor(job);
  const anchor = await readAnchor(top, job);
  if (anchor === undefined) return { check: name, says: `there is no ${ref} in ${top}` };
  if (anchor === "unreadable") return { check: name, says: `${ref} is not what cfa writes there` };
  return new KnownEntryCheck(name, `${ref} names entry ${anchor.seq} with its hash`, anchor);
}

/** Gathers the commits that a log names, each with the first entry that names it. */
export class NamedCommits implements LogCheck {
  readonly name = "commits";
  readonly says = "the commits that it names are in the repository";
  readonly #named = new Map<string, Entry>();
  /** The act by which somebody removed what kept them. */
  #collected: number | undefined;

  readonly step = ({ entry }: Step): undefined => {
    if (entry.kind === "act" && entry.body.verb === GC_VERB) this.#collected = entry.seq;
    for (const commit of commitsOf(entry)) if (!this.#named.has(commit)) this.#named.set(commit, entry);
    return undefined;
  };

  /**
   * The first entry that names a commit which the repository at `top` does not hold; a note where the log itself tells, after the
   * entries that name them, that nothing keeps them any more.
   */
  async missing(top: string): Promise<Offence | CheckNote | undefined> {
    const missing = await missingCommits(top, [...this.#named.keys()]);
    const gone = [...this.#named].filter(([commit]) => missing.has(commit));
    const unsaid = gone.find(([, { seq }]) => seq > (this.#collected ?? 0));
    if (gone.length === 0) return undefined;
    if (unsaid === undefined) {
      const says = `${missing.size} of the ${this.#named.size} commits that it names are gone, as entry ${this.#collected} has it (cfa gc)`;
      return { check: this.name, says };
    }
    const [commit, entry] = unsaid;
    const problem = `it needs the commit ${commit}, which is not in ${top}`;
    return { check: this.name, seq: entry.seq, claim: printClaim(entry), problem, found: [] };
  }
}

/** The commits that an entry names. */
export function commitsOf(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case "open":
      return known(entry.body.base);
    case "workspace":
    case "turn":
    case "deliver":
      return known(entry.body.commit);
    case "release":
      return known(entry.body.commit, entry.body.snapshot);
    default:
      return [];
  }
}

function known(...commits: readonly (string | null)[]): string[] {
  return commits.filter((commit) => commit !== null);
}
