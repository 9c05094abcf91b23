/** The bench compares like with like: on every workload its three interpreters fire as often and end in the same soup. */
import { execa } from "execa";
import { expect, test } from "vitest";
import { z } from "zod";

const finalSchema = z.strictObject({ soup: z.array(z.string()), closed: z.array(z.string()) });
const runSchema = z.strictObject({ reductions: z.int().positive(), final: finalSchema });
const lineSchema = z.strictObject({
  workload: z.string(),
  engine: runSchema,
  mutable: runSchema,
  naive: runSchema,
});

const SIZE = 100;

/** What is left when a workload of SIZE is done: how many molecules, how many closed threads. */
const LEFT = [
  ["chain of N sparks", 4 * SIZE + 2, 3 * SIZE + 2, 0],
  ["fan-out of N with replies", 7 * SIZE + 3, 3 * SIZE + 2, 0],
  ["ping-pong of N messages", 4 * SIZE + 2, 5, 0],
  ["withdrawal of a tree of N threads", 4 * SIZE - 1, 0, SIZE],
  ["one active among N idle", 4 * SIZE + 2, 2 * SIZE + 5, 0],
  ["one mailbox of N messages", 4 * SIZE, 4, 0],
] as const;

const { stdout } = await execa("node", ["bench/check.mjs", String(SIZE)]);
const lines = stdout.split("\n").map((line) => lineSchema.parse(JSON.parse(line)));

test.each(LEFT)(
  "%s: %i reductions leave %i molecules and %i closed threads",
  (name, reductions, left, closed) => {
    const line = lines.find(({ workload }) => workload === name);
    if (line === undefined) expect.unreachable();
    expect(line.engine.reductions).toBe(reductions);
    expect([line.engine.final.soup.length, line.engine.final.closed.length]).toEqual([left, closed]);
    expect(line.mutable).toEqual(line.engine);
    expect(line.naive).toEqual(line.engine);
  },
);

test("no workload is left out", () => {
  expect(lines.map(({ workload }) => workload)).toEqual(LEFT.map(([name]) => name));
});
