/**
 * What must hold after a plan was played, whatever it was. Each check gives sentences; none is good.
 *
 * A1. No work is lost: every word that stood in a workspace at the end of a turn is in a commit of its line, or an agent of the
 *     same workspace has removed it; where the tree was dropped, it is on the ref that the log names.
 * A2. Along the line of a tree a word goes only with an edit of an agent who had it; with a merge whose other side had removed it,
 *     from a commit that had it; or in a conflict that names its path, or that an agent has resolved without it.
 * A3. What was closed is an ancestor of what its parent's tree became, up to the delivered branch.
 * A4. No turn met another one, or a merge, in its workspace.
 * A5. What is the user's is byte for byte as before, `git fsck` finds nothing, and no worktree is left.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { bodies } from "../engine/fixture.ts";
import { type Commit, History } from "./history.ts";
import { SHARED } from "./plan.ts";
import type { Outcome } from "./play.ts";
import { usersSide } from "./users-side.ts";

type Release = ReturnType<typeof bodies<"release">>[number];

/** Everything that is wrong after a plan was played. */
export function faultsOf(outcome: Outcome): readonly string[] {
  const history = new History(outcome.place.top);
  const audit = new Audit(outcome, history);
  return [
    ...outcome.intrusions,
    ...audit.ending(),
    ...audit.kept(),
    ...audit.removals(),
    ...audit.ancestry(),
    ...usersFaults(outcome),
  ];
}

function usersFaults({ place: { top }, before }: Outcome): string[] {
  const faults: string[] = [];
  const after = usersSide(top);
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (before[path] !== after[path]) faults.push(`${path} was ${before[path]} and is ${after[path]}`);
  if (existsSync(join(top, ".git/worktrees"))) faults.push("a worktree is left");
  const args = ["fsck", "--no-dangling", "--no-progress"];
  const said = execFileSync("git", args, { cwd: top, encoding: "utf8", stdio: "pipe" });
  return said === "" ? faults : [...faults, `git fsck says: ${said}`];
}

class Audit {
  readonly #outcome: Outcome;
  readonly #history: History;
  readonly #releases: readonly Release[];
  /** The line of each workspace, by its directory: where it began, and the commit with which it ended. */
  readonly #lines = new Map<string, { readonly began: string; readonly end: string }>();

  constructor(outcome: Outcome, history: History) {
    this.#outcome = outcome;
    this.#history = history;
    this.#releases = bodies(outcome.entries, "release");
    const begun = new Map(
      bodies(outcome.entries, "workspace").map(({ thread, commit }) => [thread, commit ?? ""]),
    );
    for (const { workspace, thread } of outcome.journal)
      this.#lines.set(workspace, { began: begun.get(thread) ?? "", end: this.#endOf(basename(workspace)) });
  }

  /** The job has ended as the plan wants it. */
  ending(): string[] {
    const { end } = this.#outcome;
    const isRight = end.kind === "ended" && (end.state === "DONE" || end.state === "WITHDRAWN");
    const reasons = bodies(this.#outcome.entries, "transition").map(({ reason }) => reason);
    return isRight ? [] : [`the job ended with ${JSON.stringify(end)}: ${reasons.at(-1)}`];
  }

  /** A1. */
  kept(): string[] {
    return this.#outcome.journal.flatMap(({ workspace, thread, turn, words }) => {
      const { began = "", end = "" } = this.#lines.get(workspace) ?? {};
      const commits = [...this.#history.line(began, end), this.#history.at(began)];
      const inLine = new Set(commits.flatMap((commit) => [...commit.words.keys()]));
      const removed = this.#outcome.removed.get(workspace);
      const lost = [...words].filter((word) => !inLine.has(word) && removed?.has(word) !== true);
      return lost.map(
        (word) => `${word}, there after turn ${turn} of ${thread}, is in no commit of its line`,
      );
    });
  }

  /** A2, for every commit of every line. */
  removals(): string[] {
    const faults: string[] = [];
    for (const [workspace, { began, end }] of this.#lines) {
      for (const commit of this.#history.line(began, end)) {
        for (const parent of commit.parents) {
          for (const [word, paths] of this.#history.at(parent).words) {
            if (commit.words.has(word) || this.#isLegal(word, paths, commit, parent, workspace)) continue;
            faults.push(
              `${word} (${paths.join(", ")}) went between ${parent} and ${commit.id}, "${commit.subject}"`,
            );
          }
        }
      }
    }
    return faults;
  }

  /** A3. */
  ancestry(): string[] {
    const faults: string[] = [];
    const trees = new Map(this.#outcome.journal.map(({ thread, workspace }) => [thread, workspace]));
    for (const release of this.#releases) {
      const { thread, into, result, ref, commit } = release;
      if (ref !== null && !this.#history.refs.has(ref)) faults.push(`${ref} of ${thread} is gone`);
      if ((result !== "merged" && result !== "completed") || into === null || commit === null) continue;
      const child = this.#history.refs.get(
        this.#releases.find((one) => one.thread === thread && one.ref !== null)?.ref ?? "",
      );
      const above = this.#lines.get(trees.get(into) ?? "")?.end;
      if (child === undefined || above === undefined) faults.push(`nothing is known of ${thread} or ${into}`);
      else if (!this.#history.upTo(commit).has(child))
        faults.push(`the merge of ${thread} is not of its work`);
      else if (!this.#history.upTo(above).has(commit))
        faults.push(`the merge of ${thread} is not in ${into}`);
    }
    return faults;
  }

  /** The delivered branch for the job's own tree, else the last state on its ref. */
  #endOf(name: string): string {
    const { job } = this.#outcome;
    const { refs } = this.#history;
    const branch = name.startsWith("job-") ? refs.get(`refs/heads/cfa/${job}`) : undefined;
    const end = branch ?? refs.get(`refs/cfa/${job}/ended/${name}`);
    if (end === undefined) throw new Error(`no ref keeps what ${name} was`);
    return end;
  }

  #isLegal(
    word: string,
    paths: readonly string[],
    commit: Commit,
    parent: string,
    workspace: string,
  ): boolean {
    if (this.#outcome.removed.get(workspace)?.has(word) === true) return true;
    const history = this.#history;
    const others = commit.parents.filter((one) => one !== parent && !history.at(one).words.has(word));
    const had = (one: string): boolean =>
      [...history.upTo(one)].some((id) => history.upTo(parent).has(id) && history.at(id).words.has(word));
    if (others.some(had)) return true;
    return this.#releases.some(
      ({ result, paths: named, commit: merged }) =>
        result === "conflict" &&
        merged !== null &&
        commit.parents.includes(merged) &&
        paths.some((path) => named.some((one) => originOf(one) === originOf(path))),
    );
  }
}

/** The file of the base that a path stands for; a conflict may name it by what one side has renamed it to. */
const originOf = (path: string): string =>
  SHARED.find((shared) => path.endsWith(`-${shared.replace("/", "-")}`)) ?? path;
