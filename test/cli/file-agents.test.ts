/** A lead that speaks in files, and what `cfa status` says of it from another process while it works. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cfa, here, repository, start } from "./fixture.ts";

/** Works in EXECUTE until `go` exists. */
const lead = (go: string) => `
  say() { printf '{"state": "%s", "started": "2026-01-01T10:00:00Z"%s}' "$1" "$2" >s.json; mv s.json status.json; }
  say running ', "progress": {"current_step": "half", "steps_completed": 1, "total_steps": 2}, "metrics": {"files": 7}'
  until [ "$CFA_STATE" != EXECUTE ] || [ -e "${go}" ]; do sleep 0.05; done
  echo work >outbox/work.txt; echo "Done." >outbox/summary.md
  case $CFA_STATE in EXECUTE) word=APPROVED_WORK ;; *) word=APPROVED_$CFA_STATE ;; esac
  cfa outcome "$word" --reason ok
  say completed`;

test("its progress is in cfa status while it works, and it ends the states by its outcome like any other", async () => {
  const top = await repository();
  const go = join(top, "go");
  const agents = { lead: { adapter: "files", run: ["sh", "-ec", lead(go)], sandbox: "advisory" } };
  writeFileSync(join(top, "job.yaml"), JSON.stringify({ request: "Do it.", agents }));
  const running = start(top, "run", "job.yaml");
  await running.seen("EXECUTE starts turn 1");
  await expect
    .poll(async () => (await here(top, "status")).out, { timeout: 60_000 })
    .toMatch(/^└─ ● lead {2}EXECUTE {2}running {2}turn 1 .* half 1\/2, files 7$/mu);
  const told = JSON.parse((await here(top, "status", "--json")).out);
  expect(Object.values(told.progress)).toEqual(["half 1/2, files 7"]);
  writeFileSync(go, "");
  expect((await running.end()).code).toBe(0);
  expect((await here(top, "status")).out).not.toContain("half 1/2");
  expect((await cfa(top, "verify")).code).toBe(0);
});
