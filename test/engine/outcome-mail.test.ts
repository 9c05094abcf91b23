/** A record left while mail waits: only an approval gives way to it (CfA §4). */
import { describe, expect, test } from "vitest";
import {
  EXECUTE,
  approve,
  bodies,
  finish,
  gate,
  reached,
  record,
  startJob,
  transitions,
  until,
} from "./fixture.ts";

describe.concurrent("mail that waits when the turn ends", () => {
  /** A lead whose first turn leaves `word` while mail from the human waits, and that approves afterwards. */
  const withMail = async (word: string, retries: number) => {
    const [begun, told] = [gate(), gate()];
    const started = await startJob(
      { ...EXECUTE, limits: { retries } },
      {
        lead: async (turn) => {
          if (turn.state !== "EXECUTE" || turn.turn > 1) return approve(turn);
          begun.open();
          await told.passed;
          return record(turn, JSON.stringify({ outcome: word, reason: "because" }));
        },
      },
    );
    await reached(started.run, begun);
    await started.run.tell("one thing more");
    await until(started.run, "act");
    told.open();
    return finish(started);
  };

  test("does not hide a violation", async () => {
    const { end, entries } = await withMail("APPROVED_INTENT", 0);
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "turn")).toHaveLength(1);
  });

  test("does not hold up a backtrack", async () => {
    const { entries } = await withMail("REPLAN", 0);
    expect(transitions(entries)).toContain("EXECUTE REPLAN PLAN (skill)");
    expect(bodies(entries, "turn").filter(({ thread }) => thread.includes(":EXECUTE:1"))).toHaveLength(1);
  });

  test("holds an approval: the lead wakes on the mail and approves again", async () => {
    const { entries, end } = await withMail("APPROVED_WORK", 0);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").map(({ turn }) => turn)).toEqual([1, 2]);
    expect(bodies(entries, "transition").at(-1)?.reason).toBe("good");
  });
});
