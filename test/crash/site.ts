/** A repository with a job in it, whose engine is killed and resumed, and what must hold of it afterwards. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { hasEnded, JobReader } from "../../src/engine/read-job.ts";
import { decodeEntry } from "../../src/persistence/codec.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import { jobFile, listJobs } from "../../src/persistence/jobs.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";
import { findProgram } from "../../src/runtime/process/find-program.ts";
import { faultsOf } from "./audit.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = here("../../dist/cli/main.js");

/** How an engine dies inside a git command (git.sh): at the call number `at` of those whose arguments hold `on`. */
export type GitCrash = {
  readonly on: string;
  readonly at: number;
  readonly how: "before" | "after" | "amid" | "orphan";
};

/** A job to crash: its file, and the files of `cfa/<job>` that count as its result. */
export type Job = { readonly file: string; readonly results: readonly string[] };

/** The main example. */
export const RELEASE_NOTES: Job = {
  file: here("../../examples/release-notes/job.yaml"),
  results: ["RELEASE_NOTES.md"],
};

/** Two workers, a conflict that the lead resolves, a question. */
export const CONFLICT: Job = {
  file: here("conflict-job/job.yaml"),
  results: ["wall.txt", "colour.txt", "east.txt", "west.txt", "notes/lead.txt"],
};

/** Where the engine has been left. */
export type Site = {
  readonly top: string;
  readonly job: Job;
  readonly before: string;
  kills: number;
};

/** Runs `work` on a copy of the repository at `template`, which goes afterwards. */
export async function onCopy<T>(template: string, job: Job, work: (site: Site) => Promise<T>): Promise<T> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cfa-crash-")));
  const top = join(root, "repository");
  cpSync(template, top, { recursive: true });
  try {
    return await work({ top, job, before: await ownState(top), kills: 0 });
  } finally {
    if (process.env["CFA_KEEP"] === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The arguments that start the job, or go on with it. */
const runWords = ({ top, job }: Site): string[] => ["run", job.file, "--repo", top];

function cfa(top: string, words: readonly string[], env: Record<string, string> = {}) {
  return execa(process.execPath, [MAIN, ...words], {
    cwd: top,
    reject: false,
    stdin: "ignore",
    env,
    maxBuffer: 1 << 28,
  });
}

/** Starts or resumes the job and sends a signal as soon as entry `seq` has appeared; the code it ended with. */
export async function signalAt(
  site: Site,
  seq: number,
  signal: "SIGKILL" | "SIGINT",
): Promise<number | undefined> {
  const running = cfa(site.top, [...onwards(site), "--json", "--quiet"]);
  let seen = 0;
  let sent = false;
  running.stdout?.on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) seen += 1;
    if (seen < seq || sent) return;
    sent = true;
    site.kills += 1;
    running.kill(signal);
  });
  const { exitCode } = await running;
  await noAgentLives(site);
  if (sent || exitCode !== 4) return exitCode;
  await goOn(site, ["resume"]); // it waits for an answer, and the entry comes after that
  return signalAt(site, seq, signal);
}

/** Kills the job when `step` more entries have appeared, resumes it, and again, until it comes to its end between two kills. */
export async function killAgainAndAgain(site: Site, step: number): Promise<void> {
  for (let kills = -1; site.kills > kills;) {
    kills = site.kills;
    await signalAt(site, (await logOf(site)).length + step, "SIGKILL");
  }
}

/** Starts or resumes the job in an engine that dies before or after its commit number `at`. */
export async function dieAtCommit(site: Site, when: "before" | "after", at: number): Promise<void> {
  const file = site.kills > 0 ? [] : [site.job.file];
  const { signal, stderr, exitCode } = await execa(
    process.execPath,
    [here("driver.mjs"), site.top, when, String(at), ...file],
    { reject: false },
  );
  if (signal === "SIGKILL") site.kills += 1;
  else if (exitCode !== 0) throw new Error(`the driver failed: ${stderr}`);
  await noAgentLives(site);
}

/** Starts or resumes the job with a git that kills it; false when there was no such call. */
export async function dieInGit(site: Site, crash: GitCrash): Promise<boolean> {
  const dir = join(site.top, "..", `crash-${site.kills}`);
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  const real = await findProgram("git", process.env["PATH"] ?? "", "/");
  if ("missing" in real) throw new Error(real.missing);
  writeFileSync(join(bin, "git"), readFileSync(here("git.sh"), "utf8").replace("@GIT@", real.path));
  chmodSync(join(bin, "git"), 0o755);
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    CRASH_DIR: dir,
    CRASH_ON: crash.on,
    CRASH_AT: String(crash.at),
    CRASH_HOW: crash.how,
  };
  const { signal, exitCode, stderr } = await cfa(site.top, [...onwards(site), "--quiet"], env);
  if (signal === "SIGKILL") site.kills += 1;
  else if (exitCode !== 0 && exitCode !== 4) throw new Error(`exit ${exitCode}: ${stderr}`);
  await noAgentLives(site);
  return signal === "SIGKILL";
}

/** Settles when no process of the job's turns is alive: the kernel needs a moment. */
async function noAgentLives({ top }: Site): Promise<void> {
  while (agents(top).length > 0) await delay(10);
}

/** Live processes that were started for a turn of a job in the repository, whoever their parent is. */
function agents(top: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const state = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "")[0];
      return state !== "Z" && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`\0CFA_OUTBOX=${top}/`);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

/** Goes on until the job has ended, answering what it asks. Throws when it does not end well. */
export async function finish(site: Site): Promise<void> {
  for (let at = await standing(site); at !== "ended"; at = await standing(site))
    await goOn(site, at === "open" ? ["resume"] : runWords(site));
}

/** Lets the job run to its end or to a question, which is answered. */
async function goOn(site: Site, words: readonly string[]): Promise<void> {
  const { exitCode, stderr, stdout } = await cfa(site.top, words);
  if (exitCode === 4) await answer(site);
  else if (exitCode !== 0) throw new Error(`exit ${exitCode}\n${stdout}\n${stderr}`);
}

/** Leaves an answer to the open question, as `cfa answer` does. */
async function answer(site: Site): Promise<void> {
  const reader = await read(site);
  const open = [...reader.ledger.questions.values()].find(({ asking }) => asking);
  const [job = ""] = await listJobs(site.top);
  const bus = openSqliteBus(jobFile(site.top, job), { job, mode: "existing" });
  await bus.inbox.post({
    id: "answer",
    verb: "answer",
    target: open?.id ?? "",
    text: "blue",
    by: "somebody",
  });
  await bus.close();
}

async function read(site: Site): Promise<JobReader> {
  const reader = new JobReader();
  for (const entry of await logOf(site)) reader.apply(entry);
  return reader;
}

/** A kill may come before the first entry, and after the last. */
async function standing(site: Site): Promise<"unopened" | "open" | "ended"> {
  const job = (await read(site)).job();
  if (job === undefined) return "unopened";
  return hasEnded(job) ? "ended" : "open";
}

/** The arguments that start the job, or go on with it after a kill at a time when it was open. */
const onwards = (site: Site): readonly string[] => (site.kills > 0 ? ["resume"] : runWords(site));

/** The whole log, read here: starting a cfa takes longer. Empty where no job has been opened. */
export async function logOf({ top }: Site): Promise<readonly Entry[]> {
  const [job] = await listJobs(top);
  if (job === undefined) return [];
  const file = openLogFile(jobFile(top, job));
  try {
    return [...file.rows()].map((row) => decodeEntry(row, `entry ${row.seq} of ${job}`));
  } finally {
    file.close();
  }
}

/** The result of the job, file by file. */
export async function resultOf({ top, job }: Site): Promise<Record<string, string>> {
  const [branch = ""] = await branches(top);
  const shown = job.results.map(async (file): Promise<[string, string]> => [
    file,
    await git(top, "show", `${branch}:${file}`),
  ]);
  return Object.fromEntries(await Promise.all(shown));
}

/** What a finished job left that it must not leave, and what its log must not hold; nothing, if all is well. */
export async function leftovers(site: Site): Promise<readonly string[]> {
  const { top, before } = site;
  const faults = [...faultsOf(await logOf(site), site.kills)];
  const now = await ownState(top);
  if (now !== before) faults.push(`the user's own: ${before} became ${now}`);
  const trees = await git(top, "worktree", "list");
  if (trees.includes("\n") || existsSync(join(top, ".git", "worktrees"))) faults.push(`worktrees: ${trees}`);
  const checked = await execa("git", ["fsck", "--no-dangling", "--no-progress"], {
    cwd: top,
    reject: false,
    all: true,
  });
  if (checked.exitCode !== 0 || checked.all !== "") faults.push(`git fsck: ${checked.all}`);
  const found = readdirSync(join(top, ".git"), { recursive: true, encoding: "utf8" });
  faults.push(...found.filter((file) => file.endsWith(".lock")).map((file) => `lock: ${file}`));
  const [branch, ...others] = await branches(top);
  if (branch === undefined || others.length > 0) faults.push(`branches: ${[branch, ...others].join(" ")}`);
  const work = readdirSync(join(top, ".cfa", "jobs", branch?.slice("cfa/".length) ?? "", "work"));
  if (work.length > 0) faults.push(`work: ${work.join(" ")}`);
  return faults;
}

const branches = async (top: string): Promise<readonly string[]> =>
  (await git(top, "for-each-ref", "--format=%(refname:strip=2)", "refs/heads/cfa"))
    .split("\n")
    .filter((name) => name !== "");

/** HEAD, own branches, index and worktree of the user. */
async function ownState(top: string): Promise<string> {
  const [head, branch, status, refs] = await Promise.all([
    git(top, "rev-parse", "HEAD"),
    git(top, "symbolic-ref", "HEAD"),
    git(top, "--no-optional-locks", "status", "--porcelain", "--ignored=no"),
    git(top, "for-each-ref", "refs/heads/main", "refs/tags"),
  ]);
  const index = createHash("sha256")
    .update(readFileSync(join(top, ".git", "index")))
    .digest("hex");
  return [head, branch, status, refs, index].join(" ");
}

/** What git prints. */
export async function git(top: string, ...words: readonly string[]): Promise<string> {
  return (await execa("git", words, { cwd: top })).stdout;
}
