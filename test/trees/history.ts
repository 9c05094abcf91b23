/** The commits of a repository with the words that each holds, read once. */
import { execFileSync } from "node:child_process";

/** A commit. */
export type Commit = {
  readonly id: string;
  readonly parents: readonly string[];
  readonly subject: string;
  /** Words in its files, with the paths that hold them. */
  readonly words: ReadonlyMap<string, readonly string[]>;
};

/** All commits that a ref keeps, and the refs. */
export class History {
  readonly #commits = new Map<string, Commit>();
  readonly #below = new Map<string, ReadonlySet<string>>();
  readonly refs = new Map<string, string>();

  constructor(top: string) {
    for (const line of lines(top, "for-each-ref", "--format=%(refname) %(objectname)")) {
      const [ref = "", id = ""] = line.split(" ");
      this.refs.set(ref, id);
    }
    const log = lines(top, "log", "--all", "--format=%H%x00%P%x00%s");
    const words = wordsOf(
      top,
      log.map((line) => line.slice(0, 40)),
    );
    for (const line of log) {
      const [id = "", parents = "", subject = ""] = line.split("\0");
      const own = parents.split(" ").filter((parent) => parent !== "");
      this.#commits.set(id, { id, parents: own, subject, words: words.get(id) ?? new Map() });
    }
  }

  /** A commit by its full hash. */
  at(id: string): Commit {
    const found = this.#commits.get(id);
    if (found === undefined) throw new Error(`no ref keeps the commit ${id}`);
    return found;
  }

  /** The commit and all that it descends from. */
  upTo(id: string): ReadonlySet<string> {
    const known = this.#below.get(id);
    if (known !== undefined) return known;
    const found = new Set([id]);
    for (const at of found) for (const parent of this.at(at).parents) found.add(parent);
    this.#below.set(id, found);
    return found;
  }

  /** The line of a tree from the commit at which it began, left out, to the one with which it ended; newest first. */
  line(began: string, end: string): readonly Commit[] {
    const commits: Commit[] = [];
    for (let at: string | undefined = end; at !== undefined && at !== began;) {
      const commit = this.at(at);
      commits.push(commit);
      // HEAD is the last parent of a snapshot.
      at = commit.subject.startsWith("Snapshot ") ? commit.parents.at(-1) : commit.parents[0];
    }
    return commits;
  }
}

function lines(top: string, ...args: readonly string[]): readonly string[] {
  const out = execFileSync("git", args, { cwd: top, encoding: "latin1", maxBuffer: 1 << 28 });
  return out.split("\n").filter((line) => line !== "");
}

/** `<commit>:<path>\0<word>` for each word in each commit (git-grep, `-o -z`). */
function wordsOf(top: string, commits: readonly string[]): ReadonlyMap<string, Map<string, string[]>> {
  const found = new Map<string, Map<string, string[]>>();
  const grep = [
    "grep",
    "--text",
    "--only-matching",
    "--null",
    "-I",
    "--extended-regexp",
    "L[0-9]+",
    ...commits,
  ];
  for (const line of lines(top, ...grep.filter((arg) => arg !== "-I"))) {
    const [place = "", word = ""] = line.split("\0");
    const words = found.get(place.slice(0, 40)) ?? new Map<string, string[]>();
    found.set(place.slice(0, 40), words.set(word, [...(words.get(word) ?? []), place.slice(41)]));
  }
  return found;
}
