/** What jobs that are gone have left, cleared away at the start of another one and by `cfa gc` (docs/workspaces.md). */
import { type Gone, reapGone } from "../runtime/workspaces/reap.ts";

/**
 * Clears away what no log names. Returns a sentence for each job of which something went, or why nothing could be done: clearing away
 * is never a reason not to start.
 */
export async function reapAtStart(top: string): Promise<readonly string[]> {
  try {
    return (await reapGone(top, true)).map(
      (gone) => `cleared away ${leftBy(gone)} of job ${gone.job}, which no log names any more`,
    );
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().replaceAll("\n", "; ") : String(error);
    return [`what earlier jobs have left could not be cleared away: ${why}`];
  }
}

/** `1 worktree and 3 private refs`. */
export function leftBy({ worktrees, refs }: Pick<Gone, "worktrees" | "refs">): string {
  const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
  return `${counted(worktrees, "worktree")} and ${counted(refs, "private ref")}`;
}
