/** What the verbs of agents load: they are called often, and must start fast. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { MAIN } from "./fixture.ts";

/** Packages and modules that a built module loads, directly or not, before any `await import`. */
function loads(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, "utf8");
  for (const [, name = ""] of source.matchAll(/^(?:import|export) (?:[^;"']*? from )?["']([^"']+)["'];$/gm)) {
    if (name.startsWith(".")) loads(join(dirname(file), name), seen);
    else seen.add(name);
  }
  return seen;
}

const packagesOf = (file: string) =>
  [...loads(join(dirname(MAIN), file))]
    .filter((name) => !name.startsWith("/") && !name.startsWith("node:"))
    .sort();

test("the bin loads only what every command needs", () => {
  expect(packagesOf("main.js")).toEqual(["commander"]);
});

test.each(["send", "ask", "close", "outcome"])("cfa %s loads zod and nothing heavier", (verb) => {
  expect(packagesOf(`../channels/verbs/${verb}.js`)).toEqual(["zod"]);
});

test("cfa resolve loads what running git needs, and no database", () => {
  const packages = packagesOf("../channels/verbs/resolve.js");
  expect(packages).toContain("execa");
  for (const heavy of ["better-sqlite3", "xstate", "immer"]) expect(packages).not.toContain(heavy);
});
