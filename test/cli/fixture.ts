/** A real repository and the real command line, as a person or a script would use them. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { decodeEntry, decodeRow } from "../../src/persistence/codec.ts";
import type { Entry } from "../../src/persistence/entry.ts";

/** The bin, as the package names it. */
export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const made: string[] = [];
const running: { kill: (signal: NodeJS.Signals) => boolean }[] = [];
afterEach(() => {
  for (const process of running.splice(0)) process.kill("SIGKILL");
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** A directory that goes when the test ends. */
export function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "cfa-cli-")));
  made.push(path);
  return path;
}

/** Runs git in a directory. */
export async function git(cwd: string, ...words: string[]): Promise<string> {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
  return (await execa("git", [...who, ...words], { cwd })).stdout;
}

/** A repository with one commit, of these files; it goes when the test ends. */
export async function repository(files: Readonly<Record<string, string>> = A_FILE): Promise<string> {
  const top = directory();
  await fill(top, files);
  return top;
}

/** A repository that stays until it is removed, for tests that share it. */
export async function keptRepository(): Promise<{ readonly top: string; readonly remove: () => void }> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cfa-cli-")));
  await fill(top, A_FILE);
  return { top, remove: () => rmSync(top, { recursive: true, force: true, maxRetries: 5 }) };
}

const A_FILE = { "a.txt": "a\n" };

/** Makes a repository with one commit, of these files, in an empty directory. */
export async function fill(top: string, files: Readonly<Record<string, string>>): Promise<void> {
  await git(top, "init", "-q");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(top, name), text);
  await git(top, "add", "-A");
  await git(top, "commit", "-qm", "one");
}

/** What a command said and how it ended. */
export type Said = { readonly code: number | undefined; readonly out: string; readonly err: string };

/** Runs the same program in this process: for commands that read, and for mistakes, at a tenth of the time. */
export async function here(cwd: string, ...words: string[]): Promise<Said> {
  const written = { out: "", err: "" };
  const output = (to: "out" | "err") => ({
    write: (text: string) => void (written[to] += text),
    drained: async () => undefined,
    isTTY: false,
    columns: () => 80,
    rows: () => 24,
    closed: () => false,
  });
  const code = await runProgram(words, {
    stdout: output("out"),
    stderr: output("err"),
    stdin: { isTTY: false, text: async () => "" },
    env: {},
    cwd,
    now: () => new Date(),
    onSignal: () => () => undefined,
  });
  return { code, out: written.out.replace(/\n$/, ""), err: written.err.replace(/\n$/, "") };
}

/** Runs `cfa` to its end in a process of its own, without a terminal. */
export async function cfa(cwd: string, ...words: string[]): Promise<Said> {
  return cfaWith({ cwd }, ...words);
}

/** The same with standard input or environment of its own. */
export async function cfaWith(
  options: { readonly cwd: string; readonly input?: string; readonly env?: Record<string, string> },
  ...words: string[]
): Promise<Said> {
  const done = await execa(process.execPath, [MAIN, ...words], { ...options, reject: false });
  return { code: done.exitCode, out: done.stdout, err: done.stderr };
}

/** A `cfa` that goes on while the test does something. */
export type Background = {
  readonly pid: number | undefined;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Settles when it has said something, on stderr or stdout. */
  readonly seen: (text: string) => Promise<void>;
  readonly end: () => Promise<Said>;
};

/** Starts `cfa` without waiting for its end. */
export function start(cwd: string, ...words: string[]): Background {
  const subprocess = execa(process.execPath, [MAIN, ...words], { cwd, reject: false, stdin: "ignore" });
  running.push(subprocess);
  let said = "";
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer) => {
    said += chunk.toString();
    for (const listener of listeners) listener();
  };
  subprocess.stderr.on("data", take);
  subprocess.stdout.on("data", take);
  const over = subprocess.then((done) => {
    for (const listener of listeners) listener();
    return { code: done.exitCode, out: done.stdout, err: done.stderr };
  });
  return {
    pid: subprocess.pid,
    kill: (signal) => void subprocess.kill(signal),
    seen: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (said.includes(text)) resolve();
          else if (subprocess.exitCode !== null)
            reject(new Error(`ended without saying "${text}":\n${said}`));
          else return;
          listeners.delete(look);
        };
        listeners.add(look);
        look();
      }),
    end: () => over,
  };
}

/**
 * Writes a job file whose only agent (or agents) run shell scripts; `rest` is more YAML. Without a boundary, unless another level is
 * wanted: the scripts talk with their test through files beside the repository.
 */
export function shellJob(
  top: string,
  agents: Readonly<Record<string, string>>,
  rest = "",
  sandbox = "advisory",
): string {
  const [lead = "lead", ...others] = Object.keys(agents).filter((name) => name !== "proxy");
  const lines = Object.entries(agents).flatMap(([name, script]) => [
    `  ${name}:`,
    `    sandbox: ${sandbox}`,
    ...(name === lead && others.length > 0 ? [`    roster: [${others.join(", ")}]`] : []),
    "    run:",
    "      - sh",
    "      - -euc",
    "      - |",
    ...script.split("\n").map((line) => `        ${line}`),
  ]);
  const file = join(top, "job.yaml");
  writeFileSync(file, ["name: test", "request: Do it.", "agents:", ...lines, rest, ""].join("\n"));
  return file;
}

/** Shell: approves whatever state the lead is in, by the outcome record itself: quicker than `cfa outcome`. */
export const APPROVE = `mkdir -p .cfa
case "$CFA_STATE" in INTENT) outcome=INTENT ;; PLAN) outcome=PLAN ;; EXECUTE) outcome=WORK ;; esac
echo '{"outcome": "APPROVED_'$outcome'", "reason": "ok"}' >.cfa/outcome.json`;

/** Shell: approves, but hangs in EXECUTE as long as `file` does not exist; makes it first. */
export function hangOnce(file: string): string {
  return `cat >/dev/null\nif [ "$CFA_STATE" = EXECUTE ] && [ ! -e ${file} ]; then touch ${file}; exec sleep 600; fi\n${APPROVE}`;
}

/** The entries of `cfa log --jsonl`, checked as they are read back. */
export function entriesOf(lines: string): Entry[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line, at) => decodeEntry(decodeRow(line, at + 1), `line ${at + 1}`));
}

/** Text of a file. */
export function read(...path: string[]): string {
  return readFileSync(join(...path), "utf8");
}

/** Processes of the turns of a job, told by their environment; those of one agent only where it is named. */
export function processesOf(job: string, agent?: string): string[] {
  const wanted = [`CFA_JOB=${job}`, ...(agent === undefined ? [] : [`CFA_AGENT=${agent}`])];
  return readdirSync("/proc").filter((pid) => {
    try {
      if (!/^\d+$/u.test(pid)) return false;
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      return wanted.every((variable) => environment.includes(variable));
    } catch {
      return false; // It has ended, or is somebody else's.
    }
  });
}
