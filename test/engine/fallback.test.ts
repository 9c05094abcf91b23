/** The fallback of a role: another agent's program or function runs the turn after a failed one (docs/job.md, "Failures"). */
import { describe, expect, test } from "vitest";
import { JobViewer } from "../../src/cli/view/job-view.ts";
import { logLine } from "../../src/cli/view/log-line.ts";
import { treeLines } from "../../src/cli/view/tree-lines.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import { scriptAgent } from "../../src/runtime/agents/script.ts";
import {
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  gate,
  makeEngine,
  makePlace,
  notes,
  reached,
  runJob,
  shell,
  startJob,
} from "./fixture.ts";

describe.concurrent("the turn after a failed one is run by the fallback", () => {
  const agents = { lead: shell("false", { fallback: "second" }), second: shell("false") };

  test("on the same conversation, as the same agent; the role's own runs the one after", async () => {
    const ran: string[] = [];
    const { end, entries } = await runJob(
      { ...EXECUTE, agents },
      {
        lead: (turn) => {
          ran.push(`lead ${turn.turn}`);
          if (turn.turn === 1) throw new Error("no answer of the model");
          return approve(turn);
        },
        second: (turn) => {
          ran.push(`second ${turn.turn} as ${turn.agent}: ${turn.message.kind}`);
          return "half done";
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(ran).toEqual(["lead 1", "second 2 as lead: recovery", "lead 3"]);
    expect(notes(entries)).toEqual(["second stood in for lead, whose turn before had failed"]);
    expect(
      bodies(entries, "turn").map(({ agent, by, result, session }) => [agent, by, result, session === null]),
    ).toEqual([
      ["lead", undefined, "failed", false],
      ["lead", "second", "ok", true],
      ["lead", undefined, "ok", false],
    ]);
    expect(bodies(entries, "start").map(({ by }) => by)).toEqual([undefined, "second", undefined]);
  });

  test("with what the agent itself was told in its first turn: task, skill, tools, status protocol", async () => {
    const heard: { prompt: string; instructions: string }[] = [];
    const { end } = await runJob(
      { ...EXECUTE, agents },
      {
        lead: (turn) => {
          if (turn.turn === 1) return "not yet";
          throw new Error("no answer of the model");
        },
        second: (turn) => {
          heard.push({ prompt: turn.prompt, instructions: turn.instructions });
          return approve(turn);
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const [{ prompt, instructions } = { prompt: "", instructions: "" }] = heard;
    expect(prompt).toMatch(/^\[recovery from orchestrator/);
    expect(prompt).toMatch(/\[you stand in for lead, .*\nmake it\n/);
    expect(prompt).toContain("State: EXECUTE. Skill: execute.");
    expect(instructions).toMatch(/^# Execute\n/);
    expect(instructions.endsWith("while work goes on normally.")).toBe(true);
  });

  test("status and log say by whom, while it runs and as long as no other turn has begun", async () => {
    const [begun, go] = [gate(), gate()];
    const started = await startJob(
      { ...EXECUTE, agents },
      {
        lead: (turn) => {
          if (turn.turn === 1) throw new Error("no answer of the model");
          return approve(turn);
        },
        second: async () => {
          begun.open();
          await go.passed;
          return "half done";
        },
      },
    );
    await reached(started.run, begun);
    go.open();
    const { entries } = await finish(started);
    const viewer = new JobViewer();
    const shown: string[] = [];
    for (const entry of entries) {
      viewer.apply(entry);
      const [line = ""] = treeLines(viewer.view(), { width: 200, rows: 9, now: new Date(entry.at) }).slice(1);
      const who = /[●○·!✓×→] (lead(?: \(by \w+\))?) .*?(running|waiting for mail|queued|ended)/u.exec(line);
      if (who !== null) shown.push(`${who[1]} ${who[2]}`);
    }
    expect(shown.filter((one, n) => one !== shown[n - 1])).toEqual([
      "lead waiting for mail",
      "lead queued",
      "lead running",
      "lead waiting for mail",
      "lead queued",
      "lead (by second) running",
      "lead (by second) waiting for mail",
      "lead (by second) queued",
      "lead running",
      "lead waiting for mail",
      "lead ended",
    ]);
    const lines = entries.map(logLine).filter((line) => line.includes("by=second"));
    expect(lines.map((line) => line.split(/ +/)[2])).toEqual(["start", "turn"]);
  });

  test("has its own price", async () => {
    const { entries } = await runJob(
      {
        ...EXECUTE,
        agents,
        prices: { agents: { lead: { input: 1, output: 1 }, second: { input: 9, output: 9 } } },
      },
      {
        lead: async (turn) => {
          await turn.usage({ input: 1_000_000, output: 0 });
          if (turn.turn === 1) throw new Error("no answer of the model");
          return approve(turn);
        },
        second: async (turn) => {
          await turn.usage({ input: 1_000_000, output: 0 });
          return "half done";
        },
      },
    );
    expect(bodies(entries, "turn").map(({ usage }) => usage.usd)).toEqual([1, 9, 1]);
  });

  test("named by the role; a program in a boundary of its own, which is proven before any turn", async () => {
    const { end, entries } = await runJob(
      {
        ...EXECUTE,
        agents: {
          lead: shell("echo no answer >&2; exit 1", { role: { fallback: "second" } }),
          second: shell("cfa outcome APPROVED_WORK --reason done", { sandbox: "preferred" }),
        },
      },
      {},
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").map(({ by }) => by)).toEqual([undefined, "second"]);
  });

  test("whose boundary does not hold: no workspace, and no turn", async () => {
    const place = makePlace();
    const leaky = {
      ...scriptAgent(() => "never"),
      prove: () => Promise.reject(new Error("the canary was read")),
    };
    const run = await makeEngine().start(definitionOf(place, { ...EXECUTE, agents }), {
      agents: { lead: scriptAgent(approve), second: leaky },
    });
    expect(await run.end).toEqual({ kind: "ended", state: "FAILURE" });
    const entries: Entry[] = [];
    for await (const entry of run) entries.push(entry);
    expect(bodies(entries, "workspace")).toMatchObject([
      { refused: expect.stringContaining("the canary was read") },
    ]);
    expect(bodies(entries, "turn")).toEqual([]);
  });

  test("a fallback that fails is a failure like any other, and spends the budget", async () => {
    const fails = () => {
      throw new Error("no answer");
    };
    const { end, entries } = await runJob({ agents, limits: { retries: 1 } }, { lead: fails, second: fails });
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "turn")).toHaveLength(2);
  });
});
