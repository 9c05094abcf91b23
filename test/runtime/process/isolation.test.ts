/** What the machine offers is tried, not guessed; what it does not offer is said. */
import { expect, test } from "vitest";
import { processGroup, processIsolation } from "../../../src/runtime/process/isolation.ts";

test("the offer is tried once", async () => {
  expect(processIsolation()).toBe(processIsolation());
  expect(await processIsolation()).toMatchObject({
    kind: "pid-namespace",
    why: expect.stringContaining("PID namespace"),
  });
});

test("the fallback says why it is taken and what is not guaranteed", () => {
  expect(processGroup("unshare is not installed")).toEqual({
    kind: "process-group",
    why:
      "programs run in process groups (unshare is not installed): a descendant that starts a session of its own and " +
      "leaves its parent can outlive its turn, and a kill of cfa itself leaves programs running until the job is resumed",
  });
});
