/** Agents inside cfa: functions and lists of steps, which talk back through the outbox as programs do. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TurnEvent, TurnFacts, TurnRequest } from "../../../src/runtime/agents/port.ts";
import { scriptStepsSchema, type ScriptSteps } from "../../../src/runtime/agents/script-steps.ts";
import { Refusal, type Script } from "../../../src/runtime/agents/script-turn.ts";
import { scriptAgent } from "../../../src/runtime/agents/script.ts";
import { readOutbox } from "../../../src/runtime/outbox-store.ts";
import { PLAIN_TURN } from "../plain-turn.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cfa-script-"));
  for (const name of ["work", "out"]) mkdirSync(join(home, name));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function factsOf(over: Partial<TurnFacts> = {}): TurnFacts {
  return {
    job: "j",
    thread: "state:j:PLAN:0",
    turn: 1,
    agent: "lead",
    serial: 2,
    state: "PLAN",
    lead: true,
    roster: ["writer"],
    parent: null,
    children: [],
    closed: [],
    cap: 2,
    overCap: "refuse",
    policy: "never",
    outcomes: ["APPROVED_PLAN"],
    workspace: join(home, "work"),
    ...PLAIN_TURN,
    ...over,
  };
}

function run(
  script: Script | ScriptSteps,
  over: Partial<TurnRequest> = {},
  report: (event: TurnEvent) => void = () => {},
) {
  const request: TurnRequest = {
    facts: factsOf(),
    message: { id: "m", from: null, kind: "task", body: "plan it" },
    prompt: "prompt",
    instructions: "",
    session: undefined,
    workspace: join(home, "work"),
    outbox: join(home, "out"),
    stream: join(home, "stream"),
    entry: "draft",
    artifacts: {},
    timeout: 60_000,
    signal: new AbortController().signal,
    ...over,
  };
  return scriptAgent(script).run(request, report);
}

const entries = async () => (await readOutbox(join(home, "out"))).entries;

describe("a function", () => {
  test("returns the final text; its thread is its session", async () => {
    const events: TurnEvent[] = [];
    expect(
      await run(
        ({ message }) => `${message.body}: done`,
        {},
        (event) => events.push(event),
      ),
    ).toEqual({
      stop: "ended",
      text: "plan it: done",
      session: "state:j:PLAN:0",
      usage: { tokens: null, usd: null },
    });
    expect(readFileSync(join(home, "stream"), "utf8")).toBe("plan it: done\n");
    expect(events).toEqual([
      { kind: "started", pid: null, started: null },
      { kind: "line", text: "plan it: done" },
    ]);
  });

  test("returns nothing and says nothing", async () => {
    expect(await run(() => {})).toMatchObject({ stop: "ended", text: "" });
  });

  test("makes the calls that a program makes", async () => {
    const ids: string[] = [];
    await run(async (turn) => {
      const child = await turn.send({ to: "writer", message: "go", optional: true });
      ids.push(child, await turn.ask("which?"));
      await turn.close(child);
      await turn.sendNone();
      await turn.outcome("APPROVED_PLAN", "done");
    });
    expect(ids).toEqual(["dispatch:2.1.1", "q2.1.2"]);
    expect((await entries()).map(({ verb }) => verb)).toEqual(["send", "ask", "close", "none"]);
    expect(readFileSync(join(home, "work/.cfa/outcome.json"), "utf8")).toContain("APPROVED_PLAN");
  });

  test.each<readonly [string, Script, RegExp]>([
    ["an unknown role", ({ send }) => send({ to: "painter", message: "go" }), /no "painter"/],
    ["a stranger's thread", ({ close }) => close("dispatch:9.9.9"), /no conversation that you opened/],
    ["an empty question", ({ ask }) => ask(""), /question is empty/],
    ["an outcome of another state", ({ outcome }) => outcome("REPLAN", "x"), /no outcome of PLAN/],
  ])("is refused %s; uncaught, that fails the turn", async (_, script, sentence) => {
    expect(await run(script)).toMatchObject({ stop: "failed", failure: expect.stringMatching(sentence) });
    expect(await entries()).toEqual([]);
  });

  test("may catch a refusal and do something else", async () => {
    const result = await run(async (turn) => {
      const refused = await turn.send({ to: "painter", message: "go" }).catch((error: unknown) => error);
      return refused instanceof Refusal ? "alone, then" : "together";
    });
    expect(result).toMatchObject({ stop: "ended", text: "alone, then" });
  });

  test("that throws has failed with its sentence", async () => {
    const result = await run(() => {
      throw new Error("out of ideas");
    });
    expect(result).toMatchObject({ stop: "failed", failure: "out of ideas", text: "" });
  });

  test.each([
    ["aborted", { signal: AbortSignal.abort() }, { stop: "aborted" }],
    [
      "out of time",
      { timeout: 1 },
      { stop: "failed", failure: "the script ran longer than its time-out of 0.001 s" },
    ],
  ])("that never ends is left when %s, and can do nothing more", async (_, over, result) => {
    let goOn = () => {};
    let late: Promise<void> = Promise.resolve();
    const script: Script = (turn) => {
      late = new Promise<void>((resolve) => (goOn = resolve)).then(() => turn.sendNone());
      return late;
    };
    expect(await run(script, over)).toMatchObject(result);
    goOn();
    await expect(late).rejects.toThrow(/this turn has ended/);
    expect(await entries()).toEqual([]);
  });
});

describe("a list of steps", () => {
  test.each<readonly [string, ScriptSteps[number]["on"], Partial<TurnRequest>, boolean]>([
    ["without condition", undefined, {}, true],
    ["in its state", { state: "PLAN" }, {}, true],
    ["in another state", { state: "EXECUTE" }, {}, false],
    ["in its turn", { turn: 1 }, {}, true],
    ["in another turn", { turn: 2 }, {}, false],
    ["at its entry", { entry: "draft" }, {}, true],
    ["at another entry", { entry: "align" }, {}, false],
    ["on a message that matches", { match: "^pl.n" }, {}, true],
    ["on one that does not", { match: "^it" }, {}, false],
    ["when one of two conditions fails", { state: "PLAN", turn: 2 }, {}, false],
  ])("takes a step %s: %s", async (_, on, over, taken) => {
    const { text } = await run([{ on, say: "taken" }], over);
    expect(text).toBe(taken ? "taken" : "");
  });

  test("takes the first step that fits", async () => {
    expect((await run([{ on: { turn: 9 }, say: "a" }, { say: "b" }, { say: "c" }])).text).toBe("b");
  });

  test("writes, closes, sends, asks, decides and speaks in this order", async () => {
    const children = ["dispatch:2.0.1", "dispatch:2.0.2"].map((thread) => ({ agent: "writer", thread }));
    const step: ScriptSteps[number] = {
      say: "spoken",
      outcome: { name: "APPROVED_PLAN", reason: "done" },
      ask: "which?",
      send: [
        { to: "writer", message: "go" },
        { to: "writer", message: "on", thread: "last" },
      ],
      close: ["last"],
      write: { "a/b.txt": "text" },
    };
    expect(await run([step], { facts: factsOf({ children }) })).toMatchObject({
      stop: "ended",
      text: "spoken",
    });
    expect(readFileSync(join(home, "work/a/b.txt"), "utf8")).toBe("text");
    expect(await entries()).toMatchObject([
      { verb: "close", thread: "dispatch:2.0.2" },
      { verb: "send", thread: "dispatch:2.1.2", opens: true },
      { verb: "send", thread: "dispatch:2.1.2", opens: false, message: "on" },
      { verb: "ask", question: "q2.1.4" },
    ]);
  });

  test("closes all that is open", async () => {
    const children = ["t1", "t2"].map((thread) => ({ agent: "writer", thread }));
    await run([{ close: ["all"] }], { facts: factsOf({ children }) });
    expect(await entries()).toEqual(["t1", "t2"].map((thread) => ({ verb: "close", thread })));
  });

  test("reaches the parent by its word", async () => {
    const parent = { agent: "boss", thread: "state:j:PLAN:9" };
    await run([{ send: [{ to: "boss", message: "done", thread: "parent" }] }], {
      facts: factsOf({ lead: false, parent }),
    });
    expect(await entries()).toMatchObject([{ to: "boss", thread: "state:j:PLAN:9", opens: false }]);
  });

  test.each<readonly [string, ScriptSteps[number], RegExp]>([
    ["on purpose", { fail: "as planned" }, /^as planned$/],
    ["when nothing is open for last", { close: ["last"] }, /no open conversation that "last" could mean/],
    ["when a call is refused", { send: [{ to: "painter", message: "go" }] }, /no "painter"/],
  ])("fails %s", async (_, step, failure) => {
    expect(await run([step])).toMatchObject({ stop: "failed", failure: expect.stringMatching(failure) });
  });

  test.each<readonly [string, unknown, boolean]>([
    ["an empty step", [{}], true],
    ["no step", [], false],
    ["an unknown key", [{ shout: "x" }], false],
    ["a pattern that is none", [{ on: { match: "(" } }], false],
    ["a path above the workspace", [{ write: { "a/../../b": "x" } }], false],
    ["an absolute path", [{ write: { "/etc/passwd": "x" } }], false],
    ["an outcome without reason", [{ outcome: { name: "REPLAN" } }], false],
  ])("is validated: %s", (_, steps, valid) => {
    expect(scriptStepsSchema.safeParse(steps).success).toBe(valid);
  });
});
