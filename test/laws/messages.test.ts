/** The law: each message is consumed exactly once, or is named in a refusal or a termination. */
import { expect, test } from "vitest";
import { checkJobs } from "./check.ts";
import { Fates } from "./fates.ts";

test("each message is consumed exactly once or is named in a refusal or a termination", () => {
  checkJobs(1_000, (job, steps) => {
    job.run(steps);
    job.drain();
    const fates = new Fates();
    for (const step of job.taken) fates.follow(step);
    expect(fates.pending()).toEqual([]);
  });
});
