/**
 * What an ended job has left in the repository besides its result: worktrees, and private refs that keep commits.
 *
 * L1. The anchor stays: it belongs to the log. The branch `cfa/<job>` stays: it is the result.
 * L2. Counting and removing look at the same; removing again removes nothing.
 */
import { deleteRefs } from "./ref-locks.ts";
import { reconcileTrees } from "./drop.ts";
import { type GitWorkspacesOptions, jobGit } from "./git-workspaces.ts";
import { type JobGit, refs } from "./trees.ts";
import { listWorktrees } from "./worktrees.ts";

/** How much there is. */
export type Leftovers = { readonly worktrees: number; readonly refs: number };

/** Counts what is left of a job; with `remove` it is gone afterwards. */
export async function collectLeftovers(options: GitWorkspacesOptions, remove: boolean): Promise<Leftovers> {
  const job = await jobGit(options);
  const worktrees = await listWorktrees(job);
  if (remove && worktrees.length > 0) await reconcileTrees(job, []);
  const names = await privateRefs(job);
  if (remove && names.length > 0)
    await deleteRefs(
      job,
      names.map((name) => `delete ${name}`),
    );
  return { worktrees: worktrees.length, refs: names.length };
}

async function privateRefs({ job, git }: JobGit): Promise<readonly string[]> {
  const below = refs.base(job).replace(/base$/, "");
  const out = await git.run(["for-each-ref", "--format=%(refname)", below]);
  return out.split("\n").filter((name) => name !== "" && name !== refs.anchor(job));
}
