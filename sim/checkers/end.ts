/** The job ends as a job does: in a terminal state, delivered exactly when that is DONE, its thread closed. */
import type { Checker } from "../evidence.ts";

/** See the header. */
export const end: Checker = {
  name: "end",
  says: "the job reaches DONE, WITHDRAWN or FAILURE, and delivers when it is DONE",
  check: ({ job, steps, final, ended, trees }) => {
    if (!ended) return undefined;
    const states = steps.flatMap(({ entry }) => (entry.kind === "transition" ? [entry.body.to] : []));
    const last = states.at(-1) ?? "INTENT";
    if (!["DONE", "WITHDRAWN", "FAILURE"].includes(last)) return `the job is over in ${last}`;
    if (!final.isClosed(`job:${job}`)) return `the job is ${last}, and its thread has not ended`;
    if (trees.copies.size > 0) return `the job is ${last}, and ${[...trees.copies].join(", ")} is left`;
    const deliveries = steps.filter(({ entry }) => entry.kind === "deliver").length;
    const wanted = last === "DONE" ? 1 : 0;
    return deliveries === wanted ? undefined : `the job is ${last}, and was delivered ${deliveries} times`;
  },
};
