/**
 * What git has left unfinished in a tree: merges, rebases, picks, and whatever else leaves unmerged paths in its index.
 *
 * U1. Read from the index and from git's administration, never from what the agent says.
 * U2. A rebase, or a sequence of picks, is unfinished until git says that it is over, with or without unmerged paths: the tree
 *     lacks what has not been applied yet.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fields } from "./git.ts";
import type { Operation } from "./port.ts";
import { look } from "./safe-path.ts";
import type { Survey } from "./stage.ts";
import type { Tree } from "./trees.ts";
import { readIfThere } from "./worktrees.ts";

/** What is unfinished. */
export type Unfinished = {
  readonly operation: Operation;
  /** The commit that is applied; empty where git does not say which. */
  readonly commit: string;
  /** Only git itself can end it (U2). */
  readonly sequence: boolean;
  /** Unmerged paths (byte strings), each with its stages. */
  readonly unmerged: ReadonlyMap<string, readonly Stage[]>;
};

/** One side of an unmerged path: 1 is the common ancestor, 2 the tree's own, 3 what is applied. */
type Stage = { readonly number: number; readonly blob: string };

const NO_STAGES: ReadonlyMap<string, readonly Stage[]> = new Map();
const SEQUENCES = ["rebase-merge", "rebase-apply", "sequencer"];
const HEADS = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"];
const NOTES = ["MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"];

/** What is unfinished in the tree; undefined when nothing is. A survey of it that is at hand spares git a question. */
export async function unfinishedIn(tree: Tree, seen?: Survey): Promise<Unfinished | undefined> {
  const isMerged = seen?.changes.every(({ kind }) => kind !== "unmerged") === true;
  const [unmerged, heads, found] = await Promise.all([
    isMerged ? NO_STAGES : unmergedPaths(tree),
    Promise.all(HEADS.map((name) => firstLine(tree, name))),
    Promise.all(SEQUENCES.map(async (name) => (await look(join(tree.admin, name))) !== undefined)),
  ]);
  const [merge, pick, revert, rebase] = heads;
  const [rebasing, applying, picking] = found;
  const sequence = rebasing === true || applying === true || picking === true;
  if (merge === undefined && !sequence && unmerged.size === 0) return undefined;
  const commit = merge ?? pick ?? revert ?? rebase ?? "";
  const operation = operationOf(merge, rebasing === true || applying === true, pick, revert);
  return { operation, commit, sequence, unmerged };
}

function operationOf(
  merge: string | undefined,
  rebasing: boolean,
  pick: string | undefined,
  revert: string | undefined,
): Operation {
  if (rebasing) return "rebase";
  if (merge !== undefined) return "merge";
  if (pick !== undefined) return "cherry-pick";
  return revert === undefined ? "other" : "revert";
}

async function firstLine(tree: Tree, name: string): Promise<string | undefined> {
  return (await readIfThere(join(tree.admin, name)))?.split("\n")[0];
}

/** The commit whose merge the tree holds unfinished; null when there is none. */
export async function mergeHead(tree: Tree): Promise<string | null> {
  return (await firstLine(tree, "MERGE_HEAD")) ?? null;
}

/** Unmerged paths (byte strings) of the index, each with its stages. */
export async function unmergedPaths(tree: Tree): Promise<ReadonlyMap<string, readonly Stage[]>> {
  const stages = new Map<string, Stage[]>();
  for (const entry of fields(await tree.git.run(["ls-files", "--unmerged", "-z"]))) {
    const tab = entry.indexOf("\t");
    const [, blob = "", number] = entry.slice(0, tab).split(" ");
    const path = entry.slice(tab + 1);
    stages.set(path, [...(stages.get(path) ?? []), { number: Number(number), blob }]);
  }
  return stages;
}

/** Ends git's own state of merges, picks and rebases; tree, index and HEAD stay. */
export async function removeMergeState(tree: Tree): Promise<void> {
  await Promise.all(
    [...HEADS, ...NOTES, ...SEQUENCES].map((name) =>
      rm(join(tree.admin, name), { recursive: true, force: true }),
    ),
  );
}
