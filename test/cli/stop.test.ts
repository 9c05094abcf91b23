/** Stopping a run: Ctrl-C, a second owner, withdrawal with the engine in another process or in none. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JobView } from "../../src/cli/view/job-view.ts";
import {
  type Background,
  cfa,
  directory,
  entriesOf,
  git,
  hangOnce,
  here,
  repository,
  shellJob,
  start,
} from "./fixture.ts";

/** A run whose lead hangs in its first turn of EXECUTE. */
async function hanging(): Promise<{ top: string; run: Background }> {
  const top = await repository();
  const hung = join(directory(), "hung");
  shellJob(top, { lead: hangOnce(hung) });
  const run = start(top, "run");
  await run.seen("lead EXECUTE starts turn 1");
  await expect.poll(() => existsSync(hung), { timeout: 60_000 }).toBe(true);
  return { top, run };
}

const worktrees = async (top: string) => (await git(top, "worktree", "list")).split("\n");

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s stops the turns with exit code %i; resume ends with the same result",
  async (signal, code) => {
    const { top, run } = await hanging();
    run.kill(signal);
    const said = await run.end();
    expect(said.code).toBe(code);
    expect(said.out).toMatch(/is stopped in EXECUTE; nothing is lost\ngo on: cfa resume test-[0-9a-f]{8}$/);
    expect((await cfa(top, "resume")).code).toBe(0);
    const entries = entriesOf((await here(top, "log", "--jsonl")).out);
    expect(entries.flatMap(({ kind, body }) => (kind === "transition" ? [body.to] : []))).toEqual([
      "PLAN",
      "EXECUTE",
      "DONE",
    ]);
    expect(await worktrees(top)).toHaveLength(1);
  },
);

test("a second signal kills a turn that does not heed the first", async () => {
  const top = await repository();
  shellJob(top, { lead: "trap '' TERM INT\ncat >/dev/null\nwhile :; do sleep 1; done" });
  const run = start(top, "run");
  await run.seen("lead INTENT starts turn 1");
  run.kill("SIGINT");
  await run.seen("once more kills them");
  run.kill("SIGINT");
  expect((await run.end()).code).toBe(130);
});

test("while it runs: status reads it, another run is told who has it, with exit code 8", async () => {
  const { top, run } = await hanging();
  const status = JSON.parse((await here(top, "status", "--json")).out) as JobView;
  expect(status).toMatchObject({ state: "EXECUTE", ended: false });
  expect(status.threads.children.at(-1)).toMatchObject({ agent: "lead", state: "running", turns: 0 });
  expect((await here(top, "status")).out).toContain(`owner      pid ${run.pid} on `);
  for (const verb of ["run", "resume"]) {
    const said = await here(top, verb);
    expect(said).toMatchObject({ code: 8, out: "" });
    expect(said.err).toMatch(new RegExp(`run by another process: pid ${run.pid} on \\S+ since 2`));
  }
  run.kill("SIGINT");
  expect((await run.end()).code).toBe(130);
});

test("withdraw of a running job: the run ends with 3, the command with 0, nothing is left", async () => {
  const { top, run } = await hanging();
  expect((await here(top, "withdraw")).code).toBe(2);
  const said = await cfa(top, "withdraw", "--reason", "changed my mind");
  expect(said.code).toBe(0);
  expect(said.out).toContain("is withdrawn; nothing was merged or delivered");
  expect(await run.end()).toMatchObject({ code: 3 });
  expect((await run.end()).out).toContain("is WITHDRAWN: changed my mind");
  expect(await worktrees(top)).toHaveLength(1);
  expect((await here(top, "run")).code).toBe(3);
});

test("withdraw of a job that nobody runs carries it out itself", async () => {
  const { top, run } = await hanging();
  run.kill("SIGKILL");
  await run.end();
  expect((await cfa(top, "withdraw", "--reason", "no longer needed")).code).toBe(0);
  const status = JSON.parse((await here(top, "status", "--json")).out) as JobView;
  expect(status).toMatchObject({ state: "WITHDRAWN", ended: true });
  expect(status.history.at(-1)).toMatchObject({
    action: "WITHDRAW",
    reason: "no longer needed",
    origin: "human",
  });
  expect(await worktrees(top)).toHaveLength(1);
});

test("kill -9, then resume: the job goes on", async () => {
  const { top, run } = await hanging();
  run.kill("SIGKILL");
  await run.end();
  const status = await here(top, "status");
  expect(status.out).toMatch(/owner {6}nobody; go on with cfa resume/);
  const resumed = await cfa(top, "resume");
  expect(resumed.code).toBe(0);
  expect(resumed.err).toContain("lead EXECUTE lost turn 1");
  expect(resumed.err).not.toContain("INTENT → PLAN");
});

test("several unfinished jobs: resume lists them and does nothing", async () => {
  const { top, run } = await hanging();
  run.kill("SIGINT");
  await run.end();
  shellJob(top, { lead: "cat >/dev/null; cfa ask who" });
  expect((await cfa(top, "run", "--quiet")).code).toBe(4);
  const said = await here(top, "resume");
  expect(said).toMatchObject({ code: 2, out: "" });
  expect(said.err).toMatch(
    /several jobs are unfinished, say which: cfa resume test-\S+, cfa resume test-\S+/,
  );
});
