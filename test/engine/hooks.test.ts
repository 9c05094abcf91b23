/** The operator's hooks around the turns of a dispatch (docs/status-file.md, "Hooks"). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approve, bodies, EXECUTE, makePlace, notes, read, runJob, shell, write } from "./fixture.ts";

describe.concurrent("hooks", () => {
  const marks = (place: ReturnType<typeof makePlace>) =>
    `echo "$CFA_AGENT $CFA_STATE $CFA_TURN" >> ${place.files}/marks`;

  test("before_run once a dispatch, after_run when an outcome, a word or a failure ends the run", async () => {
    const place = makePlace();
    const hooks = {
      before_run: `${marks(place)}; echo loud`,
      after_run: `echo after >> ${place.files}/marks`,
    };
    const lines: string[] = [];
    const { end } = await runJob(
      { hooks },
      {
        lead: (turn) => (turn.turn === 1 && turn.state === "INTENT" ? "not yet" : approve(turn)),
      },
      { place, onTurnEvent: (_thread, event) => void (event.kind === "line" && lines.push(event.text)) },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(read(place.files, "marks").trim().split("\n")).toEqual([
      "lead INTENT 1",
      "after",
      "lead PLAN 1",
      "after",
      "lead EXECUTE 1",
      "after",
    ]);
    expect(lines).toContain("loud");
  });

  test("a before_run that fails fails the turn with its last words; the agent is not started", async () => {
    const { end, entries } = await runJob(
      { hooks: { before_run: "echo no network >&2; exit 4" }, limits: { retries: 0 } },
      { lead: () => "started" },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "turn")).toMatchObject([
      { result: "failed", failure: "the hook before_run ended with exit status 4: no network", text: "" },
    ]);
  });

  test("a before_run that takes too long fails the turn; what it has printed is kept, and it is stopped with its descent", async () => {
    const place = makePlace();
    const late = join(place.files, "late");
    const { end, entries, run } = await runJob(
      {
        hooks: { before_run: `echo checking; (sleep 600; touch ${late}) & wait`, timeout: "200ms" },
        limits: { retries: 0 },
      },
      { lead: () => "started" },
      { place },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "turn")).toMatchObject([
      { result: "failed", failure: "the hook before_run ran longer than 0.2 s and was stopped", text: "" },
    ]);
    expect(read(place.top, `.cfa/jobs/${run.id}/streams/1.1.log`)).toBe("checking\n");
    expect(existsSync(late)).toBe(false);
  });

  test("what they print stands in the stream of the turn, before and after what the agent prints", async () => {
    const place = makePlace();
    const { run } = await runJob(
      {
        ...EXECUTE,
        hooks: { before_run: "echo ready; echo loud >&2", after_run: "echo over" },
        agents: { lead: shell("echo work; cfa outcome APPROVED_WORK --reason done") },
      },
      {},
      { place },
    );
    expect(read(place.top, `.cfa/jobs/${run.id}/streams/1.1.log`).split("\n")).toEqual([
      "ready",
      "loud",
      "work",
      "over",
      "",
    ]);
  });

  test("mail to a child that had stopped itself is a fresh dispatch: its word is gone, before_run comes again, the protocol is told again", async () => {
    const place = makePlace();
    const word = `test -e .sortie/status && echo stale >> ${place.files}/marks; ${marks(place)}`;
    const told: string[] = [];
    const { end } = await runJob(
      { ...EXECUTE, hooks: { before_run: word } },
      {
        lead: async (turn) => {
          const thread = turn.children[0]?.thread;
          if (turn.turn > 3) return approve(turn);
          await turn.send({
            to: "worker",
            ...(thread === undefined ? {} : { thread }),
            message: `${turn.turn}`,
          });
          return undefined;
        },
        worker: (turn) => {
          told.push(`${turn.turn} ${turn.instructions === "" ? "nothing" : "all"}`);
          if (turn.turn === 2) write(turn.workspace, ".sortie/status", "blocked\n");
          return turn.turn === 2 ? undefined : "done";
        },
      },
      { place },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(told).toEqual(["1 all", "2 nothing", "3 all"]);
    expect(read(place.files, "marks").trim().split("\n")).toEqual([
      "lead EXECUTE 1",
      "worker EXECUTE 1",
      "worker EXECUTE 3",
    ]);
  });

  test("a before_run that fails is not got past by failing: a dispatch lasts until one of its turns has gone well", async () => {
    const place = makePlace();
    const told: string[] = [];
    const { end } = await runJob(
      { ...EXECUTE, hooks: { before_run: `${marks(place)}; test "$CFA_AGENT $CFA_TURN" != "worker 2"` } },
      {
        lead: async (turn) => {
          const thread = turn.children[0]?.thread;
          if (turn.turn > 2) return approve(turn);
          await turn.send({ to: "worker", ...(thread === undefined ? {} : { thread }), message: "go" });
          return undefined;
        },
        worker: async (turn) => {
          told.push(`${turn.turn} ${turn.instructions === "" ? "nothing" : "all"}`);
          if (turn.turn === 1) write(turn.workspace, ".sortie/status", "blocked\n");
          if (turn.turn === 1) await turn.sendNone();
          return turn.turn === 1 ? undefined : "done";
        },
      },
      { place },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(told).toEqual(["1 all", "3 all"]);
    expect(read(place.files, "marks").trim().split("\n")).toEqual([
      "lead EXECUTE 1",
      "worker EXECUTE 1",
      "worker EXECUTE 2",
      "worker EXECUTE 3",
    ]);
  });

  test("an after_run that fails or takes too long is noted, and fails nothing", async () => {
    const { end, entries } = await runJob(
      { hooks: { after_run: "sleep 600", timeout: "100ms" } },
      { lead: approve },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)[0]).toBe("the hook after_run ran longer than 0.1 s and was stopped");
  });
});
