/**
 * The outcome record of a turn in the log is the one that its own program wrote, and nothing that an earlier or a lost turn left in
 * the tree.
 */
import type { Checker, Evidence } from "../evidence.ts";

/** See the header. */
export const records: Checker = {
  name: "records",
  says: "the outcome record of a turn is the one that its own program wrote",
  check: (evidence) => {
    const written = recordsOf(evidence);
    for (const { entry } of evidence.steps) {
      if (entry.kind !== "turn") continue;
      const { thread, turn, result, outcome } = entry.body;
      const own = written.get(keyOf(entry.body));
      const where = `entry ${entry.seq} (turn ${turn} of ${thread})`;
      if (outcome !== null && outcome.trim() !== own)
        return `${where}: it has the record ${outcome.trim()}, and its program wrote ${own ?? "none"}`;
      // A turn that failed or was stopped need not have been read.
      if (result === "ok" && outcome === null && own !== undefined)
        return `${where}: its program wrote the record ${own}, and it has none`;
    }
    return undefined;
  },
};

const keyOf = ({ thread, turn }: { readonly thread: string; readonly turn: number }) => `${thread} ${turn}`;

/** The newest record that the program of each turn wrote. */
function recordsOf({ sights }: Evidence): ReadonlyMap<string, string> {
  const turns = new Map<number, string>();
  const written = new Map<string, string>();
  for (const { event } of sights) {
    if (event.kind === "program-started") turns.set(event.pid, keyOf(event));
    if (event.kind === "program-recorded") written.set(turns.get(event.pid) ?? "", event.record);
  }
  return written;
}
