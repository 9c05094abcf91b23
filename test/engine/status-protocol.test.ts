/** The A2O protocol sentence by sentence, where a whole job is needed to see it; the bytes of the file are in status-file.test.ts. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Draft } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  inExecute,
  mailOf,
  makePlace,
  namesIn,
  notes,
  read,
  runJob,
  transitions,
  write,
} from "./fixture.ts";

const signal = (turn: ScriptTurn, word: string): void => write(turn.workspace, ".sortie/status", `${word}\n`);

const FIRST: readonly Draft[] = [{ kind: "park", body: { parked: false, why: "resumed", origin: "human" } }];

describe.concurrent("§2.3.3 for both values, the orchestrator", () => {
  test.each(["blocked", "needs-human-review"])("%s", async (word) => {
    const parked = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => {
        write(turn.workspace, "half.txt", "half\n");
        await turn.send({ to: "worker", message: "go" });
        signal(turn, word);
      }, approve),
      worker: () => "done",
    });
    const [turn, ...more] = bodies(parked.entries, "turn");
    // 1. Completes the current turn normally: edits and broadcast are kept.
    expect(turn).toMatchObject({ result: "ok", status: word, commit: expect.any(String) });
    expect(bodies(parked.entries, "fire").map(({ rule }) => rule)).toContain("spark");
    // 2. Breaks the turn loop.
    expect(more).toEqual([]);
    // 3. Exits the worker run with a normal exit status: parked, neither failed nor withdrawn.
    expect(parked.end.kind).toBe("parked");
    expect(bodies(parked.entries, "violation")).toEqual([]);
    // 4. Does not schedule a continuation: no nudge, no recovery mail.
    expect(mailOf(parked.entries, turn?.thread ?? "")).toEqual([]);
    // 5. Releases the claim: another run takes the job up.
    const { engine, place } = parked;
    const scripts = { lead: inExecute(approve, approve), worker: () => "done" };
    const run = await engine.start(definitionOf(place, EXECUTE), { agents: adapters(scripts), first: FIRST });
    expect((await finish({ engine, place, run })).end).toEqual({ kind: "ended", state: "DONE" });
    // 6. Logs the token at info level with the identifier.
    expect(bodies(parked.entries, "note")).toEqual([
      { level: "info", thread: turn?.thread, text: `.sortie/status says ${word}` },
    ]);
  });
});

test("§3.1.1 the file is read before anything else is asked: it stops the run before the outcome of the same turn", async () => {
  const { end, entries } = await runJob(
    {},
    {
      lead: async (turn) => {
        await approve(turn);
        signal(turn, "blocked");
      },
    },
  );
  expect(end.kind).toBe("parked");
  expect(transitions(entries)).toEqual([]);
  const kinds = entries.map(({ kind }) => kind);
  expect(kinds.indexOf("park")).toBeGreaterThan(kinds.indexOf("turn"));
});

describe.concurrent("§3.2 and §3.4 cleanup", () => {
  test("§3.2 cfa never creates or writes it: after a job that says nothing there is no .sortie", async () => {
    const seen: string[] = [];
    await runJob(
      {},
      {
        lead: (turn) => {
          seen.push(String(existsSync(join(turn.workspace, ".sortie"))));
          return approve(turn);
        },
      },
    );
    expect(seen).toEqual(["false", "false", "false"]);
  });

  test("§3.4 the file is deleted before a dispatch, .sortie/ with all else is left", async () => {
    const seen: (readonly string[])[] = [];
    await runJob(
      {},
      {
        lead: (turn) => {
          seen.push(namesIn(join(turn.workspace, ".sortie")));
          write(turn.workspace, ".sortie/metrics", "1\n");
          signal(turn, "unknown");
          return approve(turn);
        },
      },
    );
    expect(seen).toEqual([[], ["metrics"], ["metrics"]]);
  });

  test("§3.4 before the before_run hook, whose own word survives and is read after the turn", async () => {
    const place = makePlace();
    const seen: string[] = [];
    const { end, entries } = await runJob(
      {
        hooks: {
          before_run: "test ! -e .sortie/status && mkdir -p .sortie && echo blocked > .sortie/status",
        },
      },
      {
        lead: (turn) => {
          seen.push(read(turn.workspace, ".sortie/status"));
          return approve(turn);
        },
      },
      { place },
    );
    expect(seen).toEqual(["blocked\n"]);
    expect(end).toMatchObject({ kind: "parked", why: expect.stringContaining("blocked in .sortie/status") });
    expect(notes(entries)).toEqual([".sortie/status says blocked"]);
  });
});

describe.concurrent("§4.1 the protocol in the prompt", () => {
  test("last in the first turn of a conversation, never in a continuation, again after a soft stop", async () => {
    const told: [string, boolean][] = [];
    const hear = (turn: ScriptTurn) =>
      void told.push([
        `${turn.agent} ${turn.turn}`,
        turn.instructions.endsWith("while work goes on normally."),
      ]);
    const worker: Script = (turn) => {
      hear(turn);
      if (turn.turn === 2) signal(turn, "blocked");
      return turn.turn === 2 ? undefined : "done";
    };
    const { end } = await runJob(EXECUTE, {
      lead: async (turn) => {
        hear(turn);
        const thread = turn.children[0]?.thread;
        if (turn.turn > 3) return approve(turn);
        await turn.send({
          to: "worker",
          ...(thread === undefined ? {} : { thread }),
          message: `${turn.turn}`,
        });
        return undefined;
      },
      worker,
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const ofAgent = (name: string) => told.filter(([who]) => who.startsWith(name)).map(([, last]) => last);
    expect(ofAgent("worker")).toEqual([true, false, true]);
    const [first, ...later] = ofAgent("lead");
    expect([first, new Set(later)]).toEqual([true, new Set([false])]);
  });
});

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

  test("an after_run that fails or takes too long is noted, and fails nothing", async () => {
    const { end, entries } = await runJob(
      { hooks: { after_run: "sleep 600", timeout: "100ms" } },
      { lead: approve },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)[0]).toBe("the hook after_run ran longer than 0.1 s and was stopped");
  });
});

test.each([
  [1, "DONE"],
  [2, "parked"],
])("status_tokens: %i and no-change-needed: %s", async (version, becomes) => {
  const { end, entries } = await runJob(
    { status_tokens: version },
    {
      lead: (turn) => {
        if (turn.state === "INTENT") signal(turn, "no-change-needed");
        return approve(turn);
      },
    },
  );
  expect(end.kind === "ended" ? end.state : end.kind).toBe(becomes);
  if (version === 2)
    expect(end).toMatchObject({ why: expect.stringMatching(/^lead finds that nothing has to be changed/) });
  else
    expect(notes(entries)[0]).toMatch(
      /says "no-change-needed", which is none of blocked, needs-human-review: ignored/,
    );
});
