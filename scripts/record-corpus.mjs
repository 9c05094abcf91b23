/**
 * Records the corpus of the present log format: the logs of small real jobs as `cfa log --jsonl` exports them, under
 * test/corpus/FORMAT/, and what each must be read back as, in expectations.json. test/corpus/corpus.test.ts reads them for ever.
 *
 * Run: npm run build && node scripts/record-corpus.mjs
 *
 * C1. Run it when the format gets a new version, or to complete the corpus of one that no release has yet; the folder of a
 *     released format is never written again (it is refused where it is complete; remove it first).
 * C2. Jobs live in one folder whatever the machine, so that no log names a person's paths. Recorded again, they differ in times,
 *     commits and the ids of what a person did.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineAgent, openEngine, parseJob } from "../dist/index.js";
import { JobReader } from "../dist/engine/read-job.js";
import { decodeLine } from "../dist/persistence/codec.js";
import { VERSIONS } from "../dist/persistence/entry.js";
import { JOBS } from "./corpus-jobs.mjs";

const ROOT = "/tmp/cfa-corpus";
const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const OUT = fileURLToPath(new URL(`../test/corpus/${VERSIONS.format}/`, import.meta.url));
const EXPECTATIONS = join(OUT, "expectations.json");

const ENV = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

function makeRepository(top) {
  rmSync(top, { recursive: true, force: true });
  mkdirSync(top, { recursive: true });
  writeFileSync(join(top, "text.txt"), "one\ntwo\nthree\n");
  const who = ["-c", "user.name=User", "-c", "user.email=user@example.org", "-c", "init.defaultBranch=main"];
  for (const words of [
    ["init", "--quiet"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "base"],
  ])
    execFileSync("git", [...who, ...words], { cwd: top, env: ENV });
}

function definitionOf(top, keys) {
  const run = ["true"]; // never called: every agent is a function
  const agents = { lead: { run, roster: ["worker"] }, worker: { run, roster: ["helper"] }, helper: { run } };
  const text = JSON.stringify({ request: "make it", repository: top, agents, ...keys });
  return parseJob(text, { file: "job.yaml", directory: ROOT }).definition;
}

/** What a job of the list is played with. */
function playground(top, { keys = {}, agents }, engine) {
  const scripts = Object.fromEntries(
    Object.entries(agents()).map(([name, script]) => [name, defineAgent(script)]),
  );
  const options = { agents: scripts };
  const begin = (more) => engine.start(definitionOf(top, keys), { ...options, ...more });
  const end = async (run) => (await run.end, run.id);
  return {
    begin,
    end,
    /** Runs or resumes the job until it rests; its id. */
    start: async (more) => end(await begin(more)),
    /** The entry that fits, the `count`-th of them, as soon as it is there. */
    until: async (run, fits, count = 1) => {
      let seen = 0;
      for await (const entry of run) if (fits(entry) && (seen += 1) === count) return entry;
      throw new Error(`${run.id} ended without such an entry`);
    },
    /** Forks the job at half its length and runs that to its end. */
    fork: async (id) => {
      const half = Math.floor(exported(top, id).length / 2);
      return end(await engine.fork(top, id, half, options));
    },
  };
}

const exported = (top, id) =>
  execFileSync(process.execPath, [MAIN, "log", id, "--jsonl"], { cwd: top, encoding: "utf8" })
    .split("\n")
    .slice(0, -1);

/** Number of entries, hash of the newest, and what the job has come to. */
function readBack(lines) {
  const reader = new JobReader();
  for (const [at, line] of lines.entries()) reader.apply(decodeLine(line, at + 1));
  const { record, seq, hash } = reader.job();
  return { state: record.machine.state, entries: seq, head: hash, backtracks: record.machine.backtracks };
}

if (existsSync(EXPECTATIONS)) {
  console.error(`${OUT} is complete: remove it to record the format again, unless a release has it.`);
  process.exit(2);
}
mkdirSync(OUT, { recursive: true });
const expectations = {};
for (const job of JOBS) {
  const top = join(ROOT, job.name);
  makeRepository(top);
  const engine = openEngine();
  const id = await job.play(playground(top, job, engine));
  await engine.close();
  const lines = exported(top, id);
  writeFileSync(join(OUT, `${job.name}.jsonl`), `${lines.join("\n")}\n`);
  expectations[job.name] = readBack(lines);
  console.log(job.name, expectations[job.name]);
}
writeFileSync(EXPECTATIONS, `${JSON.stringify(expectations, undefined, 2)}\n`);
rmSync(ROOT, { recursive: true });
