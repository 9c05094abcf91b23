/** docs/log.md names exactly the entry kinds that there are, each with exactly its fields. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bodySchemas } from "../../src/persistence/entry.ts";

const page = readFileSync(new URL("../../docs/log.md", import.meta.url), "utf8");

/** The rows of the table of kinds: kind, meaning, fields, writer, whether it changes the configuration. */
const table = page
  .slice(page.indexOf("## Kinds"), page.indexOf("## Order"))
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const words = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);

test("the kinds are those of the schemas, in their order", () => {
  expect(table.map(([kind]) => words(kind!)[0])).toEqual(Object.keys(bodySchemas));
});

test.each(Object.entries(bodySchemas))("the fields of %s are those of its schema", (kind, schema) => {
  const row = table.find(([first]) => first === `\`${kind}\``);
  expect(words(row?.[2] ?? "").toSorted()).toEqual(Object.keys(schema.shape).toSorted());
});

test("every kind says who writes it and whether it changes the configuration", () => {
  for (const [kind, meaning, , writer, changes] of table) {
    expect(meaning, kind).not.toBe("");
    expect(writer, kind).not.toBe("");
    expect(["yes", "no"], kind).toContain(changes);
  }
});
