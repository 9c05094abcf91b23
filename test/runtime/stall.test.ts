/** The watch for stalls around the run of an agent. */
import { expect, test } from "vitest";
import { watched } from "../../src/runtime/turn.ts";
import type { Clock } from "../../src/runtime/clock.ts";

test("an agent that breaks is watched no more: nothing keeps the process waiting", async () => {
  let waiting = 0;
  const clock: Clock = {
    now: () => new Date(0),
    timer: () => {
      waiting += 1;
      return () => void (waiting -= 1);
    },
  };
  const limit = { limit: 300_000, exempt: () => false };
  const broken = watched(
    clock,
    limit,
    new AbortController().signal,
    () => {},
    async (_until, heard) => {
      heard({ kind: "line", text: "begun" });
      expect(waiting).toBe(1);
      throw new Error("no such folder");
    },
  );
  await expect(broken).rejects.toThrow("no such folder");
  expect(waiting).toBe(0);
});
