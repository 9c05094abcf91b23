/**
 * A disk that fills up while a job runs: the run ends with one sentence and exit code 1, nothing is lost, and the job goes
 * on when there is room again. Skipped, with the reason, where no small disk can be mounted.
 */
import { existsSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { jobDirectory, jobFile, listJobs } from "../../src/persistence/jobs.ts";
import { fillDisk, mountDisk, mountPoint, noDisk } from "./disk.ts";
import {
  APPROVE,
  cfa,
  directory,
  fill,
  git,
  hangOnce,
  here,
  repository,
  shellJob,
  start,
} from "./fixture.ts";

const unmount: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of unmount.splice(0).reverse()) await one();
});

/** What the last line on stderr must be: where it is full, what to do. */
const FULL = /^cfa: .*no space left on (its|a) disk.*resume the job$/;

const lastLine = (text: string): string => text.split("\n").at(-1) ?? "";

/** The job is done, and its log and repository are whole. */
async function expectDone(top: string, turns: RegExp): Promise<void> {
  const resumed = await cfa(top, "resume");
  expect(resumed).toMatchObject({ code: 0, out: expect.stringMatching(turns) });
  expect(await here(top, "verify")).toMatchObject({ code: 0 });
  expect(await git(top, "fsck", "--no-dangling", "--no-progress")).toBe("");
  expect((await git(top, "worktree", "list")).split("\n")).toHaveLength(1);
}

describe.skipIf(noDisk !== undefined)(`repository and log on a full disk${noDisk ?? ""}`, () => {
  // So little room is left that each time something else is the first that does not fit.
  test.each([0, 16, 64, 256, 1024])("that has %i KiB left after an agent has filled it", async (left) => {
    const disk = mountPoint();
    unmount.push(await mountDisk(disk, "8m"));
    const top = join(disk, "repository");
    await mkdir(top);
    await fill(top, { "a.txt": "a\n" });
    const once = join(directory(), "filled");
    shellJob(top, {
      lead: `cat >/dev/null
if [ "$CFA_STATE" = EXECUTE ] && [ ! -e ${once} ]; then
  touch ${once}
  head -c ${left}K /dev/zero >${disk}/room
  cat /dev/zero >${disk}/filler 2>/dev/null || rm ${disk}/room
  head -c 2M /dev/urandom >big.bin
fi
${APPROVE}`,
    });
    const run = await cfa(top, "run");
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(lastLine(run.err)).toMatch(FULL);
    const again = await cfa(top, "resume", "--quiet");
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(lastLine(again.err)).toMatch(FULL);
    (await fillDisk(disk))();
    await expectDone(top, /is DONE/);
  });
});

describe.skipIf(noDisk !== undefined)(`a disk that is full already${noDisk ?? ""}`, () => {
  test("is named by every command on a job; a file is read without room", async () => {
    const disk = mountPoint();
    unmount.push(await mountDisk(disk, "8m"));
    const top = join(disk, "repository");
    await mkdir(top);
    await fill(top, { "a.txt": "a\n" });
    shellJob(top, { lead: `cat >/dev/null\n${APPROVE}` });
    expect(await cfa(top, "run", "--quiet")).toMatchObject({ code: 0 });
    const [job = ""] = await listJobs(top);
    for (const suffix of ["-wal", "-shm"]) rmSync(`${jobFile(top, job)}${suffix}`, { force: true });
    const makeRoom = await fillDisk(disk);
    for (const words of [
      ["status"],
      ["verify"],
      ["replay"],
      ["gc", "--older-than", "0"],
      ["fork", "--at", "9"],
    ]) {
      const { code, err } = await here(top, ...words);
      expect({ words, code }).toEqual({ words, code: 1 });
      expect(lastLine(err)).toMatch(FULL);
    }
    for (const words of [
      ["verify", jobFile(top, job)],
      ["replay", jobFile(top, job)],
    ])
      expect({ words, ...(await here(top, ...words)) }).toMatchObject({ words, code: 0 });
    makeRoom();
    expect(await here(top, "status")).toMatchObject({ code: 0 });
  });
});

describe.skipIf(noDisk !== undefined)(`only one folder is on a full disk${noDisk ?? ""}`, () => {
  /** A job that was stopped in EXECUTE, and whose `folder` is a full disk now; the result makes room there. */
  async function stopped(folder: "turns" | "streams"): Promise<{ top: string; makeRoom: () => void }> {
    const top = await repository();
    const hung = join(directory(), "hung");
    shellJob(top, { lead: `echo said\n${hangOnce(hung)}` });
    const run = start(top, "run");
    await run.seen("lead EXECUTE starts turn 1");
    await expect.poll(() => existsSync(hung), { timeout: 60_000 }).toBe(true);
    run.kill("SIGINT");
    await run.end();
    const [job = ""] = await listJobs(top);
    const place = join(jobDirectory(top, job), folder);
    unmount.push(await mountDisk(place, "64k"));
    return { top, makeRoom: await fillDisk(place) };
  }

  test("that of the workspaces: the run ends and can be resumed", async () => {
    const disk = mountPoint();
    unmount.push(await mountDisk(disk, "64k"));
    const top = await repository();
    shellJob(top, { lead: `cat >/dev/null\n${APPROVE}` }, `workspaces: ${disk}/trees`);
    const makeRoom = await fillDisk(disk);
    const run = await cfa(top, "run");
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(lastLine(run.err)).toMatch(FULL);
    makeRoom();
    await expectDone(top, /is DONE/);
  });

  test("that of the outboxes: the run ends and can be resumed", async () => {
    const { top, makeRoom } = await stopped("turns");
    const run = await cfa(top, "resume");
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(lastLine(run.err)).toMatch(FULL);
    makeRoom();
    await expectDone(top, /is DONE/);
  });

  test("that of the streams: the job goes on, and it is said that the output is not kept", async () => {
    const { top } = await stopped("streams");
    expect(await cfa(top, "resume")).toMatchObject({
      code: 0,
      err: expect.stringContaining("the output is not kept from here on: ENOSPC"),
    });
    expect(await here(top, "verify")).toMatchObject({ code: 0 });
  });
});
