/** Which of some commits a repository holds, and keeping them for a fork. */
import { gitAt } from "./git.ts";
import { refs } from "./trees.ts";

/** Those of `ids` (full hashes) that the repository at `top` does not hold as commits; one process for all. */
export async function missingCommits(top: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const input = ids.map((id) => `${id}\n`).join("");
  const out = await gitAt({ cwd: top }).run(["cat-file", "--batch-check=%(objecttype)"], { input });
  const kinds = out.split("\n");
  return new Set(ids.filter((_, at) => kinds[at] !== "commit"));
}

/** What a fork takes over from the repository: commits that its log names, and the branch of a result, if there is one. */
export type Taken = { readonly commits: readonly string[]; readonly result: string | null };

/** Puts refs of `job` on what it takes over, so that nothing of it can be collected. Done again, it changes nothing. */
export async function keepTaken(top: string, job: string, { commits, result }: Taken): Promise<void> {
  const lines = commits.map((commit) => `update ${refs.past(job, commit)} ${commit}\n`);
  if (result !== null) lines.push(`update ${refs.branch(job)} ${result}\n`);
  await gitAt({ cwd: top }).run(["update-ref", "--stdin"], { input: lines.join("") });
}
