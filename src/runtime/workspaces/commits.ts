/** Which of some commits a repository holds. */
import { gitAt } from "./git.ts";

/** Those of `ids` (full hashes) that the repository at `top` does not hold as commits; one process for all. */
export async function missingCommits(top: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const input = ids.map((id) => `${id}\n`).join("");
  const out = await gitAt({ cwd: top }).run(["cat-file", "--batch-check=%(objecttype)"], { input });
  const kinds = out.split("\n");
  return new Set(ids.filter((_, at) => kinds[at] !== "commit"));
}
