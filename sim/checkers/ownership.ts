/** One writer at a time: an entry is written by whoever claimed the job last, and by nobody else. */
import type { Checker } from "../evidence.ts";

/** See the header. */
export const ownership: Checker = {
  name: "ownership",
  says: "nobody writes who has lost the job",
  check: ({ sights }) => {
    let newest = 0;
    for (const { event } of sights) {
      if (event.kind === "claimed") {
        if (event.epoch <= newest)
          return `${event.cfa} claims the job under epoch ${event.epoch} after ${newest}`;
        newest = event.epoch;
      }
      if (event.kind === "committed" && event.epoch !== newest)
        return `${event.cfa} writes entries ${event.from + 1} to ${event.to} under epoch ${event.epoch}, and the newest is ${newest}`;
    }
    return undefined;
  },
};
