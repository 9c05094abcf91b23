/** What a dispatched child's turn says to its parent, spoken or not (CfA §5, §6). */
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import { approve, bodies, EXECUTE, inExecute, runJob, write } from "./fixture.ts";

describe.concurrent("what a child's turn says to its parent", () => {
  /** Replies that reach the lead when the worker plays `script`. */
  const repliesOf = async (script: Script, helper: Script = () => "helped"): Promise<readonly string[]> => {
    const replies: string[] = [];
    const done = await runJob(
      { ...EXECUTE, states: { EXECUTE: { escalation: "never" } } },
      {
        lead: async (turn) => {
          if (turn.message.kind === "reply") replies.push(turn.message.body);
          if (turn.turn === 1) await turn.send({ to: "worker", message: "go" });
          else await approve(turn);
        },
        worker: script,
        helper,
      },
    );
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    return replies;
  };

  const rows: readonly (readonly [what: string, script: Script, replies: readonly string[]])[] = [
    ["without a call it sends its final text", () => "all done", ["all done"]],
    [
      "without a word, but with an edit, it says so",
      (turn) => write(turn.workspace, "x.txt", "x"),
      ["(finished without a word)"],
    ],
    [
      "with a message of its own it sends that alone",
      (turn) => turn.send({ to: "parent", message: "my words" }).then(() => "not this"),
      ["my words"],
    ],
    ["with an explicit none it sends nothing", (turn) => turn.sendNone().then(() => "quiet"), []],
    [
      "with an open question it sends nothing until the answer has come",
      async (turn) => {
        if (turn.message.kind === "answer") return `told: ${turn.message.body}`;
        await turn.ask("may I?");
        return "asking";
      },
      [expect.stringContaining("told: Nobody is asked")],
    ],
    [
      "with a child that owes it a reply it sends nothing until that has come",
      async (turn) => {
        if (turn.message.kind === "reply") return `helper said: ${turn.message.body}`;
        await turn.send({ to: "helper", message: "help" });
        return "waiting";
      },
      ["helper said: helped"],
    ],
    [
      "an interim report does not swallow the final text of a later turn",
      async (turn) => {
        if (turn.message.kind === "reply") return "the end";
        await turn.send({ to: "parent", message: "started" });
        await turn.send({ to: "helper", message: "help" });
        return "waiting";
      },
      ["started", "the end"],
    ],
  ];
  for (const [what, script, replies] of rows) {
    test(what, async () => {
      expect(await repliesOf(script)).toEqual(replies);
    });
  }

  test("a child that ended with none leaves a lead that waits for it to be nudged", async () => {
    const { entries, end } = await runJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
      worker: (turn) => turn.sendNone(),
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "violation")).toEqual([
      expect.objectContaining({ problem: expect.stringContaining("without an outcome") }),
    ]);
  });
});
