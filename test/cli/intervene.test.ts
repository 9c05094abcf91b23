/** `cfa interrupt`, `tell`, `pause` and `withdraw --thread` from other processes, with and without one that runs the job. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { JobView } from "../../src/cli/view/job-view.ts";
import { APPROVE, cfa, entriesOf, here, keptRepository, repository, shellJob, start } from "./fixture.ts";

/** The file of this name in a workspace of the only job, if there is one: what a program writes elsewhere nobody sees. */
function inWorkspace(top: string, name: string): string | undefined {
  const jobs = join(top, ".cfa", "jobs");
  const folders = existsSync(jobs) ? readdirSync(jobs).map((job) => join(jobs, job, "work")) : [];
  const trees = folders
    .filter(existsSync)
    .flatMap((work) => readdirSync(work).map((tree) => join(work, tree)));
  return trees.map((tree) => join(tree, name)).find(existsSync);
}

const POLLING = { timeout: 60_000 };

const view = async (top: string) => JSON.parse((await here(top, "status", "--json")).out) as JobView;

test("an interrupt of a running program that ignores signals: it goes on with the message, once", async () => {
  const top = await repository();
  const lead = `message=$(cat); echo "$message"
case "$message" in *"go on"*) ;; *) trap '' INT TERM; touch deaf; while :; do sleep 1000; done ;; esac
${APPROVE}`;
  shellJob(top, { lead });
  const run = start(top, "run");
  await expect.poll(() => inWorkspace(top, "deaf"), POLLING).toContain("deaf");
  const { job } = await view(top);
  expect(await cfa(top, "tell", job, "later, please go on")).toMatchObject({
    code: 0,
    out: `delivered; ${job} reads it in its next turn`,
  });
  expect(await cfa(top, "interrupt", job, "go on now")).toMatchObject({
    code: 0,
    out: `${job} is interrupted and goes on with your message`,
  });
  await run.seen("is interrupted: go on now");
  await run.seen("lead INTENT ended turn 2");
  run.kill("SIGINT");
  expect([0, 130]).toContain((await run.end()).code);
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  const texts = entries.flatMap(({ kind, body }) =>
    kind === "turn" && body.result === "ok" ? [body.text] : [],
  );
  expect(texts[0]).toMatch(/^\[human\]\ngo on now\n\n\[abandoned: /u);
  expect(texts.filter((text) => text.includes("go on now"))).toHaveLength(1);
});

test("pause parks a running job when its turns are over; status says why; resume goes on", async () => {
  const top = await repository();
  shellJob(top, { lead: `cat >/dev/null; touch begun; until [ -e go ]; do sleep 0.05; done\n${APPROVE}` });
  const run = start(top, "run");
  await expect.poll(() => inWorkspace(top, "begun"), POLLING).toContain("begun");
  const { job } = await view(top);
  const paused = await cfa(top, "pause", "--reason", "lunch");
  expect(paused).toMatchObject({
    code: 0,
    out: `${job} is paused: running turns finish, no other starts; go on: cfa resume ${job}`,
  });
  expect(await here(top, "pause")).toMatchObject({ code: 2, err: `cfa: ${job} is parked already: lunch` });
  writeFileSync(join(dirname(inWorkspace(top, "begun") ?? ""), "go"), "");
  expect(await run.end()).toMatchObject({ code: 5 });
  expect((await run.end()).out).toBe(`${job} is parked: lunch\ngo on: cfa resume ${job}`);
  expect(await view(top)).toMatchObject({ parked: "lunch", state: "INTENT" });
  expect((await here(top, "status")).out).toContain("parked: lunch");
  expect((await cfa(top, "resume")).code).toBe(0);
  expect(await here(top, "pause", job)).toMatchObject({
    code: 2,
    err: `cfa: ${job} has ended: it is DONE, and nothing is left to pause`,
  });
});

test("withdraw --thread while another process runs the job: the subtree ends, its sibling goes on, nothing else fires on it", async () => {
  const top = await repository();
  const lead = `if [ "$CFA_STATE" = EXECUTE ] && [ ! -e sent ]; then
touch sent; cfa send --to worker north; cfa send --to worker south; exit
fi
${APPROVE}`;
  const worker = `case "$(cat)" in *north*) cfa send --to leaf wait ;; *) touch begun; until [ -e go ]; do sleep 0.05; done ;; esac`;
  const file = shellJob(top, { lead, worker, leaf: "touch hanging; exec sleep 600" });
  writeFileSync(
    file,
    readFileSync(file, "utf8")
      .replace("[worker, leaf]", "[worker]")
      .replace("  worker:\n", "$&    roster: [leaf]\n"),
  );
  const run = start(top, "run");
  await expect.poll(() => inWorkspace(top, "hanging"), POLLING).toContain("hanging");
  await expect.poll(() => inWorkspace(top, "begun"), POLLING).toContain("begun");
  const { job } = await view(top);
  const said = await cfa(top, "withdraw", job, "--thread", "dispatch:3.1.1", "--reason", "no need");
  expect(said).toMatchObject({
    code: 0,
    out: expect.stringContaining("dispatch:3.1.1 is withdrawn with 1 below it; nothing of it was merged"),
  });
  writeFileSync(join(dirname(inWorkspace(top, "begun") ?? ""), "go"), "");
  expect(await run.end()).toMatchObject({ code: 0 });
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  const begin = entries.findIndex(
    ({ kind, body }) => kind === "terminate" && body.thread === "dispatch:3.1.1",
  );
  const below = entries.flatMap(({ kind, body }) => (kind === "workspace" ? [body] : []));
  const leaf = below.find(({ parent }) => parent === "dispatch:3.1.1")?.thread ?? "";
  const rules = entries.slice(begin).flatMap(({ kind, body }) => (kind === "fire" ? [body] : []));
  const onIt = rules.filter(({ at }) => [leaf, "dispatch:3.1.1"].includes(at["t"] ?? ""));
  expect(onIt.length).toBeGreaterThan(0);
  expect(onIt.map(({ rule }) => rule).filter((rule) => !/^(term-|cascade$)/.test(rule))).toEqual([]);
});

describe("a job that waits for an answer, and that nobody runs", () => {
  let top: string;
  let job: string;
  beforeAll(async () => {
    const kept = await keptRepository();
    top = kept.top;
    const lead = `message=$(cat)
case "$CFA_STATE $message" in
  "EXECUTE [control"*) ;;
  EXECUTE*) cfa send --to worker "write"; exit ;;
esac
${APPROVE}`;
    shellJob(top, { lead, worker: 'cat >b.txt; cfa ask "how?"' });
    const said = await cfa(top, "run", "--quiet");
    expect(said.code).toBe(4);
    ({ job } = await view(top));
    return kept.remove;
  });

  test.each([
    [["interrupt"], "missing required argument 'job'"],
    [["interrupt", "JOB"], "say what: cfa interrupt JOB TEXT"],
    [["tell", "JOB", "  "], "the message is empty"],
    [["tell", "JOB", "x", "--file", "y"], "not from both"],
    [["tell", "nope", "x"], "there is no job nope"],
    [["interrupt", "JOB", "--thread", "dispatch:9.9.9", "x"], "there is no conversation dispatch:9.9.9"],
    [["interrupt", "JOB", "--thread", "dispatch:2.1.2", "x"], "did you mean dispatch:3.1.1?"],
    [["interrupt", "JOB", "--thread", "INTENT:1", "x"], "INTENT:1 has ended"],
    [["tell", "JOB", "--thread", "escalation:q4.1.1", "x"], "is a question: answer it"],
    [["withdraw", "JOB", "--thread", "EXECUTE:1", "--reason", "x"], "leads the state: withdraw the job"],
    [["withdraw", "JOB", "--thread", "PLAN:1", "--reason", "x"], "PLAN:1 has ended"],
    [["withdraw", "JOB", "--thread", "dispatch:3.1.1"], "say why"],
    [["pause", "--reason", " "], "the reason is empty"],
  ])("%j is refused with a sentence and exit code 2", async (words, says) => {
    const said = await here(top, ...words.map((word) => (word === "JOB" ? job : word)));
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err.replaceAll(job, "JOB")).toContain(says);
  });

  test("tell and interrupt are kept for whoever resumes it", async () => {
    const said = await here(top, "tell", job, "--thread", "dispatch:3.1.1", "hurry");
    expect(said).toMatchObject({
      code: 0,
      out: `it is kept; nobody runs ${job}, go on with: cfa resume ${job}`,
    });
  });

  test("withdraw --thread carries itself out: no question, no worktree, its work on a ref; then the job ends", async () => {
    const said = await cfa(top, "withdraw", job, "--thread", "dispatch:3.1.1", "--reason", "no need");
    expect(said.code).toBe(0);
    expect(said.out).toMatch(
      /^dispatch:3\.1\.1 is withdrawn; nothing of it was merged\nits work is kept on refs\/cfa\//u,
    );
    const { questions, threads } = await view(top);
    expect(questions).toEqual([]);
    expect(threads.children.at(-1)?.children).toEqual([
      expect.objectContaining({ thread: "dispatch:3.1.1", state: "ended" }),
    ]);
    expect(existsSync(join(top, ".cfa", "jobs", job, "work", "3"))).toBe(false);
    expect((await here(top, "withdraw", job, "--thread", "dispatch:3.1.1", "--reason", "x")).err).toContain(
      "has ended",
    );
    expect((await cfa(top, "resume", "--quiet")).code).toBe(0);
    const late = await here(top, "withdraw", job, "--reason", "x");
    expect(late).toMatchObject({ code: 2 });
    expect(late.err).toContain("has ended: it is DONE");
    expect((await here(top, "interrupt", job, "x")).err).toContain("the job has ended: DONE");
  });
});
