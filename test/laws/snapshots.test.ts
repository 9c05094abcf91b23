/** The law: a snapshot never changes. */
import { expect, test } from "vitest";
import { everythingOf } from "../rules/trace.ts";
import { checkJobs } from "./check.ts";

test("a snapshot never changes, whatever happens after it", () => {
  checkJobs(1_000, (job, steps, given) => {
    const snapshots: { configuration: typeof job.configuration; everything: string[] }[] = [];
    job.run(steps, (at) => {
      if ((at + given) % 10 !== 0) return;
      snapshots.push({ configuration: job.configuration, everything: everythingOf(job.configuration) });
    });
    for (const { configuration, everything } of snapshots)
      expect(everythingOf(configuration)).toEqual(everything);
  });
});
