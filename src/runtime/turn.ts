/**
 * One turn: workspace prepared, agent run, outbox and record read, tree committed. The whole of it holds the tree.
 *
 * T1. Records and status files of earlier turns are cleared before the agent starts; none older than its turn is read.
 * T2. The outbox of a turn that was lost is moved aside, never read.
 * T3. The snapshot is taken when the agent and its descent are dead, before anything of the turn is committed.
 */
import type { Stats } from "node:fs";
import { lstat, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadId } from "../soup/message.ts";
import type { Run } from "../soup/molecule.ts";
import type { AgentAdapter, TurnEvent, TurnFacts, TurnResult } from "./agents/port.ts";
import type { Clock } from "./clock.ts";
import type { Brief } from "./director.ts";
import { isErrno } from "../soup/errno.ts";
import type { OutboxEntry } from "./outbox.ts";
import { OUTCOME_FILE } from "./outbox-calls.ts";
import { writeTurnFacts } from "./outbox-facts.ts";
import { readRegular } from "./outbox-file.ts";
import { readOutbox } from "./outbox-store.ts";
import { watchStall } from "./stall.ts";
import { clearStatus, readStatus, type Status } from "./status-file.ts";
import type { Completion, NamedFile, Workspaces } from "./workspaces/port.ts";

/** Where a job keeps what its turns print and say. */
export type TurnDirectories = {
  /** Outboxes: `<turns>/<serial>/<turn>/`. */
  readonly turns: string;
  /** Streams: `<streams>/<serial>.<turn>.log`. */
  readonly streams: string;
};

/** Everything that a turn needs. */
export type TurnPlan = {
  readonly run: Run;
  readonly tree: ThreadId;
  readonly facts: TurnFacts;
  readonly brief: Brief;
  readonly session: string | undefined;
  readonly files: readonly NamedFile[];
  /** Newest logged snapshot of the tree; undefined before the first, and when a conflict has come since. */
  readonly snapshot: string | undefined;
};

/** What a turn left. */
export type FinishedTurn = {
  readonly result: TurnResult;
  readonly entries: readonly OutboxEntry[];
  /** Malformed calls and the like, one sentence each. */
  readonly problems: readonly string[];
  /** Bytes of the outcome record; null when there is none. */
  readonly outcome: string | null;
  readonly status: Status;
  readonly commit: string | null;
  /** The turn has changed the content of its tree. */
  readonly changed: boolean;
  /** What became of a conflict of the tree: completed by this turn, or what still holds it up. */
  readonly completed: Completion | undefined;
  /** Files to travel, by the path that a call named. */
  readonly files: ReadonlyMap<string, NamedFile>;
  readonly millis: number;
};

/** Longest outcome record that is read, in bytes. */
const RECORD_BYTES = 65_536;

/** Runs a turn to its end. Rejects only for what no agent can cause. */
export async function runTurn(
  plan: TurnPlan,
  workspaces: Workspaces,
  adapter: AgentAdapter,
  directories: TurnDirectories,
  signal: AbortSignal,
  report: (event: TurnEvent) => void,
  clock: Clock,
): Promise<FinishedTurn> {
  return workspaces.exclusive(plan.tree, async () => {
    if (signal.aborted) return abortedBeforeStart();
    const { facts, run, brief, tree } = plan;
    await workspaces.clear(tree);
    const stale = await clearStatus(workspaces.path(tree));
    await workspaces.place(tree, plan.files);
    const outbox = join(directories.turns, String(facts.serial), String(run.turn));
    await moveAside(outbox);
    await mkdir(outbox, { recursive: true });
    await writeTurnFacts(outbox, facts);
    await mkdir(directories.streams, { recursive: true });
    const entry = await entryOf(brief, workspaces.path(tree));
    // What came with the tree or with the message is no effect of the turn.
    const before =
      plan.snapshot !== undefined && plan.files.length === 0
        ? plan.snapshot
        : (await workspaces.snapshot(tree, `${facts.serial}.${run.turn}-before`)).commit;
    const started = clock.now().getTime();
    const result = await watched(clock, brief.stall, signal, report, (until, heard) =>
      adapter.run(
        {
          facts,
          message: run.message,
          prompt: brief.prompt,
          session: plan.session,
          workspace: workspaces.path(tree),
          outbox,
          stream: join(directories.streams, `${facts.serial}.${run.turn}.log`),
          entry,
          artifacts: brief.artifacts,
          timeout: brief.timeout,
          signal: until,
        },
        heard,
      ),
    );
    const millis = clock.now().getTime() - started;
    const harvested = await harvest(plan, workspaces, outbox, result, before);
    const problems = stale === undefined ? harvested.problems : [stale, ...harvested.problems];
    return { ...harvested, problems, millis };
  });
}

/** Runs an agent under the watch for stalls; one that has stalled has failed. */
async function watched(
  clock: Clock,
  limit: number | null,
  signal: AbortSignal,
  report: (event: TurnEvent) => void,
  run: (until: AbortSignal, heard: (event: TurnEvent) => void) => Promise<TurnResult>,
): Promise<TurnResult> {
  const silence = new AbortController();
  const watch = watchStall(clock, limit, () => silence.abort());
  const result = await run(AbortSignal.any([signal, silence.signal]), (event) => {
    watch.heard();
    report(event);
  });
  watch.end();
  if (!watch.stalled() || signal.aborted) return result;
  return { ...result, stop: "failed", failure: `nothing was heard of it for ${(limit ?? 0) / 1000} s` };
}

async function harvest(
  plan: TurnPlan,
  workspaces: Workspaces,
  outbox: string,
  result: TurnResult,
  before: string,
): Promise<Omit<FinishedTurn, "millis">> {
  const { tree, run } = plan;
  const status = await readStatus(workspaces.path(tree));
  const { entries, problems } = await readOutbox(outbox, plan.facts);
  const outcome = await readRecord(workspaces.path(tree));
  const completed = result.stop === "aborted" ? undefined : await workspaces.complete(tree);
  const { commit, changed } = await workspaces.snapshot(tree, `${plan.facts.serial}.${run.turn}`, before);
  const paths = [...new Set(entries.flatMap((entry) => (entry.verb === "send" ? entry.files : [])))];
  const files = new Map<string, NamedFile>();
  const missing: string[] = [];
  for (const path of paths) {
    try {
      for (const file of await workspaces.collect(tree, [path])) files.set(path, file);
    } catch (error) {
      missing.push(`file ${path} was not sent: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return {
    result,
    entries,
    problems: [...problems, ...missing],
    outcome,
    status,
    commit,
    changed,
    completed,
    files,
  };
}

function abortedBeforeStart(): FinishedTurn {
  return {
    result: { stop: "aborted", text: "", session: null, usage: { tokens: null, usd: null } },
    entries: [],
    problems: [],
    outcome: null,
    status: undefined,
    commit: null,
    changed: false,
    completed: undefined,
    files: new Map(),
    millis: 0,
  };
}

/** A state that is entered again aligns the artifact that is there; otherwise it drafts one (CfA §4, START). */
async function entryOf({ entry, artifact }: Brief, workspace: string): Promise<"draft" | "align"> {
  if (entry === "draft" || artifact === null) return "draft";
  const stat = await lstatOrNothing(join(workspace, artifact));
  return stat?.isFile() === true ? "align" : "draft";
}

async function lstatOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Keeps the outbox of a lost turn, and the record that it left, under the first free `…lost-N` (T2). */
export async function setAside(outbox: string, workspace: string): Promise<void> {
  const record = await readRecord(workspace);
  const kept = await moveAside(outbox);
  if (record !== null && kept !== undefined) await writeFile(join(kept, OUTCOME_FILE.name), record);
}

/** Renames an outbox to the first free `…lost-N`; undefined when there is none. */
async function moveAside(outbox: string): Promise<string | undefined> {
  for (let n = 1; ; n++) {
    const kept = `${outbox}.lost-${n}`;
    try {
      await rename(outbox, kept);
      return kept;
    } catch (error) {
      if (isErrno(error, "ENOENT")) return undefined;
      if (!isErrno(error, "ENOTEMPTY", "EEXIST")) throw error;
    }
  }
}

/** The text of the outcome record of a tree; "" for one that cannot be read as a regular file (CfA §4). */
async function readRecord(workspace: string): Promise<string | null> {
  const directory = join(workspace, OUTCOME_FILE.directory);
  const stat = await lstatOrNothing(directory);
  if (stat === undefined) return null;
  if (!stat.isDirectory()) return "";
  const file = await readRegular(join(directory, OUTCOME_FILE.name), RECORD_BYTES);
  if (file === undefined) return null;
  return "text" in file ? file.text : "";
}
