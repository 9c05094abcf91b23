/** `limits.stall`: the role before the job, the job before the default of file-based agents (docs/job.md). */
import { expect, test } from "vitest";
import { stallLimitOf } from "../../src/job/stall-limit.ts";

test.each([
  ["files", null, null, 300_000],
  ["files", null, 1000, 1000],
  ["files", 2000, 1000, 2000],
  ["files", 2000, null, 2000],
  ["command", null, null, null],
  ["command", null, 1000, 1000],
  ["command", 2000, 1000, 2000],
  ["script", null, null, null],
])("adapter %s, role %s, job %s: %s ms", (adapter, role, job, limit) => {
  expect(stallLimitOf({ adapter, role: { limits: { stall: role } } }, { stall: job })).toBe(limit);
  if (role === null) expect(stallLimitOf({ adapter }, { stall: job })).toBe(limit);
});
