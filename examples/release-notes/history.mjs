/**
 * What git knows: the range that the notes cover, and the facts about its commits.
 *
 * H1. Nothing depends on the user's git configuration or language: formats are explicit, fields end with NUL.
 * H2. A range is made of absolute hashes, so that tags and branches may move while the job runs.
 */
import { spawn } from "node:child_process";
import { buffer, text } from "node:stream/consumers";
import { Failure } from "./turn.mjs";

/** git did not do it: `status` is its exit status, the message what it said. */
class GitFailure extends Failure {
  constructor(args, status, said) {
    super(`git ${args[0]} failed (exit ${status}): ${said.trim()}`);
    this.status = status;
  }
}

/** Runs git in the workspace and resolves with what it printed. */
export async function git(args, input = "") {
  const child = spawn("git", args, { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new Failure(`git cannot be started: ${error.message}`)));
    child.once("close", resolve);
  });
  child.stdin.on("error", () => child.stdin.destroy()); // git may end before it has read everything
  child.stdin.end(input);
  const [status, printed, said] = await Promise.all([ended, buffer(child.stdout), text(child.stderr)]);
  if (status !== 0) throw new GitFailure(args, status, said);
  return printed.toString("utf8");
}

/** Like {@link git}, but undefined when git ends with `status`. */
async function gitUnless(status, args, input) {
  try {
    return await git(args, input);
  } catch (error) {
    if (error instanceof GitFailure && error.status === status) return undefined;
    throw error;
  }
}

/**
 * The range from the last tag to HEAD; when HEAD itself is tagged, from the tag before. Without a tag it is the whole
 * history: `from` is null. `date` is the day of the newest commit, `shallow` says that older history is not here.
 */
export async function findRange() {
  const to = (await git(["rev-parse", "HEAD"])).trim();
  const here = (await git(["for-each-ref", "--points-at=HEAD", "--format=%(refname:strip=2)", "refs/tags"]))
    .split("\n")
    .filter(Boolean);
  const tag = (
    await gitUnless(128, [
      "describe",
      "--tags",
      "--abbrev=0",
      ...here.map((name) => `--exclude=${name}`),
      "HEAD",
    ])
  )?.trim();
  const from =
    tag === undefined
      ? null
      : { name: tag, hash: (await git(["rev-parse", `refs/tags/${tag}^{commit}`])).trim() };
  const range = {
    from,
    to: { name: here[0] ?? "HEAD", hash: to },
    date: (await git(["log", "-1", "--no-show-signature", "--format=%cs", to])).trim(),
    shallow: (await git(["rev-parse", "--is-shallow-repository"])).trim() === "true",
  };
  return { ...range, commits: (await listCommits(range)).length };
}

/** The hashes of a range, newest first, parents after their children. */
export async function listCommits({ from, to }) {
  const limits = from === null ? [to.hash] : [to.hash, `^${from.hash}`];
  return (await git(["rev-list", "--topo-order", ...limits])).split("\n").filter(Boolean);
}

/** Whether a range still is what the repository holds: both ends exist, in the history of HEAD, and the count is right. */
export async function rangeFits(range) {
  const inHistory = await gitUnless(128, ["rev-list", "--count", range.to.hash, "^HEAD"]);
  if (inHistory?.trim() !== "0") return false;
  const limits = range.from === null ? [range.to.hash] : [range.to.hash, `^${range.from.hash}`];
  return (await gitUnless(128, ["rev-list", "--count", ...limits]))?.trim() === String(range.commits);
}

const LOG = [
  "log",
  "--no-walk=unsorted",
  "--stdin",
  "-z",
  "--root",
  "--name-only",
  "--no-renames",
  "--no-show-signature",
  "--no-color",
  "--encoding=UTF-8",
  "--abbrev=7",
  "--format=%H%x00%h%x00%P%x00%s%x00%b%x00",
];

/**
 * Facts about commits, in the order asked for, with one `git log`: hash, name (seven digits, more where seven are
 * ambiguous), number of parents, subject, body, and the files touched (none for a merge).
 */
export async function readCommits(hashes) {
  const tokens = (await git(LOG, `${hashes.join("\n")}\n`)).split("\0");
  let at = 0;
  return hashes.map((hash, index) => {
    const [full, name, parents, subject, body] = tokens.slice(at, at + 5);
    if (full !== hash) throw new Failure(`git log did not print commit ${hash} where it was expected.`);
    at += 6; // five fields and the empty one that ends them
    const files = [];
    for (; at < tokens.length && tokens[at] !== hashes[index + 1]; at += 1) {
      const file = tokens[at].replace(/^\n/, "");
      if (file !== "") files.push(file);
    }
    return { hash, name, parents: parents.split(" ").filter(Boolean).length, subject, body, files };
  });
}

/** Makes git take the file along even where a `.gitignore` excludes it. */
export async function track(path) {
  const ignored = await gitUnless(1, ["check-ignore", "--quiet", "--no-index", "--", path]);
  if (ignored !== undefined) await git(["add", "--force", "--", path]);
}
