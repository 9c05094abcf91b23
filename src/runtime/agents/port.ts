/**
 * The agent port, shaped after the Agent Client Protocol: start or resume a session, prompt, stream events, stop
 * reason, usage, cancel.
 *
 * A1. `run` settles when nothing of the turn is alive any more: no process, no descendant.
 * A2. `run` never rejects for what an agent does; a failure is a {@link TurnResult}. It rejects only for bugs.
 * A3. An aborted signal stops the turn: interrupt, then terminate, then kill.
 */
import type { AgentName, Message, Policy, QuestionId, ThreadId } from "../../soup/message.ts";
import type { ProxyPhase } from "../../soup/molecule.ts";
import type { BoundaryKind, Mount } from "../boundary/port.ts";
import type { Dependencies } from "../dependencies/readiness.ts";
import type { Usage } from "../usage.ts";

/** A tool that a role has of its own (docs/mcp.md). */
export type RoleTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Program and arguments. */
  readonly run: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
};

/** How much of something is used up. */
export type Amount = {
  /** Null: nobody has reported any. */
  readonly spent: number | null;
  /** False: some turns did not report theirs, and `spent` is a lower bound. */
  readonly complete: boolean;
  readonly limit: number | null;
};

/** What the job has spent when a turn begins, and what it may spend. */
export type Spending = {
  readonly turns: Amount;
  readonly tokens: Amount;
  /** US dollars. */
  readonly usd: Amount;
  /** Turns of the lead in this entry to its state; null for whoever leads none. */
  readonly stateTurns: Amount | null;
};

/** What an agent sends: work to others, results to whoever dispatched it, questions (docs/roles.md). */
export type Sendable = "task" | "reply" | "question";

/** The question that a turn of the proxy is about, as far as early refusal needs it. */
export type ProxyFacts = {
  readonly question: QuestionId;
  readonly policy: Policy;
  /** Whether the human has replied in this escalation. */
  readonly phase: ProxyPhase;
  /** The human may be asked: by the policy, and because there is one. */
  readonly asksHuman: boolean;
};

/** What early refusal needs, and what an agent may ask about its turn; written as `turn.json` beside the outbox. */
export type TurnFacts = {
  readonly job: string;
  readonly thread: ThreadId;
  readonly turn: number;
  readonly agent: AgentName;
  /** Serial number of the thread in the job, from 0; part of the ids that the turn mints. */
  readonly serial: number;
  /** State of the job machine, for example `PLAN`. */
  readonly state: string;
  /** True for the lead of a state: it may write an outcome record. */
  readonly lead: boolean;
  /** Agents that this one may spark. */
  readonly roster: readonly AgentName[];
  /** What its role lets it send; absent where it may send everything. */
  readonly sends?: readonly Sendable[] | undefined;
  /** The instance that sparked this thread; null for a state lead (its parent is the orchestrator). */
  readonly parent: { readonly agent: AgentName; readonly thread: ThreadId } | null;
  /** Open children: neither closed nor dying. */
  readonly children: readonly { readonly agent: AgentName; readonly thread: ThreadId }[];
  /** Children that have ended; a send to them is refused with a hint. */
  readonly closed: readonly ThreadId[];
  readonly cap: number;
  readonly overCap: "refuse" | "wait";
  readonly policy: Policy;
  /** Outcomes that the record may name in this state; empty for those who may write none. */
  readonly outcomes: readonly string[];
  /** Longest time of the turn, milliseconds. */
  readonly timeout: number;
  readonly spending: Spending;
  /** Skill that the agent works by; `file` is the SKILL.md that cfa ships under that name, null when it ships none. */
  readonly skill: { readonly name: string; readonly file: string | null } | null;
  /** Tools of the role beside cfa's own. */
  readonly tools: readonly RoleTool[];
  /** Absolute path of the turn's working directory, where the outcome record goes and named files are looked up. */
  readonly workspace: string;
  /** Present in the turns of the proxy, and only there. */
  readonly proxy?: ProxyFacts;
};

/** What an agent that talks in files is told of the agents beside it (docs/files-dependencies.md). */
export type Beside = {
  /** Agents that its parent may open, itself included: whom it may address through its parent. */
  readonly siblings: readonly AgentName[];
  /** What it starts with; present until a turn of it has ended well, where it needs somebody. */
  readonly dependencies?: Dependencies;
};

/** One turn to run. */
export type TurnRequest = {
  readonly facts: TurnFacts;
  readonly message: Message;
  /** The message as the agent reads it: task, artifacts, tools; what goes to standard input. */
  readonly prompt: string;
  /** What follows the prompt in the first turn of a dispatch, for agents that are models; empty in every other (docs/skills.md). */
  readonly instructions: string;
  /** Handle of the session to resume; undefined starts one. */
  readonly session: string | undefined;
  /** Working directory: the tree of the thread. */
  readonly workspace: string;
  /** The turn's outbox directory; exists, with `turn.json` in it. */
  readonly outbox: string;
  /** Append-only file for what the agent prints. */
  readonly stream: string;
  /** Whether the state's artifact exists already (CfA §4, START). */
  readonly entry: "draft" | "align";
  /** Artifact names by key, relative to the workspace. */
  readonly artifacts: Readonly<Record<string, string>>;
  /** Files that came with the message, as paths in the workspace; none unless given. */
  readonly files?: readonly string[];
  /** What a confined program sees of the tree's history; absent where there is none. */
  readonly history?: () => Promise<readonly Mount[]>;
  /** The agents beside it; absent in turns of the proxy. */
  readonly beside?: Beside;
  /** Longest time from the start of the program to its end, milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
};

/** Stages of the work of a file-based agent, in their order (docs/files.md, "The life cycle"). */
export const WORK_STATES = ["pending", "running", "completed", "failed"] as const;

/** One of {@link WORK_STATES}. */
export type WorkState = (typeof WORK_STATES)[number];

/** How far a file-based agent had come by its own account when its program ended. */
export type Work = {
  readonly state: WorkState;
  /** False where it says that trying again would not help. */
  readonly recoverable: boolean;
};

/** What a running turn reports. */
export type TurnEvent =
  /** The program runs; identity for recognising it after a crash. */
  | { readonly kind: "started"; readonly pid: number | null; readonly started: string | null }
  /** A line of output, for progress views; may be dropped under load. */
  | { readonly kind: "line"; readonly text: string }
  /** How far the work has come, in one line; may be dropped under load. */
  | { readonly kind: "progress"; readonly text: string };

/** The whole of what a model is told in a turn: its message, then the instructions. */
export function fullPrompt({ prompt, instructions }: Pick<TurnRequest, "prompt" | "instructions">): string {
  return instructions === "" ? prompt : `${prompt}\n\n${instructions}\n`;
}

/** How a turn ended. */
export type TurnResult = {
  readonly stop: "ended" | "failed" | "aborted";
  /** What went wrong, one sentence; present when `stop` is `failed`. */
  readonly failure?: string;
  /** What could not be kept of the turn, one sentence; it goes into the log and fails nothing. */
  readonly problem?: string;
  /** What it has said in vain, one sentence each; they go into the log and fail nothing. */
  readonly remarks?: readonly string[];
  /** The final text; the reply of a child that sends nothing itself. Long output is cut, with a remark that says so. */
  readonly text: string;
  readonly session: string | null;
  readonly usage: Usage;
  /** Only of file-based agents. */
  readonly work?: Work;
  /** What the human is asked in place of all that the turn has said; only of a turn that has `ended`. */
  readonly ask?: string;
};

/** A workspace in which turns are to run. */
export type Place = Pick<TurnRequest, "workspace" | "history">;

/** An adapter runs the turns of one role. */
export interface AgentAdapter {
  /** How the role is confined, shown by progress and log: `advisory` is no boundary; `in-process` runs inside cfa. */
  readonly boundary: BoundaryKind | "in-process";
  /**
   * Proves that the boundary holds around a workspace. Rejects with a sentence when it does not, or cannot be tried. Absent where
   * there is no boundary to prove.
   */
  prove?(place: Place): Promise<void>;
  run(request: TurnRequest, report: (event: TurnEvent) => void): Promise<TurnResult>;
}
