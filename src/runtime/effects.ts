/**
 * Effects: what the committed state asks of the world, and what came of it.
 *
 * F1. An effect is keyed by thread and turn and derived from the state, never from an intention: starting the
 *     scheduler again on the same state starts the same effects.
 * F2. An effect's result comes back as drafts, in the order in which effects end; a result that the state no longer
 *     asks for (another turn number, an ended thread) is dropped by name: what it has used, its session and its edits stay.
 * F3. Whatever an agent does to its tree ends as a failed turn, or as a conflict (held.ts); the tree is mended before the next.
 * F4. A tree into which an ended thread is still to be merged gets no turn before that, unless the tree holds a
 *     conflict, which only a turn can resolve.
 * F5. A turn that waits for siblings of its agent (dependencies/readiness.ts) takes no slot, and is looked at again after every commit.
 * F6. When an agent has ended, its tree is touched only by the owner of the job: whoever lost it meanwhile would commit
 *     what an agent of the new owner is writing there.
 */
import type { Draft } from "../persistence/entry.ts";
import { invariant } from "../soup/invariant.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";
import type { Run } from "../soup/molecule.ts";
import type { AgentAdapter, TurnEvent } from "./agents/port.ts";
import type { View } from "./director.ts";
import { EffectTasks } from "./effect-tasks.ts";
import { ProxyEffects, type ProxyEffectsOptions, type ProxyTurn } from "./escalation/proxy-effects.ts";
import { MemoryEffects } from "./escalation/remember.ts";
import { forgetStatus, type LostStatus, mendTree, putBack } from "./lost-turns.ts";
import { Notifications, type Notifier } from "./notifications.ts";
import { type Launch, TreeEffects, type TreeEffectsOptions } from "./tree-effects.ts";
import { type FinishedTurn, runTurn, type TurnPlan, turnWithout } from "./turn.ts";
import { isFaultOfTurn } from "./turn-fault.ts";
import { overtakenTurn, turnDrafts } from "./turn-drafts.ts";
import { planOf } from "./turn-plan.ts";
import { TreeBroken } from "./workspaces/port.ts";

/** What effects are made with. */
export type EffectsOptions = TreeEffectsOptions &
  ProxyEffectsOptions & {
    /** Most turns at a time. */
    readonly concurrency: number;
    /** Carry out what people have asked for, start no turn, and end: for a process that runs the job only to do that. */
    readonly actsOnly?: boolean;
    readonly overCap: "refuse" | "wait";
    readonly onTurnEvent?: (thread: ThreadId, event: TurnEvent) => void;
    /** Tells the human of questions outside of cfa; absent where nobody has asked for that. */
    readonly notifier?: Notifier;
    /** Rejects with StaleCommit when another process has claimed the job meanwhile (F6). */
    readonly refuseLost: () => Promise<void>;
  };

type Running = { readonly run: Run; readonly controller: AbortController };

/** See the header. */
export class Effects {
  readonly #options: EffectsOptions;
  readonly #view: () => View;
  readonly #tasks: EffectTasks;
  /** Runs of program agents that the state holds, by thread. */
  readonly #runs = new Map<ThreadId, Run>();
  /** Threads with a broadcast under way, and threads with questions. */
  readonly #senders = new Set<ThreadId>();
  readonly #askers = new Set<ThreadId>();
  /** Turns under way, by thread and turn. */
  readonly #turns = new Map<string, Running>();
  readonly #trees: TreeEffects;
  readonly #proxies: ProxyEffects;
  readonly #memory: MemoryEffects | undefined;
  readonly #notifications: Notifications;

  constructor(options: EffectsOptions, view: () => View, wake: () => void) {
    this.#options = options;
    this.#view = view;
    this.#tasks = new EffectTasks(wake);
    const launch: Launch = (work) => this.#tasks.launch(work);
    this.#trees = new TreeEffects(options, view, launch);
    this.#proxies = new ProxyEffects(options, {
      view,
      launch,
      report: (turn, event) => this.#report(turn, () => this.#proxies.isCurrent(turn), event),
      fenced: (adapter, begin) => this.#fenced(adapter, begin),
      hasRoom: () => options.actsOnly !== true && this.running() < options.concurrency,
    });
    const { remembered, job } = options;
    this.#memory = remembered && new MemoryEffects(remembered, job, launch);
    this.#notifications = new Notifications(options.job, options.notifier, launch);
  }

  /** Reconciles the trees with the log; puts back those whose turn was lost. Returns what the lost ones had signalled. */
  async prepare(lost: readonly Run[] = []): Promise<readonly LostStatus[]> {
    const { workspaces, director, directories } = this.#options;
    const { ledger } = this.#view();
    const trees = ledger.liveTrees();
    await workspaces.reconcile(trees);
    for (const tree of trees) await this.#trees.ensure(tree, ledger);
    return putBack(lost, ledger, { workspaces, director, directories });
  }

  /** Removes the status files that a commit has taken up: none is taken up twice. */
  forget(signalled: readonly LostStatus[]): Promise<void> {
    return forgetStatus(signalled, this.#options);
  }

  /** Takes note of threads whose molecules may have changed; turns that the state no longer holds are stopped. */
  observe(threads: Iterable<ThreadId>): void {
    const view = this.#view();
    const { configuration, ledger } = view;
    for (const thread of threads) {
      this.#proxies.observe(thread, view);
      this.#memory?.observe(thread, ledger);
      const cell = configuration.cell(thread);
      const run = cell?.lifecycles.find((one) => one.kind === "Run");
      if (run?.kind === "Run" && thread !== ledger.root) this.#runs.set(thread, run);
      else this.#runs.delete(thread);
      toggle(this.#senders, thread, cell?.lifecycles.some(({ kind }) => kind === "Send") ?? false);
      toggle(this.#askers, thread, (cell?.questions.length ?? 0) > 0);
    }
    for (const { run, controller } of this.#turns.values()) {
      if (this.#runs.get(run.thread)?.turn !== run.turn) controller.abort();
    }
  }

  /** Threads that have asked something. */
  askers(): ReadonlySet<ThreadId> {
    return this.#askers;
  }

  /** Threads whose turn waits for a slot or runs. */
  active(): ReadonlySet<ThreadId> {
    return new Set([...this.#runs.keys(), ...this.#proxies.active()]);
  }

  /** Threads whose turn is under way. */
  underWay(): ReadonlySet<ThreadId> {
    return new Set([...this.#turns.values()].map(({ run }) => run.thread));
  }

  /** How many turns are under way. */
  running(): number {
    return this.#turns.size + this.#proxies.running();
  }

  /** Something is under way or has ended without having been taken up. */
  busy(): boolean {
    return this.#tasks.busy();
  }

  /** Drafts of the effects that have ended, one group an effect; each is made against the state of its moment. */
  finished(): IterableIterator<readonly Draft[]> {
    return this.#tasks.finished();
  }

  /** Starts what the state asks for and is not under way. */
  start(): void {
    const view = this.#view();
    this.#trees.start(view, this.#senders);
    this.#notifications.start(view);
    for (const run of this.#runs.values()) this.#startTurn(run, this.#view());
    this.#proxies.start();
    this.#memory?.start(view.ledger);
  }

  /** Stops all turns and waits until nothing of them is alive. */
  async stop(): Promise<void> {
    for (const { controller } of this.#turns.values()) controller.abort();
    this.#proxies.stop();
    this.#notifications.stop();
    await this.#tasks.ended();
  }

  #startTurn(run: Run, view: View): void {
    const { director, agents, concurrency } = this.#options;
    const { thread, turn } = run;
    const key = `${thread} ${turn}`;
    const tree = director.treeOf(thread);
    if (this.#turns.has(key) || this.running() >= concurrency || this.#trees.mergesInto(tree, view)) return;
    // A turn goes on in the session of the one that it takes the place of, which is known when that one has ended.
    if ([...this.#turns.values()].some((under) => under.run.thread === thread)) return;
    if (this.#options.actsOnly === true || director.hindrance(view) !== undefined) return;
    const readiness = director.readiness(thread, view);
    if (readiness.kind === "hold") return;
    const plan = planOf(run, view, this.#options, readiness);
    const by = plan.brief.substitute ?? run.agent;
    const adapter = agents[by];
    invariant(adapter !== undefined, `no adapter for ${by}`);
    const controller = new AbortController();
    this.#turns.set(key, { run, controller });
    let began = false;
    this.#tasks.launch(async () => {
      const begin = () => (began = true);
      const finished =
        readiness.kind === "impossible"
          ? neverStarted(readiness.why)
          : await this.#carryOut(plan, adapter, controller.signal, begin).catch(brokenTurn);
      return () => {
        this.#turns.delete(key);
        const view = this.#view();
        if (!this.#isCurrent(run)) return began ? [overtakenTurn(plan, finished, view)] : [];
        if (finished.result.stop === "aborted") return [];
        return turnDrafts(plan, finished, view, director, this.#options.overCap);
      };
    });
  }

  /** Runs a turn in its tree, which is put back before where somebody has damaged it; `begin` hears that its agent begins. */
  async #carryOut(
    plan: TurnPlan,
    adapter: AgentAdapter,
    signal: AbortSignal,
    begin: () => void,
  ): Promise<FinishedTurn> {
    const { workspaces, directories, clock } = this.#options;
    const { run, tree, facts, brief } = plan;
    await mendTree(workspaces, this.#view().ledger, tree, `${facts.serial}.${run.turn}`);
    return runTurn(plan, {
      workspaces,
      adapter: this.#fenced(adapter, begin),
      directories,
      signal,
      report: (event) => this.#report(run, () => this.#isCurrent(run), event, brief.substitute),
      clock,
      asks: () => this.#askers.has(run.thread),
    });
  }

  /** The state still holds the Run. */
  #isCurrent({ thread, turn }: Run): boolean {
    return this.#runs.get(thread)?.turn === turn;
  }

  /** The adapter, whose turns end only for the owner (F6); `begin` hears that one begins. */
  #fenced(adapter: AgentAdapter, begin: () => void): AgentAdapter {
    const run: AgentAdapter["run"] = async (request, report) => {
      begin();
      const result = await adapter.run(request, report);
      await this.#options.refuseLost();
      return result;
    };
    return { boundary: adapter.boundary, run };
  }

  /** `substitute` is the agent that stands in; null where none does. */
  #report(
    { thread, turn, agent }: ProxyTurn,
    isCurrent: () => boolean,
    event: TurnEvent,
    substitute: AgentName | null = null,
  ): void {
    this.#options.onTurnEvent?.(thread, event);
    if (event.kind !== "started") return;
    const { pid, started } = event;
    const kind = this.#options.agents[substitute ?? agent]?.boundary;
    const boundary = kind === undefined || kind === "in-process" ? {} : { boundary: kind };
    const by = substitute === null ? {} : { by: substitute };
    this.#tasks.report(() =>
      isCurrent() ? [{ kind: "start", body: { thread, turn, agent, pid, started, ...boundary, ...by } }] : [],
    );
  }
}

/** A turn whose tree could not be mended has failed, with a sentence; it is tried again before the next one. */
function brokenTurn(error: unknown): FinishedTurn {
  if (!(error instanceof TreeBroken) || !isFaultOfTurn(error)) throw error;
  return turnWithout("failed", error.message);
}

/** Another try would be as impossible. */
function neverStarted(why: string): FinishedTurn {
  const finished = turnWithout("failed", why);
  return { ...finished, result: { ...finished.result, work: { state: "pending", recoverable: false } } };
}

function toggle(set: Set<ThreadId>, thread: ThreadId, on: boolean): void {
  if (on) set.add(thread);
  else set.delete(thread);
}
