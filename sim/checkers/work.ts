/**
 * Work is neither lost nor brought back: what a commit of the log holds, the later ones of its tree hold or have written over; what a
 * lost turn has written is in none after its rollback.
 *
 * K1. Edits are numbered as they happen (world/trees.ts, K1), so the newer of two is known.
 */
import type { Entry } from "../../src/persistence/entry.ts";
import type { Checker, Evidence } from "../evidence.ts";
import type { Content, Trees } from "../world/trees.ts";

/** See the header. */
export const work: Checker = {
  name: "work",
  says: "no work that the log holds is lost, and none of a lost turn comes back",
  check: (evidence) => {
    const written = editsOf(evidence);
    const lost = new Set<string>();
    const trees = new Map<string, Content>();
    for (const { entry } of evidence.steps) {
      if (entry.kind === "rollback")
        for (const edit of written.get(`${entry.body.thread} ${entry.body.turn}`) ?? []) lost.add(edit);
      for (const { tree, commit } of commitsOf(entry, evidence.job)) {
        const flaw = flawOf(commit, trees.get(tree), lost, evidence.trees);
        if (flaw !== undefined) return `entry ${entry.seq} (${entry.kind}), ${tree}: ${flaw}`;
        trees.set(tree, evidence.trees.at(commit).content);
      }
    }
    return undefined;
  },
};

/** The edits of each turn, by thread and number. */
function editsOf({ sights }: Evidence): ReadonlyMap<string, readonly string[]> {
  const turnOf = new Map<number, string>();
  const edits = new Map<string, string[]>();
  for (const { event } of sights) {
    if (event.kind === "program-started") turnOf.set(event.pid, `${event.thread} ${event.turn}`);
    if (event.kind !== "program-edited") continue;
    const key = turnOf.get(event.pid) ?? "";
    edits.set(key, [...(edits.get(key) ?? []), event.edit]);
  }
  return edits;
}

/** What an entry says a tree holds. */
function commitsOf(entry: Entry, job: string): { readonly tree: string; readonly commit: string }[] {
  const tree = (thread: string) => (thread.startsWith("state:") ? `job:${job}` : thread);
  if (entry.kind === "turn" && entry.body.commit !== null)
    return [{ tree: tree(entry.body.thread), commit: entry.body.commit }];
  if (entry.kind === "release" && entry.body.into !== null && entry.body.snapshot !== null)
    return [{ tree: tree(entry.body.into), commit: entry.body.snapshot }];
  if (entry.kind === "deliver" && entry.body.commit !== null)
    return [{ tree: `job:${job}`, commit: entry.body.commit }];
  return [];
}

function flawOf(
  commit: string,
  before: Content | undefined,
  lost: ReadonlySet<string>,
  trees: Trees,
): string | undefined {
  if (!trees.commits.has(commit)) return `there is no commit ${commit}`;
  const { content } = trees.at(commit);
  for (const [path, text] of content) {
    const back = wordsOf(text).find((edit) => lost.has(edit));
    if (back !== undefined) return `${path} holds ${back}, which a lost turn wrote`;
  }
  for (const [path, text] of before ?? []) {
    if (ageOf(content.get(path) ?? "") < ageOf(text))
      return `${path} held ${text}, and holds ${content.get(path) ?? "nothing"} now`;
  }
  return undefined;
}

const wordsOf = (text: string): readonly string[] => text.match(/e\d+\.\d+/gu) ?? [];

/** Number of the newest edit in a text (K1). */
const ageOf = (text: string): number =>
  Math.max(-1, ...wordsOf(text).map((edit) => Number(edit.split(".")[1])));
