/**
 * Copies: a tree for whoever looks at the work of another one and must not touch it (the proxy, CfA §7).
 *
 * C1. A copy is a repository of its own with its own objects: the content of one commit, and beside it the tag `base`, the commit
 *     from which the job started. Nothing in it names the repository that it was made of, and no git that runs in it reaches one.
 * C2. A symbolic link of the original is a file that holds its target: none leads out of the copy.
 * C3. A copy is scratch. It is finished by its marker, written last; a half-made one is made anew, and no state of it is kept.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadId } from "../../soup/message.ts";
import { gitAt, readCommits } from "./git.ts";
import type { Branched } from "./port.ts";
import { type JobGit, refs, treeName } from "./trees.ts";
import { readIfThere, removeAll, writeWhole } from "./worktrees.ts";

/** File in the git directory of a copy that says that it is finished (C3); it holds the commit. */
const MARKER = "cfa-copy";

/** Makes the tree of `thread` as a copy of `commit`; one that is there already is confirmed. */
export async function copyTree(job: JobGit, thread: ThreadId, commit: string): Promise<Branched> {
  const dir = join(job.root, treeName(job.job, thread));
  const marker = join(dir, ".git", MARKER);
  if ((await readIfThere(marker))?.trim() === commit) return { commit };
  await removeAll(dir);
  await mkdir(dir, { recursive: true });
  const [format, [base]] = await Promise.all([
    job.git.run(["rev-parse", "--show-object-format"]),
    readCommits(job.git, [refs.base(job.job)]),
  ]);
  const git = gitAt({ cwd: dir, job: job.root });
  await git.run(["init", "--quiet", "--template=", `--object-format=${format.trim()}`, "."]);
  await git.run(["config", "core.symlinks", "false"]);
  const wanted = [`${commit}:refs/heads/copy`, ...(base === undefined ? [] : [`${base.id}:refs/tags/base`])];
  // Any commit may be asked for by its hash in this version of the protocol.
  const protocol = ["-c", "protocol.version=2", "-c", "protocol.file.allow=always"];
  const quiet = ["--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  await git.run([...protocol, "fetch", ...quiet, job.common, ...wanted]);
  await git.run(["checkout", "--quiet", "copy"]);
  await writeWhole(marker, `${commit}\n`);
  return { commit };
}
