/** The anchor of the scheduler: it waits for nothing, loses nothing at the end, and reports what could not be written. */
import { expect, test } from "vitest";
import { Anchor } from "../../src/runtime/anchor.ts";

/** A place that takes each anchor when it is told to. */
function place() {
  const written: number[] = [];
  const waiting: (() => void)[] = [];
  const port = async (seq: number): Promise<void> => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    written.push(seq);
  };
  const next = async (): Promise<void> => {
    waiting.shift()?.();
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { port, written, next };
}

const at = (seq: number) => ({ seq, hash: String(seq) });

test("while one is written, only the newest of those that come is remembered", async () => {
  const { port, written, next } = place();
  const anchor = new Anchor(port);
  for (const seq of [1, 2, 3, 4]) anchor.move(at(seq));
  await next();
  await next();
  expect(written).toEqual([1, 4]);
});

test("settling waits for the newest, and writes nothing that is there already", async () => {
  const { port, written, next } = place();
  const anchor = new Anchor(port);
  anchor.move(at(1));
  const settled = anchor.settle(at(2));
  await next();
  await next();
  await settled;
  await anchor.settle(at(2));
  expect(written).toEqual([1, 2]);
});

test("what could not be written is reported by the next move, or by settling", async () => {
  const anchor = new Anchor(() => Promise.reject(new Error("no room")));
  anchor.move(at(1));
  await anchor.rest();
  expect(() => anchor.move(at(2))).toThrow("no room");
  await expect(anchor.settle(at(3))).rejects.toThrow("no room");
});

test("without a place nothing happens", async () => {
  const anchor = new Anchor(undefined);
  anchor.move(at(1));
  await anchor.settle(at(2));
});
