/**
 * A withdrawal is complete: nothing starts below a thread that is going, and when the job has ended no molecule, program or workspace
 * of it is left. Nothing of a thread that a person has withdrawn is merged.
 */
import { Configuration } from "../../src/soup/configuration.ts";
import { isEmpty } from "./cells.ts";
import type { Step } from "../../src/persistence/verify.ts";
import type { Checker } from "../evidence.ts";

/** What begins something; a choice that ends a turn does not. */
const STARTS = ["wake", "wake-int", "spark", "escalate"];

/** See the header. */
export const withdrawal: Checker = {
  name: "withdrawal",
  says: "nothing starts below a thread that is going, nothing of an ended job is left, nothing withdrawn is merged",
  check: ({ steps, final, trees, ended }) => {
    let round = 0;
    // The firings of a round are judged by what stood before it.
    let start = Configuration.empty();
    for (const { entry, before, after } of steps) {
      if (entry.round !== round) start = before;
      round = entry.round;
      if (entry.kind !== "fire") continue;
      const { rule, at } = entry.body;
      const thread = at["t"] ?? "";
      const above = STARTS.includes(rule) ? goingAbove(start, thread) : undefined;
      if (above !== undefined) return `entry ${entry.seq}: ${rule} on ${thread} although ${above} is going`;
      if (rule === "term-final" && !isEmpty(after.cell(thread)))
        return `entry ${entry.seq}: ${thread} has ended, and something of it is left`;
    }
    const merged = mergedAfterWithdrawal(steps);
    if (merged !== undefined) return merged;
    if (!ended) return undefined;
    const [left] = [...final.cells()].filter((cell) => !isEmpty(cell));
    if (left !== undefined) return `the job has ended, and something is left on ${left.thread}`;
    const [tree] = [...trees.trees.keys(), ...trees.copies];
    return tree && `the job has ended, and the workspace of ${tree} is left`;
  },
};

/** A thread below one that a person has withdrawn, and that was merged all the same. */
function mergedAfterWithdrawal(steps: readonly Step[]): string | undefined {
  const withdrawn = new Set<string>();
  for (const { entry, before } of steps) {
    if (entry.kind === "terminate" && entry.body.origin === "human" && !before.dying(entry.body.thread))
      withdrawn.add(entry.body.thread);
    const { t = "", "t'": below = "" } = entry.kind === "fire" ? entry.body.at : {};
    if (entry.kind === "fire" && entry.body.rule === "cascade" && withdrawn.has(t)) withdrawn.add(below);
    if (entry.kind !== "release" || !withdrawn.has(entry.body.thread)) continue;
    if (entry.body.result !== "dropped" && entry.body.into !== entry.body.thread)
      return `entry ${entry.seq}: ${entry.body.thread} was withdrawn, and is ${entry.body.result}`;
  }
  return undefined;
}

/** The thread itself or one above it that is going. */
function goingAbove(configuration: Configuration, thread: string): string | undefined {
  for (let at: string | undefined = thread; at !== undefined; at = configuration.parent(at))
    if (configuration.dying(at)) return at;
  return undefined;
}
