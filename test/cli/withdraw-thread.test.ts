/** Right after `cfa withdraw --thread` nothing of the subtree is left, while the job goes on in another process (docs/human.md). */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JobView, ThreadView } from "../../src/cli/view/job-view.ts";
import { APPROVE, cfa, entriesOf, git, here, processesOf, repository, shellJob, start } from "./fixture.ts";

const DEAF = "trap '' INT TERM; while :; do sleep 1000; done";

/** Opens a conversation in which a question is asked, and waits when it is told what became of that. */
const LEAD = `message=$(cat)
case "$CFA_STATE $message" in
  "EXECUTE [control"*) while :; do sleep 1000; done ;;
  EXECUTE*) id=$(cfa send --to worker "ask"); cfa send --to worker --thread "$id" "write"; exit ;;
esac
${APPROVE}`;

const WORKER = `case "$(cat)" in *ask*) cfa ask "how?" ;; *) echo b >b.txt; ${DEAF} ;; esac`;

const AT_ONCE = "start: EXECUTE\ngiven: { intent: a.txt, plan: a.txt }";

const all = (thread: ThreadView): ThreadView[] => [thread, ...thread.children.flatMap(all)];
const view = async (top: string) => JSON.parse((await here(top, "status", "--json")).out) as JobView;

/** Names of the conversations below the lead that are running. */
async function running(top: string): Promise<readonly string[]> {
  const { threads } = await view(top);
  return all(threads).flatMap(({ thread, agent, state }) =>
    state === "running" && agent !== "lead" ? [thread.replace(/:.*/u, "")] : [],
  );
}

test("of one who works and asks, both it and the proxy deaf to signals: no process, workspace or question is left", async () => {
  const top = await repository();
  shellJob(top, { lead: LEAD, worker: WORKER, proxy: DEAF }, AT_ONCE);
  const run = start(top, "run", "--quiet");
  const both = ["dispatch", "escalation"];
  await expect
    .poll(async () => (await running(top).catch(() => [])).toSorted(), { timeout: 60_000 })
    .toEqual(both);
  const { job, threads } = await view(top);
  const target = all(threads).find(({ agent }) => agent === "worker")?.thread ?? "";
  const said = await cfa(top, "withdraw", job, "--thread", target, "--reason", "no need");
  expect(said).toMatchObject({ code: 0, err: "" });

  for (const agent of ["worker", "proxy"]) expect(processesOf(job, agent)).toEqual([]);
  expect(readdirSync(join(top, ".cfa/jobs", job, "work"))).toHaveLength(1);
  expect((await git(top, "worktree", "list")).split("\n")).toHaveLength(2);
  const left = await view(top);
  expect(left).toMatchObject({ questions: [], ended: false });
  expect(all(left.threads).find(({ thread }) => thread === target)?.state).toBe("ended");

  expect((await cfa(top, "withdraw", job, "--reason", "enough")).code).toBe(0);
  expect(processesOf(job)).toEqual([]);
  expect((await run.end()).code).toBe(3);
  expect((await here(top, "verify", job)).code).toBe(0);
  const aborted = entriesOf((await here(top, "log", "--jsonl")).out).flatMap(({ kind, body }) =>
    kind === "turn" && body.result === "aborted" ? [body.agent] : [],
  );
  expect(aborted.slice(0, 2).toSorted()).toEqual(["proxy", "worker"]);
});
