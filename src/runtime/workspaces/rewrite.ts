/**
 * Writing an agent's own commits anew without reserved paths (artifacts, `.cfa/`, `.sortie/`).
 *
 * A1. Author, committer, dates, encoding and message stay byte by byte; a signature, which would no longer hold,
 *     goes. A commit that held nothing else stays as an empty one.
 * A2. What the line before them tracked under a reserved path stays as it was there.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type JobGit, reservedNames, type Tree } from "./trees.ts";

/** The commit `head` or, when commits after `last` touch reserved paths, its counterpart without them. */
export async function rewriteWithout(job: JobGit, tree: Tree, last: string, head: string): Promise<string> {
  const range = `${last}..${head}`;
  const names = reservedNames(job);
  const touching = await job.git.run(["rev-list", "--full-history", "--max-count=1", range, "--", ...names]);
  if (touching === "") return head;
  const listing = await job.git.run(["rev-list", "--topo-order", "--reverse", "--parents", range]);
  const written = new Map<string, string>();
  const index = join(tree.admin, "cfa-rewrite");
  try {
    for (const line of listing.trimEnd().split("\n")) {
      const [commit = "", ...parents] = line.split(" ");
      await tree.git.run(["read-tree", commit], { index });
      await tree.git.run(["reset", "--quiet", last, "--", ...names], { index });
      const content = (await tree.git.run(["write-tree"], { index })).trim();
      const raw = await job.git.run(["cat-file", "commit", commit]);
      const anew = withContent(
        raw,
        content,
        parents.map((parent) => written.get(parent) ?? parent),
      );
      const made = await job.git.run(["hash-object", "-t", "commit", "-w", "--stdin"], { input: anew });
      written.set(commit, made.trim());
    }
  } finally {
    await rm(index, { force: true });
  }
  return written.get(head) ?? head;
}

/** A raw commit with another tree and other parents (A1). */
function withContent(raw: string, tree: string, parents: readonly string[]): string {
  const split = raw.indexOf("\n\n");
  // A header's further lines begin with a space.
  const headers = raw.slice(0, split).split(/\n(?! )/);
  const kept = headers.filter((header) => !/^(tree|parent|gpgsig|gpgsig-sha256|mergetag) /.test(header));
  return [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), ...kept].join("\n") + raw.slice(split);
}
