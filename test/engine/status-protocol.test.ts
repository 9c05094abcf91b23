/** The A2O protocol sentence by sentence, where a whole job is needed to see it; the bytes of the file are in status-file.test.ts. */
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
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

describe.concurrent("§3.1.1 the file is read before anything else is asked", () => {
  test("1. the signal is available immediately after the turn: it stands in the very entry that ends it", async () => {
    const { entries } = await runJob({}, { lead: (turn) => signal(turn, "blocked") });
    const at = entries.findIndex(({ kind }) => kind === "turn");
    const turn = entries[at];
    expect(turn?.kind === "turn" && turn.body.status).toBe("blocked");
    expect(entries.slice(at).filter(({ kind }) => kind === "park")).toMatchObject([{ round: turn?.round }]);
  });

  test("2. nothing is asked in vain: between the end of the turn and the stop nobody is told, nudged or judged", async () => {
    const { entries } = await runJob({}, { lead: (turn) => signal(turn, "blocked") });
    const at = entries.findIndex(({ kind }) => kind === "turn");
    expect(entries.slice(at + 1).map(({ kind }) => kind)).toEqual(["fire", "park"]);
  });

  test("3. with a terminal outcome at the same time the soft stop comes first, and nothing is lost", async () => {
    const lead: Script = async (turn) => {
      await turn.outcome("WITHDRAW", "nothing to do");
      signal(turn, "blocked");
    };
    const parked = await runJob({}, { lead });
    expect(parked.end.kind).toBe("parked");
    expect(transitions(parked.entries)).toEqual([]);
    const { engine, place } = parked;
    const run = await engine.start(definitionOf(place, {}), { agents: adapters({ lead }), first: FIRST });
    const { end, entries } = await finish({ engine, place, run });
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(bodies(entries, "turn")).toHaveLength(1);
  });
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

  test("§3.2 nor does one agent write it for another: it is no file that a message takes along", async () => {
    const { end, entries } = await runJob(EXECUTE, {
      lead: async (turn) => {
        if (turn.turn > 1) return approve(turn);
        await turn.send({ to: "worker", message: "go" });
        return undefined;
      },
      worker: async (turn) => {
        signal(turn, "blocked");
        const reply = { to: "parent", message: "done", files: [".sortie/status"] };
        await expect(turn.send(reply)).rejects.toThrow("belongs to the status file");
        rmSync(join(turn.workspace, ".sortie"), { recursive: true });
        return "done";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)).toEqual([expect.stringMatching(/cfa send was refused: .*status file/)]);
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

describe.concurrent("§3.4 what the cleanup must not touch", () => {
  test("a link is neither followed nor removed: a warning, and the turn goes on", async () => {
    const place = makePlace();
    write(place.files, "outside", "blocked\n");
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 5 } },
      {
        lead: (turn) => {
          if (turn.turn > 1) return approve(turn);
          mkdirSync(join(turn.workspace, ".sortie"));
          symlinkSync(join(place.files, "outside"), join(turn.workspace, ".sortie/status"));
          return "linked";
        },
      },
      { place },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)).toEqual([
      expect.stringMatching(/^\.sortie\/status is ignored: .*link/),
      expect.stringMatching(/^\.sortie\/status of an earlier turn was not removed: it is a link/),
      expect.stringMatching(/^\.sortie\/status is ignored: .*link/),
    ]);
    expect(read(place.files, "outside")).toBe("blocked\n");
  });

  test("a removal that fails is said and ignored", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 5 } },
      {
        lead: (turn) => {
          if (turn.turn > 1) return approve(turn);
          write(turn.workspace, ".sortie/status/file", "x");
          return "made a directory";
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)[1]).toMatch(/was not removed: (EISDIR|EPERM)/);
  });

  test("a stale word of a run before does not affect a new dispatch: neither the tree's nor a child's, which has none", async () => {
    const seen: string[] = [];
    const look = (turn: ScriptTurn) =>
      void seen.push(`${turn.agent} ${existsSync(join(turn.workspace, ".sortie"))}`);
    const { end } = await runJob(EXECUTE, {
      lead: async (turn) => {
        look(turn);
        if (turn.turn > 1) return approve(turn);
        write(turn.workspace, ".sortie/metrics", "1\n");
        write(turn.workspace, ".sortie/status", "later\n");
        await turn.send({ to: "worker", message: "go" });
        return undefined;
      },
      worker: (turn) => {
        look(turn);
        return "done";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(seen).toEqual(["lead false", "worker false", "lead true"]);
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
