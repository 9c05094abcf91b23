/**
 * `cfa withdraw` at points of the main example, from another process. Two points here; CFA_WITHDRAW_POINTS=40 takes forty, spread
 * over the log of a run.
 */
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { jobFile, listJobs } from "../../src/persistence/jobs.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";
import { cfa, git, here, keptRepository, processesOf, start } from "./fixture.ts";

const JOB = fileURLToPath(new URL("../../examples/release-notes/job.yaml", import.meta.url));

const COUNT = Number(process.env["CFA_WITHDRAW_POINTS"] ?? 2);
/** Entries of a run on the repository below before its last turn ends; after that it is over sooner than a withdrawal begins. */
const ENTRIES = 100;
const POINTS = Array.from({ length: COUNT }, (_, at) => Math.round(((at + 0.5) * ENTRIES) / COUNT));

let top: string;
beforeAll(async () => {
  const kept = await keptRepository();
  top = kept.top;
  for (const kind of ["feat", "fix", "docs", "test", "perf", "refactor"])
    await git(top, "commit", "-qm", `${kind}: something`, "--allow-empty");
  return kept.remove;
});

async function newest(): Promise<number> {
  const [job = ""] = await listJobs(top);
  const bus = openSqliteBus(jobFile(top, job), { job, mode: "readonly" });
  try {
    return (await bus.log.head()).seq;
  } finally {
    await bus.close();
  }
}

test.each(POINTS)(
  "at entry %i: exit 0, the run and status 3, nothing is left, verify passes",
  async (point) => {
    const before = await listJobs(top);
    const run = start(top, "run", JOB, "--repo", ".", "--new", "--quiet");
    const polling = { timeout: 120_000, interval: 5 };
    await expect.poll(async () => (await listJobs(top)).length, polling).toBe(before.length + 1);
    const [job = ""] = (await listJobs(top)).filter((one) => !before.includes(one));
    await expect.poll(() => newest().catch(() => 0), polling).toBeGreaterThanOrEqual(point);
    const said = await cfa(top, "withdraw", job, "--reason", `at ${point}`);
    expect(said).toMatchObject({ code: 0, err: "" });
    expect(said.out).toContain("nothing was merged or delivered");
    expect((await run.end()).code).toBe(3);
    const status = await here(top, "status", job, "--json");
    expect(status.code).toBe(3);
    expect(JSON.parse(status.out)).toMatchObject({
      state: "WITHDRAWN",
      ended: true,
      questions: [],
      answers: [],
    });
    expect((await git(top, "worktree", "list")).split("\n")).toHaveLength(1);
    expect(await git(top, "branch", "--list", "cfa/*")).toBe("");
    expect(processesOf(job)).toEqual([]);
    expect(await here(top, "verify", job)).toMatchObject({ code: 0 });
  },
);
