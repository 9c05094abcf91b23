/**
 * The work commit: what a tree hands on. Everything in the tree but ignored files, artifacts, `.cfa/` and
 * `.sortie/`, on the thread's own line.
 *
 * C1. A thread's line only grows: the new commit descends from the one before. If the agent left the line (reset,
 *     amend, checkout of something else), the content of the tree is committed on top of the line's end.
 * C2. Commits of the agent are kept; where they hold reserved paths, they are written anew without (rewrite.ts).
 * C3. Afterwards HEAD is where it belongs (the job's tree on its branch, others detached) at the line's end, and
 *     the index holds exactly that commit. Nothing is committed when nothing changed.
 * C4. Nothing unmerged is committed, unless the caller has seen that every path is resolved (complete.ts).
 * C5. All refs move, or none: none when the end of the line is no longer the one that was read, as after a process that stood
 *     still has lost the job to another one.
 */
import { join } from "node:path";
import { type CommitObject, type Git, GitFailure, parseCommits, readCommits, text } from "./git.ts";
import { PathRefused, TreeBroken } from "./port.ts";
import { rewriteWithout } from "./rewrite.ts";
import { look } from "./safe-path.ts";
import { oversizeAmong } from "./oversize.ts";
import { ADD, list, parseSurvey, stage, STATUS, type Survey } from "./stage.ts";
import { isJobTree, isReserved, jobBranch, type JobGit, refs, reservedNames, type Tree } from "./trees.ts";

/**
 * Commits the work of a tree; `resolved` where unmerged paths of its index are (C4). `seen` is how it stands, looked at just now.
 * Returns the end of its line.
 */
export async function workCommit(job: JobGit, tree: Tree, resolved = false, seen?: Seen): Promise<string> {
  const here = seen ?? (await lookAt(job, tree));
  const plain = await plainPaths(job, tree, here);
  const made = plain && (await commitHere(job, tree, here.end, plain).catch(unlessGitRefuses));
  if (made !== undefined) return made;
  const state = await prepare(job, tree, resolved, here);
  const commit = state.clean ? state.parent : await commitIndex(job, tree, state);
  if (!(state.settled && commit === state.last)) await settle(job, tree, state, commit);
  return commit;
}

/**
 * The changed paths (byte strings) of a tree in the most frequent case, which is committed in one go: HEAD is where it belongs, the agent
 * has made no commits of its own, and all that has changed stands there and can be taken as it is. Undefined in any other.
 */
async function plainPaths(
  job: JobGit,
  tree: Tree,
  { found, end }: Seen,
): Promise<readonly string[] | undefined> {
  if (found.head !== end.id || !isAttached(job, tree, found)) return undefined;
  const paths: string[] = [];
  for (const { path, kind, gone } of found.changes) {
    const isWork = !isReserved(job, path);
    if (kind === "unmerged" || (isWork ? gone : kind !== "untracked")) return undefined;
    if (isWork && !path.endsWith("/")) paths.push(path);
  }
  return paths.length > 0 && (await oversizeAmong(tree.dir, paths)).size === 0 ? paths : undefined;
}

/** What git would not do in one go is done step by step, which says why, or finds what to leave out (stage.ts, S3). */
function unlessGitRefuses(error: unknown): undefined {
  if (!(error instanceof GitFailure)) throw error;
}

/**
 * Takes the paths of standard input into the index and commits it, unless its content is `$1`, with the message `$3` on top of `$2`;
 * moves refs as {@link settle} does (C5).
 */
const COMMIT = `
git ${ADD.join(" ")}
tree=$(git write-tree)
if [ "$tree" = "$1" ]; then echo "$2"; exit; fi
commit=$(printf '%s\\n' "$3" | git commit-tree "$tree" -p "$2" -F -)
printf '%s %s\\n%s %s %s\\n' "$4" "$commit" "$5" "$commit" "$2" | git update-ref --stdin
echo "$commit"
`;

/** See {@link plainPaths}. */
async function commitHere(
  job: JobGit,
  tree: Tree,
  end: CommitObject,
  paths: readonly string[],
): Promise<string> {
  const moves = [headMove(job, tree), `update ${refs.thread(job.job, tree.name)}`];
  const words = [end.tree, end.id, `Work of ${tree.thread}`, ...moves];
  return (await tree.git.script("commit-tree", COMMIT, words, { input: list(paths) })).trim();
}

/** The beginning of the line of `git update-ref --stdin` that moves HEAD of a tree (C3). */
function headMove(job: JobGit, tree: Tree): string {
  return isJobTree(job, tree.thread) ? `update ${refs.branch(job.job)}` : "option no-deref\nupdate HEAD";
}

async function commitIndex(job: JobGit, tree: Tree, { parent, end }: Prepared): Promise<string> {
  const [content, [before]] = await Promise.all([
    tree.git.run(["write-tree"]),
    parent === end.id ? [end] : readCommits(job.git, [parent]),
  ]);
  const id = content.trim();
  return before?.tree === id ? parent : commitTree(job.git, id, [parent], `Work of ${tree.thread}\n`);
}

/** A tree whose index holds its work, without reserved paths, and the commit that a new one goes on top of. */
export type Prepared = {
  readonly survey: Survey;
  /** End of the line as recorded, and its name. */
  readonly end: CommitObject;
  readonly last: string;
  /** End of the line with the agent's own commits (C1, C2). */
  readonly parent: string;
  /** The index equals the parent. */
  readonly clean: boolean;
  /** HEAD is where it belongs, at `last`. */
  readonly settled: boolean;
};

/** A tree and the end of its line, as they were found. */
export type Seen = { readonly found: Survey; readonly end: CommitObject };

const LOOK = `printf '%s\\n' "$1" | git cat-file --batch\ngit ${STATUS.join(" ")}\n`;

/** Looks at a tree and at its line. Rejects as {@link lineEnd} does. */
export async function lookAt(job: JobGit, tree: Tree): Promise<Seen> {
  const out = await tree.git.script("status", LOOK, [refs.thread(job.job, tree.name)]);
  const { commits, rest } = parseCommits(out, 1);
  return { found: parseSurvey(rest), end: requireEnd(tree, commits[0]) };
}

/** Brings index and line of a tree to the point where a commit can be made. */
export async function prepare(job: JobGit, tree: Tree, resolved: boolean, seen?: Seen): Promise<Prepared> {
  const { found, end: last } = seen ?? (await lookAt(job, tree));
  const unmerged = found.changes.filter((change) => change.kind === "unmerged").map(({ path }) => text(path));
  if (!resolved && unmerged.length > 0)
    throw new PathRefused(
      `the workspace of ${tree.thread} holds unmerged paths, which cannot be committed: ${unmerged.join(", ")}.`,
    );
  const parent = await ownLine(job, tree, found.head, last.id);
  const work = found.changes.filter((change) => !isReserved(job, change.path) && !change.path.endsWith("/"));
  await stage(tree, work);
  const reservedInIndex = found.changes.some((c) => c.kind !== "untracked" && isReserved(job, c.path));
  if (found.head !== last.id || reservedInIndex)
    await tree.git.run(["reset", "--quiet", last.id, "--", ...reservedNames(job)]);
  return {
    survey: found,
    end: last,
    last: last.id,
    parent,
    clean: work.length === 0 && found.head === parent,
    settled: found.head === last.id && isAttached(job, tree, found),
  };
}

/** The newest commit of a tree's line. */
export async function lineEnd(job: JobGit, tree: Pick<Tree, "name" | "thread">): Promise<CommitObject> {
  const [end] = await readCommits(job.git, [refs.thread(job.job, tree.name)]);
  return requireEnd(tree, end);
}

function requireEnd({ thread }: Pick<Tree, "thread">, end: CommitObject | undefined): CommitObject {
  if (end === undefined)
    throw new TreeBroken(
      `the line of ${thread} has lost its ref: what is under refs/cfa/ belongs to cfa, leave it alone.`,
    );
  return end;
}

/** Rejects with a {@link TreeBroken} when the ref of a tree's line is gone. */
export async function requireLine(job: JobGit, tree: Tree): Promise<void> {
  const isLoose = (await look(join(job.common, refs.thread(job.job, tree.name)))) !== undefined;
  if (!isLoose) await lineEnd(job, tree);
}

/** The commit that the line ends with when HEAD's own commits are counted in. */
async function ownLine(job: JobGit, tree: Tree, head: string | null, last: string): Promise<string> {
  if (head === null || head === last || !(await isAncestor(job.git, last, head))) return last;
  return rewriteWithout(job, tree, last, head);
}

/** Whether history of `later` holds `earlier`. */
export async function isAncestor(git: Git, earlier: string, later: string): Promise<boolean> {
  return (await git.attempt(["merge-base", "--is-ancestor", earlier, later])).code === 0;
}

/** Makes a commit object. */
export async function commitTree(
  git: Git,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return (await git.run(args, { input: Buffer.from(message).toString("latin1") })).trim();
}

function isAttached(job: JobGit, tree: Tree, found: Pick<Survey, "branch">): boolean {
  return found.branch === (isJobTree(job, tree.thread) ? jobBranch(job.job) : null);
}

/** Puts HEAD where it belongs and records `commit` as the end of the line, which was `last` until now (C3, C5). */
export async function settle(
  job: JobGit,
  tree: Tree,
  { survey: found, last }: { readonly survey: Pick<Survey, "branch">; readonly last: string },
  commit: string,
): Promise<void> {
  const own = isJobTree(job, tree.thread);
  await tree.git.run(["update-ref", "--stdin"], {
    input: `${headMove(job, tree)} ${commit}\nupdate ${refs.thread(job.job, tree.name)} ${commit} ${last}\n`,
  });
  if (own && !isAttached(job, tree, found))
    await tree.git.run(["symbolic-ref", "HEAD", refs.branch(job.job)]);
}
