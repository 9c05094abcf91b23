/** The start of a job clears away what jobs that are gone have left, and says so in its log. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approve, finish, git, makePlace, notes, refsBelow, runJob, startJob, until } from "./fixture.ts";

test("refs and worktrees of a job whose folder was removed go when the next one starts; its log says so", async () => {
  const place = makePlace();
  const first = await startJob({ request: "one" }, { lead: approve }, { place });
  await until(first.run, "transition");
  first.run.stop();
  await first.run.end;
  expect(refsBelow(place.top, `refs/cfa/${first.run.id}`)).not.toEqual([]);
  rmSync(join(place.top, ".cfa"), { recursive: true });
  const { entries, end } = await runJob({ request: "two" }, { lead: approve }, { place });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(notes(entries)).toEqual([
    expect.stringMatching(
      new RegExp(
        `^cleared away 1 worktree and \\d+ private refs of job ${first.run.id}, which no log names any more$`,
        "u",
      ),
    ),
  ]);
  expect(refsBelow(place.top, `refs/cfa/${first.run.id}`)).toEqual([]);
  expect(git(place.top, "branch", "--list", `cfa/${first.run.id}`)).not.toBe("");
});

test("a job that somebody runs at that time is left alone", async () => {
  const place = makePlace();
  const forever = { lead: () => new Promise<string>(() => undefined) };
  const first = await startJob({ request: "one" }, forever, { place });
  await until(first.run, "start");
  const second = await startJob({ request: "two" }, { lead: approve }, { place });
  expect(await second.run.end).toEqual({ kind: "ended", state: "DONE" });
  expect(refsBelow(place.top, `refs/cfa/${first.run.id}`)).toContain("base");
  await first.run.withdraw("enough");
  expect((await finish(first)).end).toEqual({ kind: "ended", state: "WITHDRAWN" });
});
