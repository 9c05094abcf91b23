/** Whether a first turn may start, by how its siblings stand (docs/files-dependencies.md). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { neededBy, type Needs } from "../../../src/runtime/dependencies/needs.ts";
import { readinessOf, type Sibling, waitText } from "../../../src/runtime/dependencies/readiness.ts";
import type { ChildStanding } from "../../../src/runtime/dependencies/standing.ts";

const needs: Needs = {
  depends_on: [{ agent: "collector", outputs: ["outbox/data.json"], copy_to: "inbox/data/" }],
  wait_for: ["collector", "validator"],
};

/** Siblings by agent, as `collector: completed, failed` in the order in which they were opened; the turn is their number. */
function beside(standings: Readonly<Record<string, readonly ChildStanding[]>>) {
  return (agent: string): readonly Sibling[] =>
    (standings[agent] ?? []).map((standing, at) => ({
      thread: `${agent}-${at + 1}`,
      standing,
      turn: at + 1,
    }));
}

describe("is decided by how they stand", () => {
  test.each([
    ["all have completed", { collector: ["completed"], validator: ["completed"] }, "start", ""],
    ["one works", { collector: ["open"], validator: ["completed"] }, "hold", "collector"],
    ["both work", { collector: ["open"], validator: ["open"] }, "hold", "collector, validator"],
    [
      "one has failed and is not closed",
      { collector: ["failed"], validator: ["completed"] },
      "hold",
      "collector (collector-1 has failed, and has not been closed)",
    ],
    ["one was skipped", { collector: ["skipped"], validator: ["completed"] }, "start", ""],
    ["one was never opened", { collector: ["completed"] }, "impossible", "validator"],
    ["one was never opened, though another works", { collector: ["open"] }, "impossible", "validator"],
    [
      "a second one of an agent works",
      { collector: ["completed", "open"], validator: ["completed"] },
      "hold",
      "collector",
    ],
    [
      "one was skipped and its successor works",
      { collector: ["skipped", "open"], validator: ["completed"] },
      "hold",
      "collector",
    ],
  ] as const)("%s", (_name, standings, kind, named) => {
    const readiness = readinessOf(needs, beside(standings), false);
    expect(readiness.kind).toBe(kind);
    if (readiness.kind === "hold") expect(waitText(readiness.waits)).toBe(named);
    if (readiness.kind === "impossible")
      expect(readiness.why).toBe(
        `it needs ${named}, and whoever opened it has not opened it beside it: open it in the same turn`,
      );
  });

  test("while the parent still sends, everything waits: nothing is missing yet, and what has ended may be opened again", () => {
    const sending = readinessOf(needs, beside({ collector: ["skipped"] }), true);
    expect(sending).toEqual({
      kind: "hold",
      waits: [
        { agent: "collector", why: "unsent" },
        { agent: "validator", why: "unsent" },
      ],
    });
  });

  test.each([
    ["the newest that has completed", ["completed", "completed", "skipped"], "completed", 2],
    ["the newest of those that have ended, where none has completed", ["skipped", "skipped"], "skipped", 2],
  ] as const)("an agent stands for %s", (_name, collectors, standing, number) => {
    const readiness = readinessOf(needs, beside({ collector: collectors, validator: ["completed"] }), false);
    expect(readiness).toEqual({
      kind: "start",
      dependencies: {
        ...needs,
        settled: [
          { agent: "collector", standing, thread: `collector-${number}`, turn: number },
          { agent: "validator", standing: "completed", thread: "validator-1", turn: 1 },
        ],
      },
    });
  });
});

/** A graph without a cycle: an agent needs only agents with a smaller number, some of them for their files. */
const graphs = fc
  .integer({ min: 1, max: 9 })
  .chain((size) =>
    fc.tuple(
      ...Array.from({ length: size }, (_, n) =>
        fc
          .subarray(Array.from({ length: n }, (_, at) => at))
          .map((needed) => needed.map((at) => `agent${at}`)),
      ),
    ),
  );

describe("over every graph without a circle, whatever the order in which agents end", () => {
  /** Agents run as soon as they may; `order` picks who ends next, and whether it has completed. */
  function play(
    graph: readonly (readonly string[])[],
    order: () => { readonly pick: number; readonly fails: boolean },
  ) {
    const standing = new Map<string, ChildStanding>(graph.map((_, n) => [`agent${n}`, "open"]));
    const siblingsOf = (agent: string): readonly Sibling[] => [
      { thread: agent, standing: standing.get(agent) ?? "open", turn: 1 },
    ];
    const needsOf = (n: number): Needs => ({
      depends_on: (graph[n] ?? [])
        .slice(0, 1)
        .map((agent) => ({ agent, outputs: ["outbox/x"], copy_to: "inbox/" })),
      wait_for: graph[n] ?? [],
    });
    const started: string[] = [];
    const running: string[] = [];
    const waves: string[][] = [];
    const startAll = () => {
      const wave = graph.flatMap((_, n) => {
        const agent = `agent${n}`;
        if (started.includes(agent) || readinessOf(needsOf(n), siblingsOf, false).kind !== "start") return [];
        expect(neededBy(needsOf(n)).map((needed) => standing.get(needed))).not.toContain("open");
        return [agent];
      });
      started.push(...wave);
      running.push(...wave);
      waves.push(wave);
    };
    startAll();
    while (running.length > 0) {
      const { pick, fails } = order();
      const [ended = ""] = running.splice(pick % running.length, 1);
      standing.set(ended, fails ? "skipped" : "completed");
      startAll();
    }
    return { started, waves };
  }

  test("each starts after all that it needs, independent ones at once, and none is left", () => {
    fc.assert(
      fc.property(
        graphs,
        fc.infiniteStream(fc.record({ pick: fc.nat(), fails: fc.boolean() })),
        (graph, choices) => {
          const { started, waves } = play(graph, () => choices.next().value);
          expect([...started].sort()).toEqual(graph.map((_, n) => `agent${n}`).sort());
          expect(waves[0]).toEqual(graph.flatMap((needed, n) => (needed.length === 0 ? [`agent${n}`] : [])));
        },
      ),
      { numRuns: 300 },
    );
  });
});
