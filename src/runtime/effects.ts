/**
 * Effects: what the committed state asks of the world, and what came of it.
 *
 * F1. An effect is keyed by thread and turn and derived from the state, never from an intention: starting the
 *     scheduler again on the same state starts the same effects.
 * F2. An effect's result comes back as drafts, in the order in which effects end; a result that the state no longer
 *     asks for (another turn number, an ended thread) is dropped.
 * F3. A tree into which an ended thread is still to be merged gets no turn and no branch before that, unless the tree
 *     holds a conflict, which only a turn can resolve.
 * F4. An ended thread's tree leaves after those of its children.
 */
import { join } from "node:path";
import type { Draft, EntryBody } from "../persistence/entry.ts";
import { refusalOf } from "../rules/refusal.ts";
import { invariant, InvariantViolation } from "../soup/invariant.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";
import type { Run } from "../soup/molecule.ts";
import type { AgentAdapter, TurnEvent } from "./agents/port.ts";
import type { Clock } from "./clock.ts";
import type { Director, View } from "./director.ts";
import { isBlocked, releaseTree } from "./release.ts";
import { runTurn, setAside, type TurnDirectories } from "./turn.ts";
import { factsOf, turnDrafts } from "./turn-drafts.ts";
import type { Workspaces } from "./workspaces/port.ts";

/** What effects are made with. */
export type EffectsOptions = {
  readonly job: string;
  readonly director: Director;
  readonly workspaces: Workspaces;
  readonly agents: Readonly<Record<AgentName, AgentAdapter>>;
  readonly directories: TurnDirectories;
  readonly clock: Clock;
  /** Most turns at a time. */
  readonly concurrency: number;
  readonly overCap: "refuse" | "wait";
  /** Commit on which the job's tree starts, and artifacts that it starts with. */
  readonly base: string;
  readonly seeds: readonly { readonly path: string; readonly bytes: string }[];
  readonly onTurnEvent?: (thread: ThreadId, event: TurnEvent) => void;
};

type Running = { readonly run: Run; readonly controller: AbortController };

/** See the header. */
export class Effects {
  readonly #options: EffectsOptions;
  readonly #view: () => View;
  readonly #wake: () => void;
  /** Runs of program agents that the state holds, by thread. */
  readonly #runs = new Map<ThreadId, Run>();
  /** Threads with a broadcast under way, and threads with questions. */
  readonly #senders = new Set<ThreadId>();
  readonly #askers = new Set<ThreadId>();
  /** Turns under way, by thread and turn. */
  readonly #turns = new Map<string, Running>();
  /** Other effects under way, by key. */
  readonly #others = new Set<string>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #results: (() => readonly Draft[])[] = [];

  constructor(options: EffectsOptions, view: () => View, wake: () => void) {
    this.#options = options;
    this.#view = view;
    this.#wake = wake;
  }

  /** Reconciles the trees with the log; puts back those whose turn was lost. */
  async prepare(lost: readonly Run[] = []): Promise<void> {
    const { workspaces, director, directories } = this.#options;
    const { ledger } = this.#view();
    const trees = [...ledger.threads.values()].filter(
      (one) => !one.closed || ledger.unreleased.has(one.thread),
    );
    await workspaces.reconcile([...new Set(trees.map(({ thread }) => director.treeOf(thread)))]);
    for (const { thread, turn } of lost) {
      const tree = director.treeOf(thread);
      if (thread === ledger.root) continue;
      const { serial } = ledger.thread(thread);
      await setAside(join(directories.turns, String(serial), String(turn)), workspaces.path(tree));
      await workspaces.restore(tree, ledger.snapshots.get(tree) ?? null, `${serial}.${turn}`);
    }
  }

  /** Takes note of threads whose molecules may have changed; turns that the state no longer holds are stopped. */
  observe(threads: Iterable<ThreadId>): void {
    const { configuration, ledger } = this.#view();
    for (const thread of threads) {
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
    return new Set(this.#runs.keys());
  }

  /** How many turns are under way. */
  running(): number {
    return this.#turns.size;
  }

  /** Something is under way or has ended without having been taken up. */
  busy(): boolean {
    return this.#tasks.size > 0 || this.#results.length > 0;
  }

  /** Drafts of the effects that have ended, one group an effect; each is made against the state of its moment. */
  *finished(): IterableIterator<readonly Draft[]> {
    for (let result = this.#results.shift(); result !== undefined; result = this.#results.shift()) {
      const drafts = result();
      if (drafts.length > 0) yield drafts;
    }
  }

  /** Starts what the state asks for and is not under way. */
  start(): void {
    const view = this.#view();
    for (const thread of view.ledger.unreleased) this.#startRelease(thread, view);
    for (const thread of this.#senders) this.#startWorkspace(thread, view);
    this.#startDelivery(view);
    for (const run of this.#runs.values()) this.#startTurn(run, this.#view());
  }

  /** Stops all turns and waits until nothing of them is alive. */
  async stop(): Promise<void> {
    for (const { controller } of this.#turns.values()) controller.abort();
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  /** Runs `work`; what it resolves to becomes drafts when the loop takes it up. A rejection ends the run. */
  #launch(work: () => Promise<() => readonly Draft[]>): void {
    const done = (result: () => readonly Draft[]) => {
      this.#results.push(result);
      this.#tasks.delete(task);
      this.#wake();
    };
    const task: Promise<void> = work().then(done, (error: unknown) =>
      done(() => {
        throw error;
      }),
    );
    this.#tasks.add(task);
  }

  #mergesInto(tree: ThreadId, { ledger }: View): boolean {
    if (ledger.conflicts.has(tree)) return false;
    for (const thread of ledger.unreleased) {
      const { parent, ending } = ledger.thread(thread);
      if (parent !== undefined && ending === "merge" && this.#options.director.treeOf(parent) === tree)
        return true;
    }
    return false;
  }

  #startRelease(thread: ThreadId, view: View): void {
    const { ledger } = view;
    const { children, parent, ending } = ledger.thread(thread);
    const into =
      parent !== undefined && ending === "merge" ? this.#options.director.treeOf(parent) : undefined;
    // One merge into a tree at a time.
    const key = into === undefined ? `drop ${thread}` : `merge into ${into}`;
    if (this.#others.has(key) || children.some((child) => ledger.unreleased.has(child))) return;
    if (isBlocked(thread, view, this.#options)) return;
    this.#others.add(key);
    this.#launch(async () => {
      const drafts = await releaseTree(thread, this.#view, this.#options);
      return () => {
        this.#others.delete(key);
        return drafts;
      };
    });
  }

  #startWorkspace(sender: ThreadId, view: View): void {
    const { configuration, ledger } = view;
    const cell = configuration.cell(sender);
    const send = cell?.lifecycles.find((one) => one.kind === "Send");
    const head = send?.kind === "Send" ? send.payloads.head : undefined;
    if (send === undefined || head?.kind !== "deliver" || cell?.terminates.length !== 0) return;
    const known = configuration.cell(head.thread)?.workspace !== undefined || ledger.threads.has(head.thread);
    if (known || refusalOf(configuration, send.agent, sender, head) !== undefined) return;
    const { director, workspaces, base, seeds } = this.#options;
    const tree = director.treeOf(head.thread);
    const parentTree = director.treeOf(sender);
    const key = `workspace ${head.thread}`;
    if (this.#others.has(key) || this.#mergesInto(parentTree, view)) return;
    this.#others.add(key);
    this.#launch(async () => {
      const making =
        tree === head.thread ? workspaces.branch(tree, parentTree) : workspaces.open(base, seeds);
      const made = await making.catch(refusedBecause);
      const body: EntryBody<"workspace"> = {
        thread: head.thread,
        parent: sender,
        commit: "commit" in made ? made.commit : null,
        refused: "refused" in made ? made.refused : null,
      };
      return () => {
        this.#others.delete(key);
        return [{ kind: "workspace", body }];
      };
    });
  }

  #startDelivery(view: View): void {
    const wanted = this.#options.director.delivery(view);
    const key = "delivery";
    if (wanted === undefined || this.#others.has(key)) return;
    this.#others.add(key);
    this.#launch(async () => {
      const { branch, commit } = await this.#options.workspaces.deliver(wanted.mode, wanted.message);
      return () => {
        this.#others.delete(key);
        return [{ kind: "deliver", body: { branch, commit, mode: wanted.mode } }];
      };
    });
  }

  #startTurn(run: Run, view: View): void {
    const { director, workspaces, agents, directories, clock, concurrency } = this.#options;
    const { thread, turn, message } = run;
    const key = `${thread} ${turn}`;
    const tree = director.treeOf(thread);
    if (this.#turns.has(key) || this.#turns.size >= concurrency || this.#mergesInto(tree, view)) return;
    if (director.hindrance(view) !== undefined) return;
    const adapter = agents[run.agent];
    invariant(adapter !== undefined, `no adapter for ${run.agent}`);
    const brief = director.brief(thread, message, view);
    const controller = new AbortController();
    this.#turns.set(key, { run, controller });
    const files = view.ledger.files.get(message.id) ?? [];
    const facts = factsOf(run, brief, view, this.#options, workspaces.path(tree));
    const session = view.ledger.thread(thread).session;
    this.#launch(async () => {
      const report = (event: TurnEvent) => this.#report(run, event);
      const plan = { run, tree, facts, brief, session, files };
      const finished = await runTurn(
        plan,
        workspaces,
        adapter,
        directories,
        controller.signal,
        report,
        clock,
      );
      return () => {
        this.#turns.delete(key);
        const newest = this.#runs.get(thread)?.turn;
        if (newest !== undefined && newest !== turn) return [droppedResult(run)];
        if (newest === undefined || finished.result.stop === "aborted") return [];
        return turnDrafts(plan, finished, this.#view(), director, this.#options.overCap);
      };
    });
  }

  #report(run: Run, event: TurnEvent): void {
    this.#options.onTurnEvent?.(run.thread, event);
    if (event.kind !== "started") return;
    const { thread, turn, agent } = run;
    const { pid, started } = event;
    this.#results.push(() =>
      this.#runs.get(thread)?.turn === turn
        ? [{ kind: "start", body: { thread, turn, agent, pid, started } }]
        : [],
    );
    this.#wake();
  }
}

/** A workspace that cannot be made is a refusal, which its sender hears of; a bug stays one. */
function refusedBecause(error: unknown): { readonly refused: string } {
  if (error instanceof InvariantViolation || !(error instanceof Error)) throw error;
  return { refused: error.message };
}

function droppedResult({ thread, turn }: Run): Draft {
  const text = `the result of turn ${turn} was dropped: another message has taken its place`;
  return { kind: "note", body: { level: "info", thread, text } };
}

function toggle(set: Set<ThreadId>, thread: ThreadId, on: boolean): void {
  if (on) set.add(thread);
  else set.delete(thread);
}
