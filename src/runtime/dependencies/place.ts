/** Where a file of a sibling's outbox stands in the home of who needs it. */
import { posix } from "node:path";

/** The path below `copy_to` that an output has below its outbox: `outbox/data/a.csv` to `inbox/in/` is `inbox/in/data/a.csv`. */
export function placeOf(output: string, copyTo: string): string {
  return posix.join(copyTo, posix.relative("outbox", posix.normalize(output))).replace(/\/$/u, "");
}
