import { expect, test } from "vitest";
import { KeyedQueue } from "../../../src/runtime/workspaces/queue.ts";

/** A promise with its settler. */
function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test("Q1: work on one name runs one at a time, in the order of the calls", async () => {
  const queue = new KeyedQueue();
  const first = deferred();
  const seen: string[] = [];
  const runs = [
    queue.run("a", async () => {
      seen.push("first begins");
      await first.promise;
      seen.push("first ends");
    }),
    queue.run("a", async () => void seen.push("second")),
    queue.run("a", async () => void seen.push("third")),
  ];
  await queue.run("b", async () => void seen.push("other name"));
  first.resolve();
  await Promise.all(runs);
  expect(seen).toEqual(["first begins", "other name", "first ends", "second", "third"]);
});

test("Q2: a failure reaches its caller and does not hold up the next", async () => {
  const queue = new KeyedQueue();
  const failing = queue.run("a", async () => Promise.reject(new Error("no")));
  const next = queue.run("a", async () => 2);
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe(2);
});
