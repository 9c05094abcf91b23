/** File-based agents in whole jobs: what becomes of a failure by their `recovery`, what is collected, and their boundary (docs/files.md). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { progressIn } from "../../src/channels/files-protocol/progress.ts";
import type { TurnEvent } from "../../src/runtime/agents/port.ts";
import { tryBubblewrap } from "../../src/runtime/boundary/bubblewrap.ts";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  EXECUTE,
  finish,
  gate,
  git,
  type Keys,
  mailOf,
  makeEngine,
  makePlace,
  notes,
  reached,
  runJob,
  startJob,
  transitions,
  until,
} from "./fixture.ts";

const SHELL = `
n=$(cat workspace/n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >workspace/n
say() { printf '{"state": "%s", "started": "2026-01-01T10:00:00Z"%s}' "$1" "$2" >status.json; }
deliver() { echo "made in try $n" >outbox/made.txt; echo "Done in try $n." >outbox/summary.md; say completed; }
fail() { echo '# Error Report' >outbox/error_report.md; say failed ', "error": {"type": "E", "message": "no luck", "recoverable": '$1'}'; }
`;

/** A job whose worker is a file-based agent that runs this script. */
const job = (script: string, agent: Keys = {}, keys: Keys = {}): Keys => ({
  ...EXECUTE,
  ...keys,
  agents: {
    lead: { run: ["true"], roster: ["worker"] },
    worker: {
      adapter: "files",
      run: ["sh", "-c", `${SHELL}${script}`],
      collect: { "made.txt": "made.txt" },
      sandbox: "advisory",
      ...agent,
    },
  },
});

/** A lead that sends one task, does `then` with each message that comes, and approves when it says so. */
const lead =
  (heard: string[], ...then: readonly Script[]): Script =>
  async (turn) => {
    if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "Make it." }));
    heard.push(`${turn.message.kind}: ${turn.message.body}`);
    return (await then[Math.min(turn.turn - 1, then.length) - 1]?.(turn)) ?? undefined;
  };

const WORKER = "dispatch:1.1.1";
const close: Script = async (turn) => {
  await turn.close(WORKER);
  return approve(turn);
};
const workersTurns = (entries: Parameters<typeof bodies>[0]) =>
  bodies(entries, "turn").flatMap(({ agent, result, work }) =>
    agent === "worker" ? [[result, work?.state]] : [],
  );

test("what it completes is its reply, and what is collected is merged", async () => {
  const heard: string[] = [];
  const { end, place, run } = await runJob(job("deliver"), { lead: lead(heard, close) });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(heard).toEqual(["reply: Done in try 1."]);
  expect(git(place.top, "show", `cfa/${run.id}:made.txt`)).toBe("made in try 1");
  expect(git(place.top, "ls-tree", "-r", "--name-only", `cfa/${run.id}`)).toBe("made.txt\ntext.txt");
});

describe.concurrent("a failure", () => {
  test("that is recoverable is tried again, with the same inputs", async () => {
    const { end, entries } = await runJob(job("[ $n -gt 1 ] && deliver || fail true"), {
      lead: lead([], close),
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(workersTurns(entries)).toEqual([
      ["failed", "failed"],
      ["ok", "completed"],
    ]);
  });

  test("that is recoverable again and again ends it, and the parent gets the report", async () => {
    const heard: string[] = [];
    const keys = job("fail true", {}, { limits: { retries: 1 } });
    const { end, entries } = await runJob(keys, { lead: lead(heard, close) });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(workersTurns(entries)).toHaveLength(2);
    expect(heard).toEqual([
      expect.stringMatching(
        /^control: worker on dispatch:1\.1\.1 has failed for good[^]*E: no luck[^]*\n\n# Error Report$/,
      ),
    ]);
  });

  test("that is not is told to the parent at once; corrected inputs go on in the same home", async () => {
    const heard: string[] = [];
    const again: Script = async (turn) =>
      void (await turn.send({ to: "worker", thread: WORKER, message: "Now." }));
    const { end, entries, place, run } = await runJob(job("[ $n -gt 1 ] && deliver || fail false"), {
      lead: lead(heard, again, close),
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toEqual([
      expect.stringMatching(
        /^control: worker on dispatch:1\.1\.1 has failed: it has failed, and says that trying again will not help: E: no luck; its report is homes\/dispatch%3A1\.1\.1\/kept\/1\/outbox\/error_report\.md\. Correct what it was given and write to it \(cfa send --to worker --thread dispatch:1\.1\.1; it may fail 1 more time\), or skip it and go on without: cfa close dispatch:1\.1\.1\n\n# Error Report$/,
      ),
      "reply: Done in try 2.",
    ]);
    expect(workersTurns(entries)).toEqual([
      ["failed", "failed"],
      ["ok", "completed"],
    ]);
    const home = join(place.top, ".cfa/jobs", run.id, "homes/dispatch%3A1.1.1");
    expect(readFileSync(join(home, "kept/1/outbox/error_report.md"), "utf8")).toBe("# Error Report\n");
    expect(readFileSync(join(home, "inbox/instructions.md"), "utf8")).toContain("## Objective\n\nNow.\n");
  });

  test("that the parent skips is acknowledged by closing; nothing is collected of it", async () => {
    const { end, place, run } = await runJob(job("echo x >outbox/made.txt; fail false"), {
      lead: lead([], close),
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(git(place.top, "ls-tree", "-r", "--name-only", `cfa/${run.id}`)).toBe("text.txt");
  });

  test("that the parent passes over keeps an approval out of reach", async () => {
    const { end, entries } = await runJob(job("fail false"), { lead: lead([], approve, close) });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "violation")).toEqual([
      expect.objectContaining({
        problem: expect.stringContaining("APPROVED_WORK is not possible yet: dispatch:1.1.1 failed"),
      }),
    ]);
  });

  test("that nobody mends leaves nobody waiting: whoever gave the work may say so and go on", async () => {
    const keys = job("fail false");
    const agents = {
      lead: { run: ["true"], roster: ["middle"] },
      middle: { run: ["true"], roster: ["worker"] },
      ...Object.fromEntries(Object.entries(keys["agents"] ?? {}).filter(([name]) => name === "worker")),
    };
    const heard: string[] = [];
    const { end } = await runJob(
      { ...keys, agents },
      {
        lead: async (turn) => {
          if (turn.turn === 1) return void (await turn.send({ to: "middle", message: "Make it." }));
          heard.push(turn.message.body);
          return close(turn);
        },
        middle: async (turn) => {
          if (turn.turn === 1) return void (await turn.send({ to: "worker", message: "Make it." }));
          return "It cannot be made.";
        },
      },
    );
    expect(heard).toEqual(["It cannot be made."]);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
  });

  test("with the policy skip ends it at once", async () => {
    const keys = job("fail true", { recovery: { recoverable: "skip" } });
    const heard: string[] = [];
    const { end, entries } = await runJob(keys, { lead: lead(heard, close) });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(workersTurns(entries)).toHaveLength(1);
    expect(heard[0]).toContain("has failed for good");
  });

  test("with the policy retry is tried again although it says that this does not help", async () => {
    const keys = job("[ $n -gt 1 ] && deliver || fail false", { recovery: { unrecoverable: "retry" } });
    const { entries } = await runJob(keys, { lead: lead([], close) });
    expect(workersTurns(entries)).toEqual([
      ["failed", "failed"],
      ["ok", "completed"],
    ]);
  });

  test("with the policy escalate is put to the human, whose answer is the next instruction", async () => {
    const keys = job("[ $n -gt 1 ] && deliver || fail false", { recovery: { unrecoverable: "escalate" } });
    const heard: string[] = [];
    const started = await startJob(keys, { lead: lead(heard, close) });
    const { at, choice } = await until(started.run, "fire", ({ rule }) => rule === "escalate");
    expect(choice?.y?.body).toMatch(
      /^worker on dispatch:1\.1\.1 cannot go on: [^]*What should it do\?\n\n# Error Report$/,
    );
    await started.run.answer(at["e"] ?? "", "Use the other file.");
    const { end, entries, place, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toEqual(["reply: Done in try 2."]);
    expect(workersTurns(entries)).toEqual([
      ["ok", "failed"],
      ["ok", "completed"],
    ]);
    expect(notes(entries).some((text) => text.includes("E: no luck"))).toBe(true);
    const home = join(place.top, ".cfa/jobs", run.id, "homes/dispatch%3A1.1.1");
    expect(readFileSync(join(home, "inbox/instructions.md"), "utf8")).toContain("Use the other file.");
  });

  test("with the policy escalate goes to the parent where there is nobody to ask", async () => {
    const keys = job("fail false", { recovery: { unrecoverable: "escalate" } }, { human: "none" });
    const heard: string[] = [];
    const { end } = await runJob(keys, { lead: lead(heard, close) });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard[0]).toContain("Correct what it was given and write to it");
  });

  test("of a lead counts as one of its state, whatever its policy", async () => {
    const agents = {
      worker: { adapter: "files", run: ["sh", "-c", `${SHELL}fail false`], sandbox: "advisory" },
    };
    const { end, entries } = await runJob({ ...EXECUTE, agents, limits: { retries: 1 } }, {});
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(transitions(entries).at(-1)).toBe("EXECUTE FAILURE FAILURE (orchestrator)");
    expect(workersTurns(entries)).toHaveLength(2);
  });
});

test("a turn that says nothing is not taken for good because its program ended well", async () => {
  const keys = job("echo finished", {}, { limits: { retries: 0 } });
  const { entries } = await runJob(keys, { lead: lead([], close) });
  expect(mailOf(entries, "state:" + bodies(entries, "open")[0]?.job + ":EXECUTE:1")[0]).toContain(
    "its program ended and neither completed nor failed: status.json says pending",
  );
});

test("its progress is told while it runs; a turn that is stopped begins again in the same home", async () => {
  const script = `if [ $n -gt 1 ]; then cp kept/1/outbox/half outbox/made.txt; echo x >outbox/summary.md; say completed; exit; fi
    echo half >outbox/half; say running ', "progress": {"current_step": "half", "steps_completed": 1, "total_steps": 2}'; sleep 60`;
  const place = makePlace();
  const engine = makeEngine({});
  const told = gate();
  let line = "";
  const onTurnEvent = (_thread: string, event: TurnEvent) => {
    if (event.kind !== "progress") return;
    line = event.text;
    told.open();
  };
  const agents = { lead: lead([], close) };
  const started = await startJob(job(script), agents, { place, engine, onTurnEvent });
  await reached(started.run, told);
  expect(line).toBe("half 1/2");
  const directory = join(place.top, ".cfa/jobs", started.run.id);
  expect(await progressIn(directory, ["state:x", WORKER])).toEqual(new Map([[WORKER, "half 1/2"]]));
  started.run.stop();
  expect((await started.run.end).kind).toBe("stopped");
  const run = await engine.resume(place.top, started.run.id, { agents: adapters(agents) });
  const { end, entries } = await finish({ place, engine, run });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(workersTurns(entries)).toEqual([["ok", "completed"]]);
  expect(git(place.top, "show", `cfa/${run.id}:made.txt`)).toBe("half");
});

test.runIf("boundary" in (await tryBubblewrap(process.env["PATH"] ?? "")))(
  "inside a boundary it writes its home and the worktree, reads its inbox, and sees no other home",
  async () => {
    const probe = `
      try() { if sh -c "$2" 2>/dev/null; then echo "$1 yes"; else echo "$1 no"; fi >>"$CFA_WORKTREE/probe.txt"; }
      try inbox ': >>inbox/instructions.md'; try new ': >inbox/new'; try skill 'rm -f SKILL.md && [ ! -e SKILL.md ]'
      try kept ': >kept/x'; try workspace ': >workspace/x'; try others '[ "$(ls ..)" != "$(basename "$PWD")" ]'
      try log '[ -e ../../bus.db ]'; deliver`;
    const { end, place, run } = await runJob(job(probe, { sandbox: "required" }), {
      lead: async (turn) => {
        if (turn.turn > 1) {
          if (turn.turn === 2) return "one more";
          for (const { thread } of turn.children) await turn.close(thread);
          return approve(turn);
        }
        await turn.send({ to: "worker", message: "Probe." });
        return void (await turn.send({ to: "worker", message: "Probe." }));
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(git(place.top, "show", `cfa/${run.id}:probe.txt`)).toBe(
      "inbox no\nnew no\nskill no\nkept no\nworkspace yes\nothers no\nlog no",
    );
  },
);
