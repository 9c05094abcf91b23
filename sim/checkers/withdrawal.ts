/**
 * A withdrawal is complete: nothing starts below a thread that is going, and when the job has ended no molecule, program or workspace
 * of it is left.
 */
import { Configuration } from "../../src/soup/configuration.ts";
import { isEmpty } from "./cells.ts";
import type { Checker } from "../evidence.ts";

/** What begins something; a choice that ends a turn does not. */
const STARTS = ["wake", "wake-int", "spark", "escalate"];

/** See the header. */
export const withdrawal: Checker = {
  name: "withdrawal",
  says: "nothing starts below a thread that is going, and nothing of an ended job is left",
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
    if (!ended) return undefined;
    const [left] = [...final.cells()].filter((cell) => !isEmpty(cell));
    if (left !== undefined) return `the job has ended, and something is left on ${left.thread}`;
    const [tree] = trees.trees.keys();
    return tree && `the job has ended, and the workspace of ${tree} is left`;
  },
};

/** The thread itself or one above it that is going. */
function goingAbove(configuration: Configuration, thread: string): string | undefined {
  for (let at: string | undefined = thread; at !== undefined; at = configuration.parent(at))
    if (configuration.dying(at)) return at;
  return undefined;
}
