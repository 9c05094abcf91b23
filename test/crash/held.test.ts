/** A turn that waits for another agent, and a SIGKILL of the engine meanwhile: after the resume it starts when that agent has completed. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { cfa, file, killAtSignal, signal, top } from "./signalled.ts";

const agent = (line: string, more: object = {}) => ({
  run: ["sh", "-ec", line],
  sandbox: "advisory",
  ...more,
});
const SAY = `say() { printf '{"state": "%s", "started": "2026-01-01T10:00:00Z"}' "$1" >s.json; mv s.json status.json; }`;

/** The collector hangs in its first turn; the analyst copies what the collector has delivered. */
function writeJob(): void {
  const lead = `read -r first || true
    case $first in
    "[reply from analyst "*) cfa close dispatch:1.1.1; cfa close dispatch:1.1.2; cfa outcome APPROVED_WORK --reason ok;;
    "["*) echo noted;;
    *) cfa send --to collector collect; cfa send --to analyst sum;;
    esac`;
  const collector = `${SAY}
    say running; [ $CFA_TURN != 1 ] || { echo yes >${signal()}; while :; do sleep 1000; done; }
    echo 42 >outbox/data; echo got >outbox/summary.md; say completed`;
  const analyst = `${SAY}
    say running; cp inbox/data outbox/sum; echo summed >outbox/summary.md; say completed`;
  const given = { intent: "INTENT.md", plan: "PLAN.md" };
  for (const name of Object.values(given)) writeFileSync(file(name), "given\n");
  const agents = {
    lead: agent(lead, { roster: ["collector", "analyst"] }),
    collector: agent(collector, { adapter: "files" }),
    analyst: agent(analyst, {
      adapter: "files",
      depends_on: [{ agent: "collector", outputs: ["outbox/data"] }],
      collect: { sum: "sum" },
    }),
  };
  writeFileSync(file("job.yaml"), stringify({ request: "x", start: "EXECUTE", given, agents }));
}

test("what was held is held again, and starts with the files of the one it waited for", async () => {
  writeJob();
  await killAtSignal(async () => {
    await expect
      .poll(async () => (await cfa("status")).stdout, { timeout: 60_000 })
      .toMatch(/analyst .* queued .*waits for collector/);
  });
  const resumed = await cfa("resume");
  expect(resumed.exitCode).toBe(0);
  const branch = /branch (cfa\/\S+)/.exec(resumed.stdout)?.[1] ?? "";
  expect(execFileSync("git", ["show", `${branch}:sum`], { cwd: top(), encoding: "utf8" })).toBe("42\n");
  expect((await cfa("verify")).exitCode).toBe(0);
});
