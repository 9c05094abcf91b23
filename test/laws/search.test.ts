/** The random jobs over which the laws are checked go everywhere: else the laws would hold of little. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { complete } from "../../src/rules/table.ts";
import { RandomJob } from "./random-job.ts";

test("random jobs fire every rule, make every outside move, and go deep", () => {
  const seen = new Map<string, number>();
  let deepest = 0;
  for (let seed = 0; seed < 250; seed++) {
    const job = new RandomJob(complete);
    job.run(Array.from({ length: 60 }, (_, at) => seed * 1_000 + at));
    for (const one of job.taken) {
      const name = "move" in one ? one.move.kind : one.redex.rule.id;
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }
    for (const thread of job.threads()) {
      let depth = 0;
      for (let up = job.configuration.parent(thread); up !== undefined; up = job.configuration.parent(up))
        depth++;
      deepest = Math.max(deepest, depth);
    }
  }
  const rules = complete.rules.map(({ id }) => id);
  const moves = ["open", "workspace", "post", "interrupt", "terminate", "rollback"];
  const rare = [...rules, ...moves].filter((name) => (seen.get(name) ?? 0) < 5);
  expect(rare).toEqual([]);
  expect(deepest).toBeGreaterThanOrEqual(3);
});

test("the same seeds make the same job", () => {
  const jobs = [1, 2].map(() => new RandomJob(complete));
  for (const job of jobs) job.run(Array.from({ length: 60 }, (_, at) => at));
  expect(jobs[0]?.lines()).toEqual(jobs[1]?.lines());
  expect(jobs[0]?.drafts()).toEqual(jobs[1]?.drafts());
});

test("the laws are checked on 10,000 cases in all", () => {
  const folder = new URL("./", import.meta.url);
  const laws = readdirSync(folder).filter((file) => file.endsWith(".test.ts"));
  const cases = laws.flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/\bcheck(?:Jobs)?\(([\d_]+),/gu)].map(
      ([, number = ""]) => Number(number.replace("_", "")),
    ),
  );
  expect(cases.reduce((sum, one) => sum + one, 0)).toBe(10_000);
});
