/**
 * An owner that the system has frozen (a laptop's lid, a debugger, SIGSTOP) past its lease: another process takes the
 * job over, and the one that wakes ends by itself and harms neither the log nor the repository.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { jobFile, listJobs } from "../../src/persistence/jobs.ts";
import { processState } from "../../src/persistence/process-identity.ts";
import {
  APPROVE,
  type Background,
  cfa,
  directory,
  entriesOf,
  git,
  here,
  repository,
  shellJob,
  start,
} from "./fixture.ts";

/** A job whose lead hangs in its first two turns of EXECUTE, in the second one until `go` exists. */
type Frozen = {
  readonly top: string;
  readonly job: string;
  readonly owner: Background;
  readonly marks: string;
};

/** Its owner, stopped in the midst of the first of them. */
async function frozen(): Promise<Frozen> {
  const [top, marks] = [await repository(), directory()];
  const hang = `cat >/dev/null
if [ "$CFA_STATE" = EXECUTE ]; then
  echo draft >>draft.txt
  if mkdir ${marks}/first 2>/dev/null; then sleep 600; fi
  if mkdir ${marks}/second 2>/dev/null; then while [ ! -e ${marks}/go ]; do sleep 0.05; done; fi
fi`;
  shellJob(top, { lead: `${hang}\n${APPROVE}` });
  const owner = start(top, "run");
  await owner.seen("lead EXECUTE starts turn 1");
  await expect.poll(() => existsSync(join(marks, "first")), { timeout: 60_000 }).toBe(true);
  owner.kill("SIGSTOP");
  const [job = ""] = await listJobs(top);
  return { top, job, owner, marks };
}

/** Lets the lease of a frozen owner run out now: the row says until when it lasts. */
function runOut({ top, job }: Frozen): void {
  const db = new Database(jobFile(top, job));
  db.prepare("UPDATE owner SET lease = ?").run(Date.now() - 1);
  db.close();
}

/** The job has gone on as if its first owner had died, and everything fits together. */
async function expectWhole({ top, job }: Frozen): Promise<void> {
  expect(await here(top, "verify", job)).toMatchObject({ code: 0 });
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  expect(entries.flatMap(({ kind, body }) => (kind === "rollback" ? [body.reason] : []))).toEqual([
    "the process that ran this turn has died, or stood still past its lease",
  ]);
  for (const { kind, body } of entries)
    if (kind === "start" && body.pid !== null && body.started !== null)
      expect(processState({ pid: body.pid, started: body.started })).toBe("gone");
  expect(await git(top, "show", `cfa/${job}:draft.txt`)).toBe("draft");
  expect(await git(top, "fsck", "--no-dangling", "--no-progress")).toBe("");
  expect((await git(top, "worktree", "list")).split("\n")).toHaveLength(1);
  expect(await git(top, "status", "--porcelain")).toBe("?? job.yaml");
}

test("keeps the job for its lease, and loses it then; it wakes while the other runs", async () => {
  const job = await frozen();
  const { top, owner, marks } = job;
  const early = await cfa(top, "resume");
  expect(early).toMatchObject({ code: 8, out: "" });
  expect(early.err).toMatch(
    new RegExp(`^the job is run by another process: pid ${owner.pid} on \\S+ since 2`),
  );

  runOut(job);
  const second = start(top, "resume");
  await second.seen("lead EXECUTE starts turn 2");
  await expect.poll(() => existsSync(join(marks, "second")), { timeout: 60_000 }).toBe(true);
  const refs = await git(top, "for-each-ref");
  owner.kill("SIGCONT");
  const woken = await owner.end();
  expect(woken.code).toBe(8);
  expect(woken.err).toMatch(new RegExp(`run by another process: pid ${second.pid} on \\S+ since 2`));
  expect(await git(top, "for-each-ref")).toBe(refs);

  writeFileSync(join(marks, "go"), "");
  expect(await second.end()).toMatchObject({ code: 0 });
  await expectWhole(job);
});

test("it wakes when the other has ended the job", async () => {
  const job = await frozen();
  const { top, owner, marks } = job;
  writeFileSync(join(marks, "go"), "");
  runOut(job);
  expect(await cfa(top, "resume")).toMatchObject({ code: 0 });
  const before = [await git(top, "for-each-ref"), (await here(top, "log", "--jsonl")).out];
  owner.kill("SIGCONT");
  const woken = await owner.end();
  expect(woken.code).toBe(8);
  expect(woken.err.split("\n").at(-1)).toMatch(
    /^cfa: this process has lost the job: it stood still past its lease/,
  );
  expect([await git(top, "for-each-ref"), (await here(top, "log", "--jsonl")).out]).toEqual(before);
  await expectWhole(job);
});
