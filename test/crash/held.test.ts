/** A turn that waits for another agent, and a SIGKILL of the engine meanwhile: after the resume it starts when that agent has completed. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  history,
  makeRepository,
  removeRepositories,
  type Repository,
} from "../examples/release-notes/repository.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let repository: Repository;
let files: string;
beforeEach(async () => {
  repository = await makeRepository(history(1));
  files = realpathSync(mkdtempSync(join(tmpdir(), "cfa-held-")));
  execFileSync("mkfifo", [join(files, "begun")]);
});
afterEach(async () => {
  rmSync(files, { recursive: true, force: true });
  await removeRepositories();
});

const cfa = (...words: readonly string[]) =>
  execa(process.execPath, [MAIN, ...words], { cwd: repository.dir, reject: false, stdin: "ignore" });

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
    say running; [ $CFA_TURN != 1 ] || { echo yes >${join(files, "begun")}; while :; do sleep 1000; done; }
    echo 42 >outbox/data; echo got >outbox/summary.md; say completed`;
  const analyst = `${SAY}
    say running; cp inbox/data outbox/sum; echo summed >outbox/summary.md; say completed`;
  const given = { intent: "INTENT.md", plan: "PLAN.md" };
  for (const name of Object.values(given)) writeFileSync(join(files, name), "given\n");
  const agents = {
    lead: agent(lead, { roster: ["collector", "analyst"] }),
    collector: agent(collector, { adapter: "files" }),
    analyst: agent(analyst, {
      adapter: "files",
      depends_on: [{ agent: "collector", outputs: ["outbox/data"] }],
      collect: { sum: "sum" },
    }),
  };
  writeFileSync(join(files, "job.yaml"), stringify({ request: "x", start: "EXECUTE", given, agents }));
}

test("what was held is held again, and starts with the files of the one it waited for", async () => {
  writeJob();
  const running = cfa("run", join(files, "job.yaml"), "--repo", repository.dir);
  // Opening a pipe for reading waits for whoever writes to it.
  await readFile(join(files, "begun"));
  await expect
    .poll(async () => (await cfa("status")).stdout, { timeout: 60_000 })
    .toMatch(/analyst .* queued .*waits for collector/);
  running.kill("SIGKILL");
  await running;
  const resumed = await cfa("resume");
  expect(resumed.exitCode).toBe(0);
  const branch = /branch (cfa\/\S+)/.exec(resumed.stdout)?.[1] ?? "";
  expect(execFileSync("git", ["show", `${branch}:sum`], { cwd: repository.dir, encoding: "utf8" })).toBe(
    "42\n",
  );
  expect((await cfa("verify")).exitCode).toBe(0);
});
