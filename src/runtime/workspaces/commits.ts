/** Which of some commits a repository holds, and keeping them for a fork. */
import type { ThreadId } from "../../soup/message.ts";
import { gitAt } from "./git.ts";
import { refs, treeName } from "./trees.ts";

/** Those of `ids` (full hashes) that the repository at `top` does not hold as commits; one process for all. */
export async function missingCommits(top: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const input = ids.map((id) => `${id}\n`).join("");
  const out = await gitAt({ cwd: top }).run(["cat-file", "--batch-check=%(objecttype)"], { input });
  const kinds = out.split("\n");
  return new Set(ids.filter((_, at) => kinds[at] !== "commit"));
}

/** What a fork takes over from the repository. */
export type Taken = {
  /** Commits that its log names. */
  readonly commits: readonly string[];
  /** The result, where it has been delivered on the branch of the job; null otherwise. */
  readonly result: string | null;
  /** The job's own thread, whose tree has left when there is a result. */
  readonly home: ThreadId;
};

/** Puts refs of `job` on what it takes over, so that nothing of it can be collected. Done again, it changes nothing. */
export async function keepTaken(top: string, job: string, { commits, result, home }: Taken): Promise<void> {
  const lines = commits.map((commit) => `update ${refs.past(job, commit)} ${commit}\n`);
  if (result !== null)
    lines.push(
      `update ${refs.branch(job)} ${result}\n`,
      `update ${refs.ended(job, treeName(job, home))} ${result}\n`,
    );
  await gitAt({ cwd: top }).run(["update-ref", "--stdin"], { input: lines.join("") });
}
