/** Calls that are refused: early, at the call, or late, as mail (CfA §6). */
import { describe, expect, test } from "vitest";
import type { ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import { approve, bodies, EXECUTE, firings, inExecute, runJob } from "./fixture.ts";
import { jobOf, refusalOf, taskCall, writeCall } from "./outbox.ts";

describe.concurrent("refused at the call, with a sentence that says what to do", () => {
  const rows: readonly (readonly [
    what: string,
    call: (turn: ScriptTurn) => Promise<unknown>,
    sentence: string,
  ])[] = [
    [
      "a send to an unknown role",
      (turn) => turn.send({ to: "baker", message: "x" }),
      'there is no "baker" that you may send to',
    ],
    [
      "a send to itself",
      (turn) => turn.send({ to: "lead", thread: turn.thread, message: "x" }),
      "you cannot send to yourself",
    ],
    [
      "a send to a parent that a lead has not",
      (turn) => turn.send({ to: "parent", message: "x" }),
      "you lead this state",
    ],
    ["closing its own conversation", (turn) => turn.close(turn.thread), "only who opened one may close it"],
    [
      "closing what is not its own",
      (turn) => turn.close("dispatch:9.9.9"),
      "is no conversation that you opened",
    ],
    ["an outcome of another state", (turn) => turn.outcome("APPROVED_PLAN", "x"), "is no outcome of EXECUTE"],
    ["an empty message", (turn) => turn.send({ to: "worker", message: " " }), "the message is empty"],
    [
      "a file outside",
      (turn) => turn.send({ to: "worker", message: "x", files: ["../x"] }),
      "is no file of your workspace",
    ],
  ];
  for (const [what, call, sentence] of rows) {
    test(what, async () => {
      let answer = "";
      const { end, entries } = await runJob(EXECUTE, {
        lead: async (turn) => {
          answer = await refusalOf(call(turn));
          return approve(turn);
        },
      });
      expect(answer).toContain(sentence);
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(firings(entries)).not.toContain("refuse");
    });
  }

  test("a send to a closed thread names the way out", async () => {
    let answer = "";
    await runJob(EXECUTE, {
      lead: inExecute(
        async (turn) => void (await turn.send({ to: "worker", message: "go" })),
        async (turn) => {
          const child = turn.children[0]?.thread ?? "";
          await turn.close(child);
          answer = await refusalOf(turn.send({ to: "worker", thread: child, message: "more" }));
        },
        approve,
      ),
      worker: () => "done",
    });
    expect(answer).toMatch(/is closed: leave --thread out to open a new one/u);
  });
});

describe.concurrent("refused late, as mail", () => {
  test.each([
    ["a role outside the roster", (turn: ScriptTurn) => taskCall(turn, 1, "helper"), "not in your roster"],
    [
      "a close of what is not its own",
      () => ({ verb: "close", thread: "dispatch:7.7.7" }),
      "not a conversation that you opened",
    ],
  ] as const)("%s", async (_what, call, sentence) => {
    const heard: string[] = [];
    const { end } = await runJob(EXECUTE, {
      lead: (turn) => {
        if (turn.turn > 1) {
          heard.push(`${turn.message.kind}: ${turn.message.body}`);
          return approve(turn);
        }
        writeCall(turn, 1, call(turn));
        return "sent";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatch(/^refusal: /u);
    expect(heard[0]).toMatch(new RegExp(sentence, "u"));
  });

  test("a send that goes on with a conversation that never was is named in the log: no agent invents the id of a thread", async () => {
    const { end, entries, run } = await runJob(EXECUTE, {
      lead: (turn) => {
        if (turn.turn > 1) return approve(turn);
        const thread = `state:${jobOf(turn)}:PLAN:2`;
        writeCall(turn, 1, { ...taskCall(turn, 1), thread, opens: false });
        return "sent";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "note")).toEqual([
      expect.objectContaining({ level: "warn", text: expect.stringContaining(`state:${run.id}:PLAN:2`) }),
    ]);
    expect(firings(entries).filter((rule) => rule === "spark")).toHaveLength(1);
  });

  test("an agent that only repeats refused messages fails its turn after `retries` of them", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 1 } },
      {
        lead: (turn) => {
          writeCall(turn, 1, taskCall(turn, 1, "baker"));
          return "again";
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    const failures = bodies(entries, "turn").map(({ failure }) => failure);
    expect(failures.slice(0, 2)).toEqual([null, null]);
    expect(failures[2]).toContain("2 of its messages in a row were refused");
  });
});
