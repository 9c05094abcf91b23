/**
 * The tree of every thread leaves once: merged once into the tree above it, or dropped and in nothing that is delivered.
 *
 * G1. A merge or a removal begins when the log says that the thread has ended; a tree is made when it is asked for there.
 * G2. What the log calls merged is in the history of the tree that it went into, by one merge commit.
 */
import type { EntryBody } from "../../src/persistence/entry.ts";
import type { Checker, Evidence } from "../evidence.ts";
import type { Trees } from "../world/trees.ts";

type Release = EntryBody<"release"> & { readonly seq: number };

/** See the header. */
export const merges: Checker = {
  name: "merges",
  says: "each tree leaves once, and each merge happens once",
  check: (evidence) =>
    tooEarly(evidence) ?? releases(evidence) ?? (evidence.ended ? histories(evidence) : undefined),
};

function tooEarly({ job, steps, sights }: Evidence): string | undefined {
  const ended = new Map<string, number>();
  const asked = new Map<string, number>([[`job:${job}`, 0]]);
  for (const { entry } of steps) {
    if (entry.kind !== "fire") continue;
    if (entry.body.rule === "term-final") ended.set(entry.body.at["t"] ?? "", entry.seq);
    for (const one of entry.body.choice?.ps ?? [])
      if (one.kind === "deliver" && !asked.has(one.thread)) asked.set(one.thread, entry.seq);
  }
  for (const { head, event } of sights) {
    if (event.kind === "merged" && !((ended.get(event.tree) ?? Infinity) <= head))
      return `${event.tree} is merged at entry ${head}, before the log has ended it`;
    if (event.kind === "tree-made" && !((asked.get(event.tree) ?? Infinity) <= head))
      return `the tree of ${event.tree} is made at entry ${head}, before the log asks for it`;
  }
  return undefined;
}

function releases({ steps, ended: over }: Evidence): string | undefined {
  const left = new Map<string, Release>();
  const completed = new Set<string>();
  const ended: string[] = [];
  for (const { entry } of steps) {
    if (entry.kind === "fire" && entry.body.rule === "term-final") ended.push(entry.body.at["t"] ?? "");
    if (entry.kind !== "release") continue;
    const { thread, result } = entry.body;
    const known = left.get(thread);
    if (result === "completed") {
      if (known?.result !== "conflict" || completed.has(thread))
        return `entry ${entry.seq}: ${thread} holds up no merge that could be completed`;
      completed.add(thread);
    } else if (known !== undefined) {
      return `entry ${entry.seq}: the tree of ${thread} leaves a second time, after entry ${known.seq}`;
    } else left.set(thread, { ...entry.body, seq: entry.seq });
  }
  if (!over) return undefined;
  const kept = ended.find((thread) => !thread.startsWith("state:") && !left.has(thread));
  return kept && `${kept} has ended, and its tree has not left`;
}

function histories({ steps, trees }: Evidence): string | undefined {
  const delivery = steps.findLast(({ entry }) => entry.kind === "deliver")?.entry;
  if (delivery?.kind !== "deliver" || delivery.body.commit === null) return undefined;
  const { commit } = delivery.body;
  if (!trees.commits.has(commit)) return `entry ${delivery.seq}: there is no commit ${commit}`;
  const dropped = new Set<string>();
  for (const { entry } of steps) {
    if (entry.kind !== "release") continue;
    const { thread, result, into } = entry.body;
    if (result === "dropped") dropped.add(thread);
    if ((result !== "merged" && result !== "completed") || into === null || !into.startsWith("state:"))
      continue;
    const flaw = mergedOnce(entry.body, commit, trees);
    if (flaw !== undefined) return `entry ${entry.seq}: ${flaw}`;
  }
  return undefined;
}

function mergedOnce(
  { thread, commit }: Release | EntryBody<"release">,
  end: string,
  trees: Trees,
): string | undefined {
  if (commit === null || !trees.commits.has(commit)) return `there is no commit ${commit} of ${thread}`;
  if (!trees.isAncestor(commit, end)) return `the merge of ${thread} is not in what was delivered`;
  const [, side] = trees.at(commit).parents;
  if (side === undefined) return undefined;
  const times = [...trees.commits.values()].filter(
    ({ id, parents }) => parents[1] === side && trees.isAncestor(id, end),
  );
  return times.length === 1 ? undefined : `the work of ${thread} is merged ${times.length} times`;
}
