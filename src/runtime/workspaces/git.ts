/**
 * Running git.
 *
 * G1. No hook, signature, housekeeping, prompt or inherited `GIT_*` variable takes part; identity is cfa's own.
 *     Works without HOME and without any git configuration.
 * G2. Names of files are bytes: output and input are byte strings (one character a byte, latin1), so a name that
 *     is not UTF-8 survives; {@link bytes} and {@link text} convert.
 * G3. Arguments that name paths are literal, never patterns.
 * G4. Reads take no optional locks.
 * G5. Objects are what their names say: what `git replace` puts in their place counts for nothing.
 * G6. A process costs Node several times what it costs a shell: steps that follow each other without a decision of ours are one script,
 *     in which `git` is the git of G1 and the first failure is the end.
 * G7. Nothing that stands in a tree keeps a git waiting without end (traps.ts).
 */
import { execa } from "execa";
import { STRAY_MARK } from "./strays.ts";
import { unlessTrapped } from "./traps.ts";

/** One run: arguments, and what differs from the place's defaults. */
type GitCall = {
  /** Standard input as a byte string. */
  readonly input?: string;
  /** Index file in place of the tree's own. */
  readonly index?: string;
};

/** What a run printed (byte strings), and its exit code. */
export type GitResult = { readonly code: number; readonly out: string; readonly err: string };

/**
 * Where git runs. `dir` is the git directory; without it git looks for one from `cwd` upwards. `job` is a folder of the
 * job that it works for, by which it is found should it outlive this process (strays.ts, Y1).
 */
export type GitPlace = {
  readonly cwd: string;
  readonly dir?: string;
  readonly tree?: string;
  readonly job?: string;
};

/** A git that is bound to a place. */
export type Git = {
  /** Output of a run that must succeed. Rejects with a {@link GitFailure}. */
  readonly run: (args: readonly string[], call?: GitCall) => Promise<string>;
  /** Result of a run that may fail. Rejects with a {@link GitFailure} only when git cannot be started there. */
  readonly attempt: (args: readonly string[], call?: GitCall) => Promise<GitResult>;
  /**
   * Output of several commands that follow each other, in one shell (G6): `script` is POSIX sh with the arguments `args`. Rejects with
   * a {@link GitFailure} named `name` when it ends with a failure.
   */
  readonly script: (name: string, script: string, args: readonly string[], call?: GitCall) => Promise<string>;
};

/** Git failed where it must not: which command, and what it said. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";
  readonly code: number;

  constructor(command: string, result: GitResult) {
    super(`git ${command} failed (exit ${result.code}): ${text(result.err).trim() || "it said nothing"}`);
    this.code = result.code;
  }
}

/** The identity of every commit that cfa makes. */
const WHO = { NAME: "cfa", EMAIL: "cfa@localhost" };

/** Settings of a user or machine that would change what our commands do. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.safecrlf=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "rerere.enabled=false",
  "merge.conflictStyle=merge",
  "merge.verifySignatures=false",
  "i18n.commitEncoding=UTF-8",
  "submodule.recurse=false",
  "advice.addEmbeddedRepo=false",
].flatMap((setting) => ["-c", setting]);

/** The environment without `GIT_*`, plus ours. */
function environment(place: GitPlace, call: GitCall): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !name.startsWith("GIT_")) env[name] = value;
  Object.assign(env, {
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_EDITOR: ":",
    GIT_AUTHOR_NAME: WHO.NAME,
    GIT_AUTHOR_EMAIL: WHO.EMAIL,
    GIT_COMMITTER_NAME: WHO.NAME,
    GIT_COMMITTER_EMAIL: WHO.EMAIL,
  });
  if (place.dir !== undefined) env["GIT_DIR"] = place.dir;
  if (place.tree !== undefined) env["GIT_WORK_TREE"] = place.tree;
  if (place.job !== undefined) env[STRAY_MARK] = place.job;
  if (call.index !== undefined) env["GIT_INDEX_FILE"] = call.index;
  return env;
}

/** A git that runs at `place`. */
export function gitAt(place: GitPlace): Git {
  const start = async (
    name: string,
    [file = "", ...args]: readonly string[],
    call: GitCall,
  ): Promise<GitResult> => {
    const running = execa(file, args, {
      cwd: place.cwd,
      env: environment(place, call),
      extendEnv: false,
      input: Buffer.from(call.input ?? "", "latin1"),
      encoding: "latin1",
      stripFinalNewline: false,
      reject: false,
      maxBuffer: 1 << 30,
    });
    const done = await (place.tree === undefined ? running : unlessTrapped(place.tree, running));
    if (done.signal !== undefined) throw new Error(`git ${name} was killed by ${done.signal}`);
    if (done.exitCode === undefined)
      throw new GitFailure(name, { code: -1, out: "", err: done.originalMessage ?? "" });
    return { code: done.exitCode, out: done.stdout, err: done.stderr };
  };
  const attempt = (args: readonly string[], call: GitCall = {}): Promise<GitResult> =>
    start(args[0] ?? "", ["git", ...SETTINGS, ...args], call);
  const run = async (args: readonly string[], call: GitCall = {}): Promise<string> =>
    outputOf(args[0] ?? "", await attempt(args, call));
  const script: Git["script"] = async (name, text, args, call = {}) =>
    outputOf(name, await start(name, ["sh", "-c", `${PREAMBLE}${text}`, "cfa-git", ...args], call));
  return { run, attempt, script };
}

/** `git` of a script, and its end at the first failure (G6). */
const PREAMBLE = `set -e\ngit() { command git ${SETTINGS.join(" ")} "$@"; }\n`;

function outputOf(name: string, result: GitResult): string {
  if (result.code !== 0) throw new GitFailure(name, result);
  return result.out;
}

/** The byte string of a text (G2). */
export function bytes(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}

/** The text of a byte string; what is not UTF-8 becomes U+FFFD (G2). */
export function text(value: string): string {
  return Buffer.from(value, "latin1").toString("utf8");
}

/** The fields of NUL-terminated output. */
export function fields(out: string): readonly string[] {
  return out.split("\0").filter((field) => field !== "");
}

/** A commit as the object database holds it. */
export type CommitObject = {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Everything after the headers, as a byte string. */
  readonly message: string;
};

/** Reads commits by name in one process; undefined for names that do not exist or are no commits. */
export async function readCommits(
  git: Git,
  names: readonly string[],
): Promise<readonly (CommitObject | undefined)[]> {
  const out = await git.run(["cat-file", "--batch"], { input: names.map((name) => `${name}\n`).join("") });
  return parseCommits(out, names.length).commits;
}

/** The first `count` answers of `git cat-file --batch`, as {@link readCommits} has them, and what follows them. */
export function parseCommits(
  out: string,
  count: number,
): { readonly commits: readonly (CommitObject | undefined)[]; readonly rest: string } {
  const commits: (CommitObject | undefined)[] = [];
  let at = 0;
  while (commits.length < count) {
    const end = out.indexOf("\n", at);
    const [id = "", kind, size] = out.slice(at, end).split(" ");
    const length = Number(size);
    const found = Number.isInteger(length) && /^[0-9a-f]{40,64}$/.test(id);
    commits.push(
      found && kind === "commit" ? parseCommit(id, out.slice(end + 1, end + 1 + length)) : undefined,
    );
    at = found ? end + length + 2 : end + 1;
  }
  return { commits, rest: out.slice(at) };
}

function parseCommit(id: string, content: string): CommitObject {
  const split = content.indexOf("\n\n");
  const headers = content.slice(0, split).split("\n");
  const values = (name: string): string[] =>
    headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return { id, tree: values("tree")[0] ?? "", parents: values("parent"), message: content.slice(split + 2) };
}
