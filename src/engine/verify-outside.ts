/**
 * What is kept outside a log and can be compared with it: the anchor in git, a head that somebody wrote down, and the
 * commits that the log names.
 *
 * O1. A log that is shorter than an anchor, or has another hash there, is invalid; a longer one is said.
 */
import type { LogRow } from "../persistence/chain.ts";
import { decodeEntry } from "../persistence/codec.ts";
import type { Entry } from "../persistence/entry.ts";
import { printClaim } from "../persistence/notation.ts";
import type { Offence } from "../persistence/verify.ts";
import { readAnchor } from "../runtime/workspaces/anchor-ref.ts";
import { missingCommits } from "../runtime/workspaces/commits.ts";
import { refs } from "../runtime/workspaces/trees.ts";
import type { CheckNote } from "./verify.ts";

/** A hash that somebody kept, with the number of its entry where that is known too. */
export type HeadWanted = { readonly seq: number | undefined; readonly hash: string };

/** Compares the rows with a kept head as they pass. */
export type KeptHead = {
  readonly take: (row: LogRow) => Offence | undefined;
  readonly end: (seq: number) => Offence | undefined;
  readonly made: readonly CheckNote[];
  readonly notMade: readonly CheckNote[];
};

/** The comparison with a head that was given by hand; nothing when none was. */
export function keptHead(wanted: HeadWanted | undefined): KeptHead {
  let met = false;
  const says = "no --head was given";
  if (wanted === undefined)
    return { take: () => undefined, end: () => undefined, made: [], notMade: [{ check: "head", says }] };
  return {
    take: (row) => {
      if (row.seq === wanted.seq && row.hash !== wanted.hash)
        return offence(
          "head",
          row.seq,
          row.kind,
          `the kept hash is ${wanted.hash}, and here stands ${row.hash}`,
        );
      met ||= row.hash === wanted.hash;
      return undefined;
    },
    end: (seq) => (met ? undefined : notMet(wanted, seq)),
    made: [{ check: "head", says: `the kept hash ${wanted.hash.slice(0, 12)}… stands in the log` }],
    notMade: [],
  };
}

function notMet({ seq, hash }: HeadWanted, last: number): Offence {
  if (seq !== undefined) return tooShort("head", last, seq);
  const problem = `no entry has the kept hash ${hash}: the log was cut before it, or is another one`;
  return offence("head", last, "end", problem);
}

function tooShort(check: string, last: number, seq: number): Offence {
  return offence(check, last, "end", `the log ends at entry ${last}, and entry ${seq} is known: it was cut`);
}

function offence(check: string, seq: number, claim: string, problem: string): Offence {
  return { check, seq, claim, problem, found: [] };
}

/** Remembers of a log what a repository can confirm: the hashes of its entries and the commits that they name. */
export class RepositoryFacts {
  readonly hashes: string[] = [];
  /** Commits with the first entry that names each. */
  readonly commits = new Map<string, { readonly seq: number; readonly claim: string }>();

  take(row: LogRow): void {
    this.hashes.push(row.hash);
    if (!NAMING.includes(row.kind)) return;
    const entry = decodeEntry(row, `entry ${row.seq}`);
    for (const commit of commitsOf(entry))
      if (!this.commits.has(commit)) this.commits.set(commit, { seq: row.seq, claim: printClaim(entry) });
  }
}

/** Kinds whose bodies name commits. */
const NAMING: readonly string[] = ["open", "workspace", "turn", "release", "deliver"];

function commitsOf(entry: Entry): readonly string[] {
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

/** What a repository says of a log. */
export type OutsideNotes = {
  readonly made: readonly CheckNote[];
  readonly notMade: readonly CheckNote[];
  readonly remarks: readonly string[];
  readonly offence: Offence | null;
};

/** Compares the log with the repository at `top`; without one says what was not checked. `last` is the newest entry. */
export async function checkAnchor(
  top: string | undefined,
  job: string,
  facts: RepositoryFacts,
  last: number,
): Promise<OutsideNotes> {
  if (top === undefined) {
    const says = "no repository was given (--repo)";
    const notMade = [
      { check: "anchor", says },
      { check: "commits", says },
    ];
    return { made: [], notMade, remarks: [], offence: null };
  }
  const anchor = await anchorNotes(top, job, facts, last);
  if (anchor.offence !== null) return anchor;
  const missing = await missingCommits(top, [...facts.commits.keys()]);
  const [gone] = [...facts.commits].filter(([commit]) => missing.has(commit));
  if (gone !== undefined) {
    const [commit, { seq, claim }] = gone;
    return { ...anchor, offence: offence("commits", seq, claim, `its commit ${commit} is not in ${top}`) };
  }
  const commits = {
    check: "commits",
    says: `all ${facts.commits.size} commits that it names are in the repository`,
  };
  return { ...anchor, made: [...anchor.made, commits] };
}

async function anchorNotes(
  top: string,
  job: string,
  { hashes }: RepositoryFacts,
  last: number,
): Promise<OutsideNotes> {
  const ref = refs.anchor(job);
  const anchor = await readAnchor(top, job);
  const none = { made: [], notMade: [], remarks: [], offence: null };
  if (anchor === undefined)
    return { ...none, notMade: [{ check: "anchor", says: `there is no ${ref} in ${top}` }] };
  if (anchor === "unreadable")
    return { ...none, notMade: [{ check: "anchor", says: `${ref} is not what cfa wrote there` }] };
  const { seq, hash } = anchor;
  if (seq > last) return { ...none, offence: { ...tooShort("anchor", last, seq) } };
  const found = hashes[seq - 1];
  if (found !== hash)
    return {
      ...none,
      offence: offence("anchor", seq, "", `${ref} names the hash ${hash}, and here stands ${found}`),
    };
  const made = [{ check: "anchor", says: `${ref} names entry ${seq} with its hash` }];
  const more = last - seq;
  const remarks =
    more === 0 ? [] : [`the log is longer than its anchor by ${more} ${more === 1 ? "entry" : "entries"}`];
  return { ...none, made, remarks };
}
