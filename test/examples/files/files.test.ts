/** examples/files: three file-based agents in the shell, of which one fails once and is tried again. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { EntryBody } from "../../../src/persistence/entry.ts";
import { cfa, entriesOf, git, here, read, repository } from "../../cli/fixture.ts";

const JOB = fileURLToPath(new URL("../../../examples/files/job.yaml", import.meta.url));

test("the collector fails once, analyst and writer wait for whom they depend on, and only the report is collected", async () => {
  const top = await repository();
  const run = await cfa(top, "run", JOB, "--repo", ".");
  expect(run.code, run.err).toBe(0);
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  const turns = entries.flatMap(({ kind, body }): EntryBody<"turn">[] => (kind === "turn" ? [body] : []));
  expect(
    turns.flatMap(({ agent, result, work }) => (agent === "lead" ? [] : [[agent, result, work?.state]])),
  ).toEqual([
    ["collector", "failed", "failed"],
    ["collector", "ok", "completed"],
    ["analyst", "ok", "completed"],
    ["writer", "ok", "completed"],
  ]);
  expect(turns.find(({ result }) => result === "failed")).toMatchObject({
    work: { recoverable: true },
    failure: expect.stringContaining("SourceBusy: The source was busy - after three lines"),
    text: expect.stringContaining("# Error Report"),
  });

  const [job = ""] = readdirSync(join(top, ".cfa/jobs"));
  const report = await git(top, "show", `cfa/${job}:REPORT.md`);
  expect(report).toContain("The best region was north.");
  expect(report).toContain("| north | 2 | 430 |");
  const tracked = await git(top, "ls-tree", "-r", "--name-only", `cfa/${job}`);
  expect(tracked).not.toMatch(/totals|sources|summary\.md|status\.json/);

  const homes = join(top, ".cfa/jobs", job, "homes");
  const home = (agent: string) =>
    join(homes, encodeURIComponent(turns.findLast((turn) => turn.agent === agent)?.thread ?? ""));
  expect(read(home("collector"), "kept/1/outbox/partial/data.csv").split("\n")).toHaveLength(5);
  expect(read(home("collector"), "inbox/instructions.md")).toMatch(
    /^# Task: Clean the orders\n[^]*## Requirements\n\n1\. No blanks\n2\. No order without an amount\n/,
  );
  expect(read(home("analyst"), "inbox/instructions.md")).toContain(
    "- `inbox/source_data/data.csv` - outbox/data.csv of collector",
  );
  expect(read(home("writer"), "SKILL.md")).toContain("# Writing");
});
