/** The graph of needs: whom an agent names, and where agents wait for each other in a circle (docs/files-dependencies.md). */
import { expect, test } from "vitest";
import { cycleIn, neededBy } from "../../../src/runtime/dependencies/needs.ts";
import { placeOf } from "../../../src/runtime/dependencies/place.ts";

test("an agent that is named in depends_on and in wait_for is needed once", () => {
  const depends_on = [
    { agent: "collector", outputs: ["outbox/a"], copy_to: "inbox/" },
    { agent: "collector", outputs: ["outbox/b"], copy_to: "inbox/b/" },
  ];
  expect(neededBy({ depends_on, wait_for: ["validator", "collector"] })).toEqual(["collector", "validator"]);
  expect(neededBy({ depends_on: [], wait_for: [] })).toEqual([]);
});

test.each([
  ["nobody", {}, undefined],
  ["a chain", { a: ["b"], b: ["c"], c: [] }, undefined],
  ["two ways to one agent", { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }, undefined],
  ["an agent that nobody describes", { a: ["ghost"] }, undefined],
  ["itself", { a: ["a"] }, ["a", "a"]],
  ["two", { a: ["b"], b: ["a"] }, ["a", "b", "a"]],
  [
    "a circle behind a chain: only the circle is named",
    { x: ["a"], a: ["b"], b: ["c"], c: ["a"] },
    ["a", "b", "c", "a"],
  ],
  ["a circle that the first agent has no part in", { x: [], a: ["b"], b: ["a"] }, ["a", "b", "a"]],
])("the circle of %s", (_name, graph, cycle) => {
  expect(cycleIn(new Map<string, readonly string[]>(Object.entries(graph)))).toEqual(cycle);
});

test.each([
  ["outbox/data.json", "inbox/source_data/", "inbox/source_data/data.json"],
  ["outbox/data.json", "inbox/source_data", "inbox/source_data/data.json"],
  ["outbox/data.json", "inbox/", "inbox/data.json"],
  ["outbox/data/a.csv", "inbox/in/", "inbox/in/data/a.csv"],
  ["outbox/data/", "inbox/in/", "inbox/in/data"],
])("%s copied to %s stands at %s", (output, copyTo, place) => {
  expect(placeOf(output, copyTo)).toBe(place);
});
