/**
 * What differs in a tree, and bringing chosen differences into an index.
 *
 * S1. One `git status` says everything: HEAD, branch, changed, untracked and unmerged paths.
 * S2. Staging takes a path as it stands in the tree, also when it is ignored or unmerged.
 * S3. A repository inside the tree that is no submodule is left out: git would record a commit that exists nowhere
 *     else, or fail. So are files that cannot be read or are too large (oversize.ts), pipes, sockets and devices.
 *     Whoever stages is told.
 */
import { constants } from "node:fs";
import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import { fields, type Git } from "./git.ts";
import { oversizeAmong } from "./oversize.ts";
import { look } from "./safe-path.ts";
import type { Tree } from "./trees.ts";

/** A path (byte string) that differs from HEAD, in the index or in the tree. */
export type Change = {
  readonly path: string;
  /** `tracked` counts what is only in the index, too. */
  readonly kind: "tracked" | "untracked" | "unmerged";
  /** The path does not exist in the tree. */
  readonly gone: boolean;
  /** A submodule whose commit differs. */
  readonly submodule?: boolean;
};

/** The state of a tree (S1). */
export type Survey = {
  /** Commit of HEAD; null when HEAD names a branch without a commit. */
  readonly head: string | null;
  /** Short name of the branch that HEAD names; null when it is detached. */
  readonly branch: string | null;
  readonly changes: readonly Change[];
};

/** The arguments of git that {@link parseSurvey} reads the answer of. */
export const STATUS = [
  "status",
  "--porcelain=v2",
  "--branch",
  "-z",
  "--untracked-files=all",
  "--no-renames",
  "--no-ahead-behind",
  "--ignore-submodules=dirty",
];

/** Looks at a tree (S1). */
export async function survey(git: Git): Promise<Survey> {
  return parseSurvey(await git.run(STATUS));
}

/** Reads what git says to {@link STATUS}. */
export function parseSurvey(out: string): Survey {
  const state: { head: string | null; branch: string | null; changes: Change[] } = {
    head: null,
    branch: null,
    changes: [],
  };
  for (const line of fields(out)) {
    if (line.startsWith("# branch.oid ")) state.head = commitOrNull(line.slice(13));
    else if (line.startsWith("# branch.head "))
      state.branch = line.slice(14) === "(detached)" ? null : line.slice(14);
    else if (!line.startsWith("#")) state.changes.push(changeOf(line));
  }
  return state;
}

const commitOrNull = (value: string): string | null => (/^[0-9a-f]{40,64}$/.test(value) ? value : null);

/** `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path` (git-status, porcelain v2). */
function changeOf(line: string): Change {
  if (line.startsWith("? ")) return { path: line.slice(2), kind: "untracked", gone: false };
  const unmerged = line.startsWith("u ");
  const words = line.split(" ");
  const path = words.slice(unmerged ? 10 : 8).join(" ");
  const modeInTree = words[unmerged ? 6 : 5];
  const gone = modeInTree === "000000";
  const submodule = words[2]?.startsWith("SC") === true && !gone ? { submodule: true } : {};
  return { path, kind: unmerged ? "unmerged" : "tracked", gone, ...submodule };
}

/** Brings `changes` into the tree's index, or into the one named (S2). Returns paths (byte strings) that are left out (S3). */
export async function stage(
  tree: Tree,
  changes: readonly Change[],
  index?: string,
): Promise<readonly string[]> {
  const call = index === undefined ? {} : { index };
  const gone = changes.filter((change) => change.gone).map((change) => change.path);
  if (gone.length > 0)
    await tree.git.run(["update-index", "--force-remove", "-z", "--stdin"], { ...call, input: list(gone) });
  const present = changes.filter((change) => !change.gone && !change.path.endsWith("/"));
  const large = await oversizeAmong(
    tree.dir,
    present.map((change) => change.path),
  );
  const paths = present.map((change) => change.path).filter((path) => !large.has(path));
  if (paths.length === 0) return [...large];
  const done = await tree.git.attempt(ADD, { ...call, input: list(paths) });
  if (done.code === 0) return [...large];
  const usable = await Promise.all(paths.map((path) => isStageable(tree.dir, path)));
  await tree.git.run(ADD, { ...call, input: list(paths.filter((_, at) => usable[at])) });
  return [...large, ...paths.filter((_, at) => !usable[at])];
}

/** The arguments of git that take paths, each as it stands in the tree, into an index; standard input is a {@link list}. */
export const ADD = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];

/** Paths (byte strings) as git reads them from its standard input. */
export const list = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join("");

/** What git would record of the paths (byte strings) as they stand in the tree; none for those that it cannot record. */
export async function blobsAt(
  tree: Tree,
  paths: readonly string[],
): Promise<ReadonlyMap<string, { readonly mode: string; readonly id: string }>> {
  if (paths.length === 0) return new Map();
  const index = join(tree.admin, "cfa-blobs");
  try {
    const present = paths.map((path): Change => ({ path, kind: "tracked", gone: false }));
    await stage(tree, present, index);
    const entries = fields(await tree.git.run(["ls-files", "--stage", "-z"], { index }));
    return new Map(
      entries.map((entry) => {
        const tab = entry.indexOf("\t");
        const [mode = "", id = ""] = entry.slice(0, tab).split(" ");
        return [entry.slice(tab + 1), { mode, id }];
      }),
    );
  } finally {
    await rm(index, { force: true });
  }
}

/** Whether git can record what stands at a path: a link, a directory (submodule), or a file that can be read. */
async function isStageable(dir: string, path: string): Promise<boolean> {
  const at = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(path, "latin1")]);
  const stat = await look(at);
  if (stat === undefined || stat.isSymbolicLink() || stat.isDirectory()) return true;
  if (!stat.isFile()) return false;
  return access(at, constants.R_OK).then(
    () => true,
    () => false,
  );
}
