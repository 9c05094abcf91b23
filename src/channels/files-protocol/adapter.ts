/**
 * The `files` adapter: an agent that is given its work as files and delivers it as files (docs/files.md).
 *
 * A1. It runs a program as the `command` adapter does; working directory is the home of the conversation, beside the worktree.
 * A2. Inside a boundary home and worktree can be written, SKILL.md, inbox/ and kept/ read.
 * A3. The turn ends when the program has ended; then, and only then, its files are judged (judge.ts).
 * A4. What an agent puts in the way of cfa in its home or worktree fails its turn with a sentence.
 */
import { basename, join } from "node:path";
import { commandAgent, type CommandOptions } from "../../runtime/agents/command.ts";
import type { AgentAdapter, TurnEvent, TurnRequest, TurnResult } from "../../runtime/agents/port.ts";
import { type Mount, open, seen } from "../../runtime/boundary/port.ts";
import type { Clock } from "../../runtime/clock.ts";
import { readOutbox } from "../../runtime/outbox-store.ts";
import { UNKNOWN_USAGE } from "../../runtime/usage.ts";
import { PathRefused } from "../../runtime/workspaces/port.ts";
import { collectInto, type Demand, inspectDelivery, requiredOf } from "./delivery.ts";
import { beginExchange, endExchange, withExchange } from "./exchange.ts";
import { keepTurn, makeHome, skillText, unlockHome } from "./home.ts";
import { fillInbox } from "./inbox.ts";
import { failureOf, leftBehind, shortOf, summaryOf, waitsFor, workOf } from "./judge.ts";
import { filesHome, HOMES_FOLDER, INBOX_FOLDER, KEPT_FOLDER, SKILL_FILE } from "./layout.ts";
import { placeDependencies } from "./manifest.ts";
import { type Followed, UNFOLLOWED, watchStatus } from "./watch.ts";

/** How a file-based agent is run. */
export type FilesOptions = Omit<CommandOptions, "setting" | "programs" | "prompt"> &
  Demand & {
    /** Folder of the job, `.cfa/jobs/<id>`. */
    readonly jobDirectory: string;
    /** Files up to this size are copied into the inbox, bytes. */
    readonly inlineLimit: number;
    /** Which failures are put to the human, where anybody may be asked. */
    readonly escalates: { readonly recoverable: boolean; readonly unrecoverable: boolean };
    readonly clock: Clock;
    /** How often status.json is looked at, milliseconds; {@link LOOK_MILLIS} unless given. */
    readonly interval?: number;
  };

const LOOK_MILLIS = 250;

/** An agent that speaks the file-based protocol. */
export function filesAgent(options: FilesOptions): AgentAdapter {
  const program = commandAgent(options);
  return {
    ...program,
    run: async (request, report) => {
      try {
        return await runTurn(options, request, report);
      } catch (error) {
        if (!(error instanceof PathRefused)) throw error;
        return failedBefore(error.message);
      }
    },
  };
}

async function runTurn(
  options: FilesOptions,
  request: TurnRequest,
  report: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const { facts, workspace } = request;
  const home = filesHome(options.jobDirectory, facts.thread);
  await makeHome(home, facts.turn, await skillText(facts, options.roleDirectory));
  const lacking = await placeDependencies(options.jobDirectory, home, request.beside?.dependencies);
  if (lacking !== undefined)
    return { ...failedBefore(lacking), work: { state: "pending", recoverable: false } };
  const before = await beginExchange(home, request, options.clock.now());
  const demand = { required: requiredOf(options), collect: options.collect };
  const input = await fillInbox(home, request, { ...demand, inlineLimit: options.inlineLimit });
  const setting = { cwd: home, input, env: { CFA_WORKTREE: workspace }, mounts: homeMounts(home) };
  const { clock, interval = LOOK_MILLIS } = options;
  const watch = watchStatus(home, { clock, interval }, (text) => report({ kind: "progress", text }));
  let ended: TurnResult;
  let followed = UNFOLLOWED;
  try {
    ended = await commandAgent({ ...options, setting }).run(request, report);
  } finally {
    followed = await watch.end();
  }
  if (ended.stop === "aborted") return ended;
  await unlockHome(home);
  const exchanged = await endExchange(home, before, request);
  const judged = await judge(options, request, home, ended, followed, exchanged.asked);
  const completed = followed.state === "completed";
  return { ...(await withExchange(judged, exchanged, request, completed)), work: workOf(followed) };
}

/** A turn whose program has done nothing that counts. */
function failedBefore(failure: string): TurnResult {
  return { stop: "failed", failure, text: "", session: null, usage: UNKNOWN_USAGE };
}

/** What the agent sees of its home inside a boundary (A2). */
function homeMounts(home: string): readonly Mount[] {
  return [open(home), ...[SKILL_FILE, INBOX_FOLDER, KEPT_FOLDER].map((name) => seen(join(home, name)))];
}

async function judge(
  options: FilesOptions,
  request: TurnRequest,
  home: string,
  ended: TurnResult,
  followed: Followed,
  asked: boolean,
): Promise<TurnResult> {
  const { entries } = await readOutbox(request.outbox, request.facts);
  const waits = asked || waitsFor(entries, request.facts);
  const failure = failureOf(followed, ended, waits);
  if (failure !== undefined) return failed(options, request, home, ended, followed, failure);
  if (followed.state !== "completed") return { ...ended, text: "" };
  const delivery = await inspectDelivery(home, options);
  const missing = shortOf(delivery);
  if (missing !== undefined) return failed(options, request, home, ended, followed, missing);
  await collectInto(request.workspace, home, options.collect);
  const problems = [...(ended.problem === undefined ? [] : [ended.problem]), ...delivery.remarks];
  const problem = problems.length === 0 ? {} : { problem: problems.join("; ") };
  return { ...ended, text: await summaryOf(home), ...problem };
}

/** A failed turn; or, where the agent's recovery says so, one that asks the human what to do. */
async function failed(
  options: FilesOptions,
  { facts }: TurnRequest,
  home: string,
  ended: TurnResult,
  followed: Followed,
  sentence: string,
): Promise<TurnResult> {
  await keepTurn(home, facts.turn);
  const kept = join(KEPT_FOLDER, String(facts.turn));
  const { where, report } = await leftBehind(join(home, kept), join(HOMES_FOLDER, basename(home), kept));
  const failure = where === "" ? sentence : `${sentence}; ${where}`;
  const { recoverable } = workOf(followed);
  const { escalates } = options;
  const isAsked = recoverable ? escalates.recoverable : escalates.unrecoverable;
  if (!isAsked || facts.policy === "never") return { ...ended, stop: "failed", failure, text: report };
  const ask = `${facts.agent} on ${facts.thread} cannot go on: ${failure}. What should it do?`;
  const { failure: _none, ...rest } = ended;
  return {
    ...rest,
    stop: "ended",
    text: "",
    problem: failure,
    ask: report === "" ? ask : `${ask}\n\n${report}`,
  };
}
