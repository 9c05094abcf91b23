/**
 * One turn: workspace prepared, agent run, outbox and record read, tree committed. The whole of it holds the tree.
 *
 * T1. Records and status files of earlier turns are cleared before the agent starts; none older than its turn is read.
 * T2. The outbox of a turn that was lost is moved aside, never read.
 * T3. `before_run` comes after that and before the agent of a dispatch: what it writes is the operator's word, and survives.
 * T4. The snapshot is taken when the agent and its descent are dead, before anything of the turn is committed.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadId } from "../soup/message.ts";
import type { Run } from "../soup/molecule.ts";
import { mintedQuestion } from "./admission.ts";
import type { AgentAdapter, Beside, TurnEvent, TurnFacts, TurnRequest, TurnResult } from "./agents/port.ts";
import type { Clock } from "./clock.ts";
import type { Brief } from "./director.ts";
import { type HookPlace, runHook } from "./hooks.ts";
import { FILES_FOLDER, type OutboxEntry } from "./outbox.ts";
import { endTurnFacts, writeTurnFacts } from "./outbox-facts.ts";
import { readResolved } from "./outbox-resolved.ts";
import { readRefusals } from "./outbox-refusals.ts";
import { type Outbox, readOutbox } from "./outbox-store.ts";
import { stallFailure, type StallLimit, watchStall } from "./stall.ts";
import { isFaultOfTurn } from "./turn-fault.ts";
import { entryOf, moveAside, type Placed, placeFiles, readRecord, withUnplaced } from "./turn-files.ts";
import { clearStatus, readStatus, type Status } from "./status-file.ts";
import { UNKNOWN_USAGE } from "./usage.ts";
import { turnUsage } from "./usage-file.ts";
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
  readonly beside: Beside;
  readonly brief: Brief;
  readonly session: string | undefined;
  readonly files: readonly NamedFile[];
  /** Newest logged snapshot of the tree; undefined before the first, and when a conflict has come since. */
  readonly snapshot: string | undefined;
};

/** With what a turn is run. */
export type TurnMeans = {
  readonly workspaces: Workspaces;
  readonly adapter: AgentAdapter;
  readonly directories: TurnDirectories;
  /** Stops the agent when it aborts. */
  readonly signal: AbortSignal;
  readonly report: (event: TurnEvent) => void;
  readonly clock: Clock;
  /** The thread has a question open. */
  readonly asks: () => boolean;
};

/** What a turn left. */
export type FinishedTurn = {
  readonly result: TurnResult;
  readonly entries: readonly OutboxEntry[];
  /** Malformed calls and the like, one sentence each. */
  readonly problems: readonly string[];
  /** Calls that were refused while the turn ran, one sentence each. */
  readonly refusals: readonly string[];
  /** Bytes of the outcome record; null when there is none. */
  readonly outcome: string | null;
  readonly status: Status;
  readonly commit: string | null;
  /** The turn has changed the content of its tree. */
  readonly changed: boolean;
  /** What became of a conflict of the tree: completed by this turn, or what still holds it up. */
  readonly completed: Completion | undefined;
  /** SHA-256 of the named files whose bytes are kept. */
  readonly kept: ReadonlySet<string>;
  readonly millis: number;
};

/** Runs a turn to its end. What an agent has done to its tree or outbox fails the turn; rejects for all else (turn-fault.ts). */
export async function runTurn(plan: TurnPlan, means: TurnMeans): Promise<FinishedTurn> {
  const { workspaces, signal, clock } = means;
  return workspaces.exclusive(plan.tree, async () => {
    if (signal.aborted) return turnWithout("aborted");
    const started = clock.now().getTime();
    try {
      const finished = await carryOut(plan, means);
      return { ...finished, millis: clock.now().getTime() - started };
    } catch (error) {
      if (!isFaultOfTurn(error)) throw error;
      return { ...turnWithout("failed", error.message), millis: clock.now().getTime() - started };
    }
  });
}

async function carryOut(
  plan: TurnPlan,
  { workspaces, adapter, directories, signal, report, clock, asks }: TurnMeans,
): Promise<FinishedTurn> {
  const { facts, run, brief, tree } = plan;
  const { outbox, stale, placed } = await makeReady(plan, workspaces, directories);
  const entry = await entryOf(brief, workspaces.path(tree));
  const place = {
    facts,
    cwd: workspaces.path(tree),
    stream: join(directories.streams, `${facts.serial}.${run.turn}.log`),
    signal,
    report,
  };
  const hooked = brief.dispatch && brief.hooks.before_run !== null;
  const trouble = hooked ? await runHook(brief.hooks, "before_run", place) : undefined;
  if (trouble?.kind === "aborted") return turnWithout("aborted");
  if (trouble !== undefined) return turnWithout("failed", trouble.why);
  // What came with the tree, the message or the hook is no effect of the turn.
  const before =
    plan.snapshot !== undefined && plan.files.length === 0 && !hooked
      ? { commit: plan.snapshot, left: [] }
      : await workspaces.snapshot(tree, `${facts.serial}.${run.turn}-before`);
  const silence = { limit: brief.stall, exempt: asks };
  const result = await watched(clock, silence, signal, report, (until, heard) =>
    adapter.run(
      {
        facts,
        message: run.message,
        prompt: withUnplaced(brief.prompt, placed),
        instructions: brief.instructions,
        session: plan.session,
        workspace: workspaces.path(tree),
        ...historyOf(workspaces, tree),
        outbox,
        stream: place.stream,
        entry,
        artifacts: brief.artifacts,
        files: placed.files.map(({ path }) => path),
        beside: plan.beside,
        timeout: brief.timeout,
        signal: until,
      },
      heard,
    ),
  );
  const harvested = await harvest(plan, workspaces, outbox, result, before.commit, place);
  const unkept = [...(result.problem === undefined ? [] : [result.problem]), ...(result.remarks ?? [])];
  const found = [...stale, ...placed.problems];
  return { ...harvested, problems: [...found, ...unkept, ...before.left, ...harvested.problems] };
}

/** What a turn or a proof in the tree sees of its history. */
export function historyOf(workspaces: Workspaces, tree: ThreadId): Pick<TurnRequest, "history"> {
  return workspaces.history === undefined
    ? {}
    : { history: async () => (await workspaces.history?.(tree)) ?? [] };
}

/** Tree and outbox as the agent finds them (T1, T2). */
async function makeReady(
  { facts, run, files, tree }: TurnPlan,
  workspaces: Workspaces,
  directories: TurnDirectories,
): Promise<{ readonly outbox: string; readonly stale: readonly string[]; readonly placed: Placed }> {
  await workspaces.clear(tree);
  const stale = await clearStatus(workspaces.path(tree));
  const placed = await placeFiles(workspaces, tree, files);
  const outbox = join(directories.turns, String(facts.serial), String(run.turn));
  await moveAside(outbox);
  await mkdir(outbox, { recursive: true });
  await writeTurnFacts(outbox, facts);
  await mkdir(directories.streams, { recursive: true });
  return { outbox, stale: stale === undefined ? [] : [stale], placed };
}

/** Runs an agent under the watch for stalls; one that has stalled has failed. */
export async function watched(
  clock: Clock,
  allowed: StallLimit,
  signal: AbortSignal,
  report: (event: TurnEvent) => void,
  run: (until: AbortSignal, heard: (event: TurnEvent) => void) => Promise<TurnResult>,
): Promise<TurnResult> {
  const silence = new AbortController();
  const watch = watchStall(clock, allowed, () => silence.abort());
  let result: TurnResult;
  try {
    result = await run(AbortSignal.any([signal, silence.signal]), (event) => {
      watch.heard();
      report(event);
    });
  } finally {
    watch.end();
  }
  if (!watch.stalled() || signal.aborted) return result;
  return { ...result, stop: "failed", failure: stallFailure(allowed.limit ?? 0) };
}

async function harvest(
  plan: TurnPlan,
  workspaces: Workspaces,
  outbox: string,
  result: TurnResult,
  before: string,
  place: HookPlace,
): Promise<FinishedTurn> {
  const { tree, run, brief } = plan;
  await endTurnFacts(outbox);
  const status = await readStatus(workspaces.path(tree), brief.statusVersion);
  const { entries, problems } =
    result.ask === undefined ? await readOutbox(outbox, plan.facts) : asking(result.ask, plan.facts);
  const used = await turnUsage(outbox, result, brief.prices, brief.substitute ?? run.agent);
  const refusals = await readRefusals(outbox);
  const outcome = await readRecord(workspaces.path(tree));
  const over = result.stop === "failed" || outcome !== null || (status !== undefined && "token" in status);
  const trouble = over ? await runHook(brief.hooks, "after_run", place) : undefined;
  const hook = trouble?.kind === "failed" ? [trouble.why] : [];
  const undeclared = await declareResolved(tree, outbox, workspaces);
  const completed = result.stop === "aborted" ? undefined : await workspaces.complete(tree);
  const label = `${plan.facts.serial}.${run.turn}`;
  const { commit, changed, left } = await workspaces.snapshot(tree, label, before);
  const files = entries.flatMap((entry) => (entry.verb === "send" ? entry.files : []));
  const kept = new Set<string>();
  const missing: string[] = [];
  for (const file of files) {
    try {
      await workspaces.keep(join(outbox, FILES_FOLDER), [file]);
      kept.add(file.sha256);
    } catch (error) {
      if (!isFaultOfTurn(error)) throw error;
      missing.push(`file ${file.path} was not sent: ${error.message}`);
    }
  }
  return {
    result: { ...result, usage: used.usage },
    entries,
    problems: [...problems, ...used.problems, ...undeclared, ...missing, ...hook, ...left],
    refusals,
    outcome,
    status,
    commit,
    changed,
    completed,
    kept,
    millis: 0,
  };
}

/** The calls of a turn that asks, whatever else it has said. */
function asking(text: string, facts: TurnFacts): Pick<Outbox, "entries" | "problems"> {
  return { entries: [{ verb: "ask", question: mintedQuestion(facts, 1), text }], problems: [] };
}

/** Takes up what the agent has declared resolved. Returns why some of it is not, one sentence each. */
async function declareResolved(
  tree: ThreadId,
  outbox: string,
  workspaces: Workspaces,
): Promise<readonly string[]> {
  const { paths, problems } = await readResolved(outbox);
  const refused: string[] = [];
  for (const path of paths) {
    try {
      await workspaces.resolve(tree, path);
    } catch (error) {
      if (!isFaultOfTurn(error)) throw error;
      refused.push(`cfa resolve came to nothing: ${error.message}`);
    }
  }
  return [...problems, ...refused];
}

/** A turn of which nothing is left: it was stopped before it began, or its workspace is not what it was. */
export function turnWithout(stop: "aborted" | "failed", failure?: string): FinishedTurn {
  return {
    result: {
      stop,
      text: "",
      session: null,
      usage: UNKNOWN_USAGE,
      ...(failure === undefined ? {} : { failure }),
    },
    entries: [],
    problems: [],
    refusals: [],
    outcome: null,
    status: undefined,
    commit: null,
    changed: false,
    completed: undefined,
    kept: new Set(),
    millis: 0,
  };
}
