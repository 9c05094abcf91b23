import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jobDirectory, jobFile, listJobs } from "../../src/persistence/jobs.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";
import { claimEpoch, note } from "./contract.ts";

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "cfa-jobs-"));
});
afterEach(() => rmSync(top, { recursive: true }));

/** Makes a job whose first entry, if any, is of `day` January 2026. */
async function job(id: string, day?: number): Promise<void> {
  const bus = openSqliteBus(jobFile(top, id), { job: id, clock: () => new Date(Date.UTC(2026, 0, day)) });
  const epoch = await claimEpoch(bus);
  if (day !== undefined) await bus.log.commit({ expected: 0, epoch, drafts: [note("begun")], consumed: [] });
  await bus.close();
}

test("no jobs where there is no .cfa", async () => {
  expect(await listJobs(top)).toEqual([]);
});

test("newest first by the first entry, whatever the order of folders or files", async () => {
  await job("b", 3);
  await job("a", 1);
  await job("d", 2);
  await job("c", 3);
  expect(await listJobs(top)).toEqual(["b", "c", "d", "a"]);
});

test("a job without entries counts from its file's birth, an unreadable one too", async () => {
  await job("old", 1);
  await job("empty");
  mkdirSync(jobDirectory(top, "broken"));
  writeFileSync(jobFile(top, "broken"), "no database");
  expect(await listJobs(top)).toEqual(["broken", "empty", "old"]);
});

test("folders without a log, and stray files, are no jobs", async () => {
  await job("real", 1);
  mkdirSync(jobDirectory(top, "bare"));
  mkdirSync(jobFile(top, "folder"), { recursive: true });
  writeFileSync(join(top, ".cfa", "jobs", "file"), "");
  expect(await listJobs(top)).toEqual(["real"]);
});

test.each(["", ".", "..", "a/b", "../a", "a\\b", "a\0"])("%j is no id", (id) => {
  expect(() => jobDirectory(top, id)).toThrow(/is not the id of a job/);
});
