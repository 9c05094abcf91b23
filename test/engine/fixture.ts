/**
 * Jobs on real repositories in temporary directories, for the tests of this folder: made from the keys of a job.yaml
 * and functions that play the agents.
 */
import { execFileSync } from "node:child_process";
import {
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
import { dirname, join } from "node:path";
import { afterAll, expect } from "vitest";
import { stringify } from "yaml";
import { type Engine, openEngine } from "../../src/engine/engine.ts";
import type { EngineOptions, RunOptions } from "../../src/engine/options.ts";
import type { JobRun } from "../../src/engine/job-run.ts";
import { JobReader, type ReadJob } from "../../src/engine/read-job.ts";
import type { JobDefinition } from "../../src/job/definition.ts";
import { parseJob } from "../../src/job/load.ts";
import { logChecks } from "../../src/engine/verify.ts";
import { rowOf } from "../../src/persistence/chain.ts";
import type { Entry, EntryBody, EntryKind } from "../../src/persistence/entry.ts";
import { LogVerifier, type Offence } from "../../src/persistence/verify.ts";
import { brokenInvariants } from "../../src/rules/invariants.ts";
import { complete } from "../../src/rules/table.ts";
import { scriptAgent } from "../../src/runtime/agents/script.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import type { RunEnd } from "../../src/runtime/scheduler-options.ts";
import { printMolecule } from "../../src/soup/print.ts";

const scratch: string[] = [];
const engines: Engine[] = [];
afterAll(async () => {
  for (const engine of engines) await engine.close();
  for (const directory of scratch) rmSync(directory, { recursive: true, force: true });
});

/** Runs git without the configuration of this machine; returns what it prints, trimmed at the end. */
export function git(directory: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=User", "-c", "user.email=user@example.org", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...who, ...args], {
    cwd: directory,
    env,
    encoding: "utf8",
    stdio: "pipe",
  }).trimEnd();
}

/** Writes a file below a directory. */
export function write(directory: string, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

/** Reads a file below a directory. */
export const read = (directory: string, path: string): string => readFileSync(join(directory, path), "utf8");

/** Where a test lives: a repository with `text.txt` (three lines) on `main`, and a folder for job files. */
export type Place = { readonly top: string; readonly files: string };

let template: string | undefined;

/** Made once; a copy is faster than four calls of git. */
function templateRepository(): string {
  if (template !== undefined) return template;
  template = realpathSync(mkdtempSync(join(tmpdir(), "cfa-engine-template-")));
  scratch.push(template);
  git(template, "init", "--quiet");
  write(template, "text.txt", "one\ntwo\nthree\n");
  git(template, "add", "--all");
  git(template, "commit", "--quiet", "--message", "base");
  return template;
}

export function makePlace(): Place {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "cfa-engine-")));
  scratch.push(parent);
  const place = { top: join(parent, "repository"), files: join(parent, "files") };
  cpSync(templateRepository(), place.top, { recursive: true });
  write(place.files, "intent.md", "the intent\n");
  write(place.files, "plan.md", "the plan\n");
  return place;
}

/** An engine that is closed after the tests. */
export function makeEngine(options: EngineOptions = { bus: "memory" }): Engine {
  const engine = openEngine(options);
  engines.push(engine);
  return engine;
}

/** The keys of a job.yaml; what is left out is as in {@link definitionOf}. */
export type Keys = Readonly<Record<string, unknown>>;

/** `start: EXECUTE` with the artifacts that it needs, for what only EXECUTE can show. */
export const EXECUTE: Keys = { start: "EXECUTE", given: { intent: "intent.md", plan: "plan.md" } };

/** The shell line of an agent that is a program. */
export const shell = (line: string, more: Keys = {}): Keys => ({ run: ["sh", "-c", line], ...more });

/** A job of three agents, lead → worker → helper; whoever is no function of the test prints what it is told. */
export function definitionOf(place: Place, keys: Keys = {}): JobDefinition {
  const agents = {
    lead: shell("cat", { roster: ["worker"] }),
    worker: shell("cat", { roster: ["helper"] }),
    helper: shell("cat"),
  };
  const text = stringify({ request: "make it", repository: place.top, agents, ...keys });
  return parseJob(text, { file: "job.yaml", directory: place.files }).definition;
}

/** The agents of a test, as functions by name. */
export type Scripts = Readonly<Record<string, Script>>;

export const adapters = (scripts: Scripts) =>
  Object.fromEntries(Object.entries(scripts).map(([name, script]) => [name, scriptAgent(script)]));

/** A job that a test has started. */
export type Started = { readonly place: Place; readonly engine: Engine; readonly run: JobRun };

type Options = Omit<RunOptions, "agents"> & { readonly place?: Place; readonly engine?: Engine };

/** Starts a job. */
export async function startJob(keys: Keys, scripts: Scripts, options: Options = {}): Promise<Started> {
  const { place = makePlace(), engine = makeEngine(), ...rest } = options;
  const run = await engine.start(definitionOf(place, keys), { ...rest, agents: adapters(scripts) });
  return { place, engine, run };
}

/** A run that has come to its end. */
export type Finished = Started & {
  readonly end: RunEnd;
  readonly entries: readonly Entry[];
  /** The job as its log tells it. */
  readonly job: ReadJob;
};

/** Waits for the end of a run and checks what holds for every log: all that `cfa verify` checks, invariants at each entry. */
export async function finish(started: Started): Promise<Finished> {
  const end = await started.run.end;
  const entries: Entry[] = [];
  const reader = new JobReader();
  for await (const entry of started.run) {
    entries.push(entry);
    reader.apply(entry);
    expect(brokenInvariants(reader.configuration)).toEqual([]);
  }
  expect(offenceIn(entries)).toBeUndefined();
  const job = reader.job();
  if (job === undefined) throw new Error("the log is empty");
  if (end.kind === "ended") expectNothingLeft(started.place, job);
  return { ...started, end, entries, job };
}

/** What `cfa verify` finds wrong with a log that stands alone. */
function offenceIn(entries: readonly Entry[]): Offence | undefined {
  const verifier = new LogVerifier(complete, logChecks());
  for (const entry of entries) {
    const offence = verifier.take(rowOf(entry));
    if (offence !== undefined) return offence;
  }
  return verifier.end();
}

/** A job that has ended leaves no molecule, no worktree, and branch, index and tree of the user as they were. */
function expectNothingLeft({ top }: Place, { configuration }: ReadJob): void {
  expect([...configuration.molecules()].map(printMolecule)).toEqual([]);
  expect(namesIn(join(top, ".git/worktrees"))).toEqual([]);
  expect(git(top, "status", "--porcelain", "--branch")).toBe("## main");
  expect(read(top, ".git/refs/heads/main")).toBe(read(templateRepository(), ".git/refs/heads/main"));
}

/** Runs a job to its end. */
export async function runJob(keys: Keys, scripts: Scripts, options: Options = {}): Promise<Finished> {
  return finish(await startJob(keys, scripts, options));
}

/** The bodies of the entries of one kind, in order. */
export function bodies<K extends EntryKind>(entries: readonly Entry[], kind: K): readonly EntryBody<K>[] {
  const isOfKind = (entry: Entry): entry is Entry & { readonly kind: K; readonly body: EntryBody<K> } =>
    entry.kind === kind;
  return entries.filter(isOfKind).map((entry) => entry.body);
}

/** Every transition as `FROM ACTION TO (origin)`. */
export const transitions = (entries: readonly Entry[]): readonly string[] =>
  bodies(entries, "transition").map(({ from, action, to, origin }) => `${from} ${action} ${to} (${origin})`);

/** The ids of the rules that fired, in order; with `thread` those of one thread. */
export const firings = (entries: readonly Entry[], thread?: string): readonly string[] =>
  bodies(entries, "fire").flatMap(({ rule, at }) =>
    thread === undefined || at["t"] === thread ? [rule] : [],
  );

/** The texts of the mail that a thread got, from the entries that delivered it. */
export function mailOf(entries: readonly Entry[], thread: string): readonly string[] {
  const posted = bodies(entries, "post").filter((post) => post.thread === thread);
  return posted.map(({ message }) => message.body);
}

/** The sentences of the notes. */
export const notes = (entries: readonly Entry[]): readonly string[] =>
  bodies(entries, "note").map(({ text }) => text);

/** The first entry of a kind that fits, as soon as the log holds it. */
export async function until<K extends EntryKind>(
  run: JobRun,
  kind: K,
  fits: (body: EntryBody<K>) => boolean = () => true,
): Promise<EntryBody<K>> {
  for await (const entry of run) {
    const [body] = bodies([entry], kind);
    if (body !== undefined && fits(body)) return body;
  }
  throw new Error(`the run ended without such an entry of kind ${kind}`);
}

/** Approves whatever state the turn is in. */
export const approve = (turn: ScriptTurn): Promise<void> =>
  turn.outcome(
    { INTENT: "APPROVED_INTENT", PLAN: "APPROVED_PLAN", EXECUTE: "APPROVED_WORK" }[turn.state] ?? "",
    "good",
  );

/** Leaves bytes as the outcome record of the turn. */
export const record = (turn: ScriptTurn, bytes: string): void =>
  write(turn.workspace, ".cfa/outcome.json", bytes);

/** A lead that approves INTENT and PLAN, and in EXECUTE plays its n-th step in its n-th turn, the last one from then on. */
export function inExecute(...steps: readonly Script[]): Script {
  return async (turn) => {
    if (turn.state !== "EXECUTE") return approve(turn);
    const step = steps[Math.min(turn.turn, steps.length) - 1];
    return (await step?.(turn)) ?? undefined;
  };
}

/** A promise and how to settle it: what a test waits for, or lets an agent wait for. */
export type Gate = { readonly open: () => void; readonly passed: Promise<void> };

export function gate(): Gate {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), passed };
}

/** Waits until an agent has come to a gate; a run that ends before fails the test instead of letting it hang. */
export async function reached(run: JobRun, { passed }: Gate): Promise<void> {
  const ended = run.end.then((end) => {
    throw new Error(`the run ended before: ${JSON.stringify(end)}`);
  });
  await Promise.race([passed, ended]);
}

/** Refs below a prefix, without it. */
export const refsBelow = (top: string, prefix: string): readonly string[] =>
  git(top, "for-each-ref", "--format=%(refname)", prefix)
    .split("\n")
    .filter((ref) => ref !== "")
    .map((ref) => ref.slice(prefix.length + 1));

/** Names in a folder; none when there is no such folder. */
export const namesIn = (directory: string): readonly string[] =>
  existsSync(directory) ? readdirSync(directory).sort() : [];

/** Names in the folder of the job's outboxes of one thread. */
export const outboxes = ({ top }: Place, job: string, serial: number): readonly string[] =>
  namesIn(join(top, ".cfa/jobs", job, "turns", String(serial)));
