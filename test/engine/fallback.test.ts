/** The fallback of a role: another agent's program or function runs the turn after a failed one (docs/job.md, "Failures"). */
import { describe, expect, test } from "vitest";
import { approve, bodies, EXECUTE, notes, runJob, shell } from "./fixture.ts";

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
      bodies(entries, "turn").map(({ agent, result, session }) => [agent, result, session === null]),
    ).toEqual([
      ["lead", "failed", false],
      ["lead", "ok", true],
      ["lead", "ok", false],
    ]);
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
