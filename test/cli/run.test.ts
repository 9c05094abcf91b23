/** `cfa init` and `cfa run`: from a fresh repository to DONE, the same job again, and reading back what happened. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { JobView, ThreadView } from "../../src/cli/view/job-view.ts";
import { JobViewer } from "../../src/cli/view/job-view.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import {
  APPROVE,
  cfa,
  entriesOf,
  git,
  here,
  keptRepository,
  read,
  repository,
  type Said,
  shellJob,
} from "./fixture.ts";

const viewOf = (entries: readonly Entry[]): JobView => {
  const viewer = new JobViewer();
  for (const entry of entries) viewer.apply(entry);
  return viewer.view();
};

describe("init, then run, runs as it is", () => {
  let top: string;
  let first: Said;
  let before: string;
  const state = async () =>
    [
      await git(top, "rev-parse", "HEAD"),
      await git(top, "status", "--porcelain"),
      await git(top, "worktree", "list"),
    ].join("\n");

  // One run serves all tests of the group; none of them changes it.
  beforeAll(async () => {
    const { top: made, remove } = await keptRepository();
    top = made;
    expect(await here(top, "init")).toMatchObject({ code: 0, out: "wrote job.yaml" });
    before = await state();
    first = await cfa(top, "run");
    return remove;
  });

  test("it ends with DONE, exit code 0, and says where the work is", async () => {
    expect(first.code).toBe(0);
    const [headline, , branch] = first.out.split("\n");
    expect(headline).toMatch(/^hello-[0-9a-f]{8} is DONE: the greeting is written$/);
    expect(branch).toMatch(/^branch cfa\/hello-[0-9a-f]{8} at [0-9a-f]{10}$/);
    expect(first.out).toContain("  A cfa-hello.md");
    const show = /show one: git (show \S+)$/m.exec(first.out)?.[1] ?? "";
    expect(await git(top, ...show.split(" "))).toBe("Hello from cfa.");
  });

  test("the user's branch, index and worktree are untouched, and no worktree is left", async () => {
    expect(await state()).toBe(before);
  });

  test("without a terminal progress is plain lines on stderr, without escape codes", () => {
    expect(first.err).not.toContain("no boundary");
    expect(first.err).toMatch(
      /^\d\d:\d\d:\d\d {2}lead EXECUTE dispatches worker dispatch:\S+: Write cfa-hello.md.$/m,
    );
    expect(first.err).toMatch(
      /^\d\d:\d\d:\d\d {2}PLAN → EXECUTE {2}APPROVED_PLAN by skill: one worker is enough$/m,
    );
    expect(first.err).toMatch(/worker dispatch:\S+ is merged into EXECUTE as [0-9a-f]{7}$/m);
    expect(first.out + first.err).not.toContain("\u001b");
  });

  test("the same job again shows the same result and runs nothing", async () => {
    const log = await here(top, "log", "--jsonl");
    const again = await here(top, "run");
    expect(again).toMatchObject({ code: 0, out: first.out });
    expect(again.err).toContain("--new starts another run");
    expect((await here(top, "log", "--jsonl")).out).toBe(log.out);
  });

  test("resume of the ended job shows its result; withdraw refuses", async () => {
    const id = (await here(top, "status", "--all")).out.split(" ")[0] ?? "";
    expect(await here(top, "resume", id)).toMatchObject({ code: 0, out: first.out });
    expect(await here(top, "resume")).toMatchObject({ code: 0, out: first.out });
    expect(await here(top, "withdraw", id, "--reason", "no")).toMatchObject({
      code: 2,
      err: `cfa: ${id} has ended: it is DONE, and nothing can be withdrawn any more`,
    });
  });

  test("status --json equals what the lines of log --jsonl give", async () => {
    const entries = entriesOf((await here(top, "log", "--jsonl")).out);
    const status = JSON.parse((await here(top, "status", "--json")).out) as JobView;
    expect(status).toEqual(JSON.parse(JSON.stringify(viewOf(entries))));
    expect(status).toMatchObject({ state: "DONE", parked: null, questions: [], backtracks: 0, ended: true });
  });

  test("state, history and dispatch tree can be rebuilt from the lines by hand, too", async () => {
    const entries = entriesOf((await here(top, "log", "--jsonl")).out);
    const status = JSON.parse((await here(top, "status", "--json")).out) as JobView;
    const history = entries.flatMap((entry) => (entry.kind === "transition" ? [entry.body] : []));
    expect(status.history).toEqual(
      history.map(({ from, action, to, reason, origin }) => ({ from, action, to, reason, origin })),
    );
    const edges = entries.flatMap((entry) =>
      entry.kind === "fire" && entry.body.rule === "spark" ? [[entry.body.at["t"], entry.body.at["t'"]]] : [],
    );
    const below = (thread: ThreadView): (string | undefined)[][] =>
      thread.children.flatMap((child) => [[thread.thread, child.thread], ...below(child)]);
    expect(below(status.threads).sort()).toEqual(edges.sort());
  });

  test("status is readable: tree, history, unknown cost, boundary", async () => {
    const { out, err, code } = await here(top, "status");
    expect({ err, code }).toEqual({ err: "", code: 0 });
    expect(out).toMatch(/^hello-[0-9a-f]{8} {2}DONE {2}5 turns/);
    expect(out).toMatch(
      / {3}└─ ✓ worker {2}dispatch:\S+ {2}ended {2}1 turn {2}cost unknown {2}merged as [0-9a-f]{7}/,
    );
    expect(out).toContain("tokens unknown, USD unknown");
    expect(out).toContain("boundary   bubblewrap: lead, worker");
    expect(out).toContain("owner      nobody; the job has ended");
  });

  test("run --json prints the entries and nothing else on stdout", async () => {
    const said = await here(top, "run", "--json");
    expect(said.code).toBe(0);
    expect(`${said.out}\n`).toBe(`${(await here(top, "log", "--jsonl")).out}\n`);
    expect(said.err).toContain("is DONE");
  });

  test("the readable log has a line an entry", async () => {
    const lines = (await here(top, "log")).out.split("\n");
    expect(lines).toHaveLength(entriesOf((await here(top, "log", "--jsonl")).out).length);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {5}1 {2}open /);
  });

  test("--new runs it once more, under an id of its own", async () => {
    const said = await cfa(top, "run", "--new", "--quiet");
    expect(said.code).toBe(0);
    expect(said.out).toMatch(/^hello-[0-9a-f]{8}-2 is DONE/);
    const all = (await here(top, "status", "--all")).out.split("\n");
    expect(all.map((line) => /^hello-[0-9a-f]{8}(-2)? {2}DONE/.exec(line)?.[1] ?? "")).toEqual(["-2", ""]);
    expect((await here(top, "run")).err).toMatch(/^other runs of the same job: hello-[0-9a-f]{8}-2 \(/mu);
    const watched = await here(top, "status", "--watch", "--json");
    expect(watched.code).toBe(0);
    expect(JSON.parse(watched.out)).toMatchObject({ state: "DONE", ended: true });
  });

  test("init does not overwrite", async () => {
    const text = read(top, "job.yaml");
    const said = await here(top, "init");
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err).toContain("exists and is left as it is");
    expect(read(top, "job.yaml")).toBe(text);
  });
});

test("a failed job gives exit code 1, the reason, and where to look", async () => {
  const top = await repository();
  shellJob(top, { lead: "cat >/dev/null; echo oh no >&2; exit 7" }, "limits: { retries: 0 }");
  const said = await cfa(top, "run");
  expect(said.code).toBe(1);
  expect(said.out).toMatch(/^test-[0-9a-f]{8} is FAILURE: .*exit status 7/);
  expect(said.out).toMatch(/look further: cfa log test-[0-9a-f]{8}/);
  const stream = /output of a failed turn: (.*)$/m.exec(said.out)?.[1] ?? "";
  expect(read(stream)).toContain("oh no");
  expect((await here(top, "run")).code).toBe(1);
});

test("a job elsewhere is named by --repo, in hints too", async () => {
  const top = await repository();
  const elsewhere = await repository();
  const file = shellJob(elsewhere, { lead: APPROVE }, "limits: { retries: 0 }\nstart: INTENT");
  expect((await cfa(elsewhere, "run", file, "--repo", top, "--quiet")).code).toBe(0);
  expect(existsSync(join(elsewhere, ".cfa"))).toBe(false);
  expect(readdirSync(join(top, ".cfa", "jobs"))).toHaveLength(1);
  expect((await here(elsewhere, "status", "--repo", top)).out).toContain("DONE");
  expect((await here(elsewhere, "status")).err).toContain("there is no job");
});

test("deliver: merge over uncommitted changes is DONE, says what to do, and ends with exit code 1, shown again, too", async () => {
  const top = await repository();
  shellJob(top, { lead: `${APPROVE}\necho new >new.txt` }, "deliver: merge");
  writeFileSync(join(top, "a.txt"), "changed\n");
  for (const words of [["run"], ["resume"]]) {
    const { code, out } = await cfa(top, ...words);
    expect(code).toBe(1);
    expect(out).toMatch(/is DONE: ok$/m);
    expect(out).toMatch(
      /^not delivered as the job asks: .* with uncommitted changes: .*"git merge cfa\/test-/m,
    );
  }
});

test("a spent budget parks the job with exit code 5; a larger one is recorded and goes on", async () => {
  const top = await repository();
  shellJob(top, { lead: APPROVE }, "budget: { turns: 2 }");
  const parked = await cfa(top, "run");
  expect(parked.code).toBe(5);
  expect(parked.out).toContain("the budget of 2 turns is spent");
  expect((await here(top, "resume")).code).toBe(5);
  for (const wrong of [["turns=many"], ["days=3"], ["wall=soon"]]) {
    expect(await here(top, "resume", "--budget", ...wrong)).toMatchObject({ code: 2, out: "" });
  }
  expect((await cfa(top, "resume", "--budget", "turns=9", "wall=2h")).code).toBe(0);
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  expect(entries.flatMap(({ kind, body }) => (kind === "configure" ? [body.budget] : []))).toEqual([
    { turns: 9, wall: 7_200_000 },
  ]);
  expect(entries.flatMap(({ kind, body }) => (kind === "park" ? [[body.parked, body.origin]] : []))).toEqual([
    [true, "orchestrator"],
    [false, "human"],
    [true, "orchestrator"],
    [false, "human"],
  ]);
});
