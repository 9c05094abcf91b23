/**
 * Turns whose place an interrupt takes, or that go with their thread: what they have used counts, their session and edits are those of
 * the turn that follows (CfA §8, docs/human.md).
 */
import { describe, expect, test } from "vitest";
import { JobViewer } from "../../src/cli/view/job-view.ts";
import type { AgentAdapter, TurnResult } from "../../src/runtime/agents/port.ts";
import {
  adapters,
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  type Finished,
  gate,
  type Gate,
  makeEngine,
  makePlace,
  reached,
  read,
  shell,
  startJob,
  write,
} from "./fixture.ts";

type Report = Pick<TurnResult, "session" | "usage">;

/** An agent that works until it is stopped on a task, approves on anything else, and reports this of each turn. */
function reporting(
  reports: readonly Report[],
  begun: Gate,
  resumed: (string | undefined)[] = [],
): AgentAdapter {
  return {
    boundary: "in-process",
    run: async (request, report) => {
      report({ kind: "started", pid: null, started: null });
      resumed.push(request.session);
      const said = { text: "so far", ...(reports[request.facts.turn - 1] ?? UNSAID) };
      if (request.message.kind === "task") {
        begun.open();
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        return { stop: "aborted", ...said };
      }
      write(request.workspace, ".cfa/outcome.json", `{"outcome":"APPROVED_WORK","reason":"ok"}`);
      return { stop: "ended", ...said };
    },
  };
}

const UNSAID: Report = { session: null, usage: { tokens: null, usd: null } };

async function interrupted(
  ...reports: readonly Report[]
): Promise<Finished & { resumed: readonly unknown[] }> {
  const place = makePlace();
  const engine = makeEngine();
  const begun = gate();
  const resumed: (string | undefined)[] = [];
  const agents = { lead: reporting(reports, begun, resumed) };
  const run = await engine.start(definitionOf(place, EXECUTE), { agents });
  await reached(run, begun);
  await run.interrupt("instead");
  return { ...(await finish({ place, engine, run })), resumed };
}

const spentIn = ({ entries }: Finished) => {
  const viewer = new JobViewer();
  for (const entry of entries) viewer.apply(entry);
  return viewer.view().spent;
};

describe.concurrent("a turn whose place an interrupt takes", () => {
  test("counts with what it has used", async () => {
    const finished = await interrupted(
      { session: "s", usage: { tokens: 100, usd: 0.5 } },
      { session: "s", usage: { tokens: 10, usd: 0.25 } },
    );
    // It was stopped before it could tell all.
    const spent = { turns: 2, tokens: { spent: 110, unknown: 1 }, usd: { spent: 0.75, unknown: 1 } };
    expect(spentIn(finished)).toEqual(spent);
    expect(finished.job.ledger.spent).toEqual(spent);
  });

  test("that has not said what it used makes the sum a lower bound", async () => {
    const finished = await interrupted(UNSAID, { session: "s", usage: { tokens: 10, usd: 0.25 } });
    const spent = { turns: 2, tokens: { spent: 10, unknown: 1 }, usd: { spent: 0.25, unknown: 1 } };
    expect(spentIn(finished)).toEqual(spent);
  });

  test("that was the first of its thread leaves the session that it had opened", async () => {
    const { resumed, end } = await interrupted({ session: "opened by the agent", usage: UNSAID.usage });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(resumed).toEqual([undefined, "opened by the agent"]);
  });

  test("is no turn of the thread: neither its failures nor limits.max_turns count it", async () => {
    const { job, run } = await interrupted();
    expect(job.ledger.thread(`state:${run.id}:EXECUTE:1`)).toMatchObject({ turns: 1, failures: 0 });
  });

  test("leaves its edits, also when the turn that follows is lost", async () => {
    const place = makePlace();
    const engine = makeEngine({});
    const [first, second] = [gate(), gate()];
    const stuck = (signal: AbortSignal, begun: Gate): Promise<void> => {
      begun.open();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    };
    const started = await startJob(
      EXECUTE,
      {
        lead: (turn) => {
          if (turn.turn === 1) write(turn.workspace, "before.txt", "kept");
          else write(turn.workspace, "after.txt", "lost");
          return stuck(turn.signal, turn.turn === 1 ? first : second);
        },
      },
      { place, engine },
    );
    await reached(started.run, first);
    await started.run.interrupt("instead");
    await reached(started.run, second);
    started.run.stop();
    await started.run.end;
    const seen: string[] = [];
    const agents = adapters({
      lead: (turn) => {
        seen.push(read(turn.workspace, "before.txt"));
        expect(() => read(turn.workspace, "after.txt")).toThrow(/ENOENT/);
        return approve(turn);
      },
    });
    const run = await engine.resume(place.top, started.run.id, { agents });
    await finish({ place, engine, run });
    expect(seen).toEqual(["kept"]);
  });
});

test("a turn that goes with its withdrawn job counts; so does one of the proxy", async () => {
  const place = makePlace();
  const engine = makeEngine();
  const begun = gate();
  const usage = { tokens: 7, usd: 0.5 };
  const proxy = reporting([{ session: null, usage }], begun);
  const lead = adapters({ lead: async (turn) => void (await turn.ask("may I?")) });
  const keys = { ...EXECUTE, agents: { lead: shell("cat"), proxy: shell("cat") } };
  const run = await engine.start(definitionOf(place, keys), { agents: { ...lead, proxy } });
  await reached(run, begun);
  await run.withdraw("enough");
  const finished = await finish({ place, engine, run });
  expect(finished.end).toEqual({ kind: "ended", state: "WITHDRAWN" });
  expect(bodies(finished.entries, "turn").at(-1)).toMatchObject({
    thread: "escalation:q1.1.1",
    result: "aborted",
    failure: "its question has ended",
    usage,
  });
  expect(finished.job.ledger.spent).toEqual({
    turns: 2,
    tokens: { spent: 7, unknown: 2 },
    usd: { spent: 0.5, unknown: 2 },
  });
});
