/**
 * One turn of the proxy: an agent in a copy of its asker's workspace, on one question. The whole of it holds the copy.
 *
 * T1. The copy is confirmed first, and made anew when a crash or the agent has taken it away.
 * T2. The outbox of a turn that was lost is moved aside, never read.
 * T3. What stays of the turn is what it said: nothing of the copy is committed, merged or kept.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Proxy } from "../../soup/molecule.ts";
import type { AgentAdapter, TurnEvent, TurnFacts, TurnResult } from "../agents/port.ts";
import type { Clock } from "../clock.ts";
import type { ProxyBrief } from "../director.ts";
import type { OutboxEntry } from "../outbox.ts";
import { endTurnFacts, writeTurnFacts } from "../outbox-facts.ts";
import { readRefusals } from "../outbox-refusals.ts";
import { readOutbox } from "../outbox-store.ts";
import { type TurnDirectories, watched } from "../turn.ts";
import { isFaultOfTurn } from "../turn-fault.ts";
import { moveAside } from "../turn-files.ts";
import { UNKNOWN_USAGE } from "../usage.ts";
import { turnUsage } from "../usage-file.ts";
import type { Workspaces } from "../workspaces/port.ts";
import { conversationOf } from "../../persistence/conversation.ts";

/** Everything that a turn of the proxy needs. */
export type ProxyPlan = {
  readonly proxy: Proxy;
  /** The agent that stands for the human. */
  readonly agent: string;
  readonly job: string;
  /** Number of the turn on the question, from 1. */
  readonly turn: number;
  readonly brief: ProxyBrief;
  readonly session: string | undefined;
  /** Commit of which the workspace is a copy. */
  readonly commit: string;
};

/** With what it is run. */
export type ProxyMeans = {
  readonly workspaces: Pick<Workspaces, "copy" | "exclusive" | "path">;
  readonly adapter: AgentAdapter;
  readonly directories: TurnDirectories;
  /** Stops the agent when it aborts. */
  readonly signal: AbortSignal;
  readonly report: (event: TurnEvent) => void;
  readonly clock: Clock;
};

/** What a turn of the proxy left. */
export type FinishedProxyTurn = {
  readonly result: TurnResult;
  readonly entries: readonly OutboxEntry[];
  /** What was not understood or could not be kept, one sentence each. */
  readonly problems: readonly string[];
  /** Calls that were refused while the turn ran, one sentence each. */
  readonly refusals: readonly string[];
  readonly millis: number;
};

/** Runs a turn to its end. What an agent has done to its copy or outbox fails the turn; rejects for all else (turn-fault.ts). */
export async function runProxyTurn(plan: ProxyPlan, means: ProxyMeans): Promise<FinishedProxyTurn> {
  const started = means.clock.now().getTime();
  const finished = await carryOut(plan, means).catch((error: unknown): Left => {
    if (!isFaultOfTurn(error)) throw error;
    const result = {
      stop: "failed",
      failure: error.message,
      text: "",
      session: null,
      usage: UNKNOWN_USAGE,
    } as const;
    return { result, entries: [], problems: [], refusals: [] };
  });
  return { ...finished, millis: means.clock.now().getTime() - started };
}

type Left = Omit<FinishedProxyTurn, "millis">;

async function carryOut(plan: ProxyPlan, means: ProxyMeans): Promise<Left> {
  const { workspaces, adapter, directories, signal, report, clock } = means;
  const { proxy, turn, brief } = plan;
  const conversation = conversationOf(proxy.question);
  await workspaces.copy(conversation, plan.commit);
  return workspaces.exclusive(conversation, async () => {
    const workspace = workspaces.path(conversation);
    const facts = factsOf(plan, workspace);
    const outbox = join(directories.turns, proxy.question, String(turn));
    await moveAside(outbox);
    await mkdir(outbox, { recursive: true });
    await writeTurnFacts(outbox, facts);
    await mkdir(directories.streams, { recursive: true });
    const result = await watched(
      clock,
      { limit: brief.stall, exempt: () => false },
      signal,
      report,
      (until, heard) =>
        adapter.run(
          {
            facts,
            message: proxy.text,
            prompt: brief.prompt,
            instructions: brief.instructions,
            session: plan.session,
            workspace,
            outbox,
            stream: join(directories.streams, `${proxy.question}.${turn}.log`),
            entry: "draft",
            artifacts: brief.artifacts,
            timeout: brief.timeout,
            signal: until,
          },
          heard,
        ),
    );
    await endTurnFacts(outbox);
    const { entries, problems } = await readOutbox(outbox, facts);
    const { usage, problems: unread } = await turnUsage(outbox, result, brief.prices, plan.agent);
    const unkept = result.problem === undefined ? [] : [result.problem];
    return {
      result: { ...result, usage },
      entries,
      problems: [...unkept, ...problems, ...unread],
      refusals: await readRefusals(outbox),
    };
  });
}

/** What early refusal needs to know: a proxy has no team, and writes no outcome. */
function factsOf({ proxy, agent, job, turn, brief }: ProxyPlan, workspace: string): TurnFacts {
  const { question, policy, phase } = proxy;
  return {
    job,
    thread: conversationOf(question),
    turn,
    agent,
    serial: 0,
    state: brief.state,
    lead: false,
    roster: [],
    parent: null,
    children: [],
    closed: [],
    cap: 0,
    overCap: "refuse",
    policy,
    outcomes: [],
    timeout: brief.timeout,
    spending: brief.spending,
    skill: brief.skill,
    tools: brief.tools,
    workspace,
    proxy: { question, policy, phase, asksHuman: brief.asksHuman },
  };
}
