/**
 * Effects for questions: the proxy's workspace is made, its turns run, its workspace is removed.
 *
 * X1. Each is derived from the state and keyed by question and turn: a turn that a crash has lost is run again, under another number, so
 *     that nothing of the lost one is taken for its own.
 * X2. A question takes the path of a spark: its workspace is recorded as ready or refused before anything runs in it, and its release
 *     when the question is over.
 * X3. A turn whose question is gone (its asker was withdrawn) is stopped, and its result dropped but for what it has used.
 * X4. Questions do not wait for each other, also those of one asker; turns of the proxy share the job's concurrency and budget.
 */
import { conversationOf, questionOf } from "../../persistence/conversation.ts";
import type { Draft } from "../../persistence/entry.ts";
import { invariant } from "../../soup/invariant.ts";
import type { AgentName, Policy, QuestionId, ThreadId } from "../../soup/message.ts";
import type { Proxy } from "../../soup/molecule.ts";
import type { AgentAdapter, TurnEvent } from "../agents/port.ts";
import type { Clock } from "../clock.ts";
import type { Director, View } from "../director.ts";
import type { Ledger } from "../ledger.ts";
import { isMachineFault } from "../machine-fault.ts";
import { isProxys } from "../questions.ts";
import type { Launch } from "../tree-effects.ts";
import type { TurnDirectories } from "../turn.ts";
import type { Workspaces } from "../workspaces/port.ts";
import type { EscalationRecord } from "./escalations.ts";
import { overtakenProxyTurn, proxyTurnDrafts } from "./proxy-drafts.ts";
import { type ProxyPlan, runProxyTurn } from "./proxy-turn.ts";
import { recallFor, type RememberedHuman } from "./remember.ts";

/** What they are made with. */
export type ProxyEffectsOptions = {
  readonly job: string;
  readonly director: Director;
  readonly workspaces: Workspaces;
  readonly agents: Readonly<Record<AgentName, AgentAdapter>>;
  readonly directories: TurnDirectories;
  readonly clock: Clock;
  /** Commit on which the job's tree starts. */
  readonly base: string;
  /** What is known of the human; absent where there is nobody. */
  readonly remembered?: RememberedHuman;
};

/** What the effects around them lend them. */
export type Around = {
  readonly view: () => View;
  readonly launch: Launch;
  readonly report: (turn: ProxyTurn, event: TurnEvent) => void;
  /** The adapter, whose turns end only for the owner of the job; `begin` hears that one begins. */
  readonly fenced: (adapter: AgentAdapter, begin: () => void) => AgentAdapter;
  /** Another turn may run now. */
  readonly hasRoom: () => boolean;
};

/** A turn of the proxy, as the log names it. */
export type ProxyTurn = { readonly thread: ThreadId; readonly turn: number; readonly agent: AgentName };

type Running = { readonly question: QuestionId; readonly controller: AbortController };

/** See the header. */
export class ProxyEffects {
  readonly #options: ProxyEffectsOptions;
  readonly #around: Around;
  /** Questions that the state holds as Proxy, by thread. */
  readonly #proxies = new Map<ThreadId, readonly Proxy[]>();
  /** Questions that are over and may have a workspace. */
  readonly #over = new Set<QuestionId>();
  readonly #turns = new Map<string, Running>();
  readonly #underWay = new Set<string>();
  #ledger: Ledger | undefined;

  constructor(options: ProxyEffectsOptions, around: Around) {
    this.#options = options;
    this.#around = around;
  }

  /** Takes note of a thread whose questions may have changed. */
  observe(thread: ThreadId, { configuration, ledger }: View): void {
    this.#ledger = ledger;
    const cell = configuration.cell(thread);
    const isGoing = cell === undefined || cell.terminates.length > 0;
    const proxies = isGoing ? [] : cell.questions.filter((one) => one.kind === "Proxy");
    if (proxies.length > 0) this.#proxies.set(thread, proxies);
    else this.#proxies.delete(thread);
    for (const { question, over, workspace } of ledger.escalations.of(thread))
      if (over && workspace === "ready") this.#over.add(question);
    for (const { question, controller } of this.#turns.values())
      if (this.#find(question) === undefined) controller.abort();
  }

  /** Conversations in which the proxy is at work, or would be if it were let. */
  active(): ThreadId[] {
    const records = this.#ledger?.escalations.records;
    return this.#open().flatMap((proxy) =>
      this.#isProxys(proxy, records?.get(proxy.question)) ? [conversationOf(proxy.question)] : [],
    );
  }

  /** How many turns are under way. */
  running(): number {
    return this.#turns.size;
  }

  /** Starts what the state asks for and is not under way. */
  start(): void {
    for (const proxy of this.#open()) this.#startOn(proxy, this.#around.view());
    for (const question of this.#over) this.#startRelease(question);
  }

  /** Stops all turns. */
  stop(): void {
    for (const { controller } of this.#turns.values()) controller.abort();
  }

  #open(): Proxy[] {
    return [...this.#proxies.values()].flat();
  }

  #find(question: QuestionId): Proxy | undefined {
    return this.#open().find((one) => one.question === question);
  }

  #isProxys({ policy }: Proxy, record: EscalationRecord | undefined): record is EscalationRecord {
    return isProxys(record, this.#options.director.proxy(policy));
  }

  #startOn(proxy: Proxy, view: View): void {
    const record = view.ledger.escalations.records.get(proxy.question);
    if (!this.#isProxys(proxy, record)) return;
    if (record.workspace === undefined) this.#startCopy(record, proxy.policy);
    else this.#startTurn(proxy, record, view);
  }

  /** Runs `work` unless it is under way. */
  #once(key: string, work: () => Promise<readonly Draft[]>): void {
    if (this.#underWay.has(key)) return;
    this.#underWay.add(key);
    this.#around.launch(async () => {
      const drafts = await work();
      return () => {
        this.#underWay.delete(key);
        return drafts;
      };
    });
  }

  #startCopy({ question, thread: parent, commit }: EscalationRecord, policy: Policy): void {
    const thread = conversationOf(question);
    this.#once(`copy ${question}`, async () => {
      const { workspaces, base } = this.#options;
      const making = async () => {
        const copy = await workspaces.copy(thread, commit ?? base);
        if ("commit" in copy) await this.#prove(thread, policy);
        return copy;
      };
      const made = await making().catch(async (error: unknown) => {
        if (isMachineFault(error) || !(error instanceof Error)) throw error;
        await workspaces.drop(thread);
        return { refused: error.message };
      });
      const ready = "commit" in made ? { commit: made.commit, refused: null } : { commit: null, ...made };
      return [{ kind: "workspace", body: { thread, parent, ...ready } }];
    });
  }

  /** The boundary of the proxy holds around its workspace (CfA §10). Rejects with a sentence when it does not. */
  async #prove(thread: ThreadId, policy: Policy): Promise<void> {
    const { workspaces, agents, director } = this.#options;
    const adapter = agents[director.proxy(policy)?.agent ?? ""];
    const workspace = workspaces.path(thread);
    await workspaces.exclusive(thread, async () => adapter?.prove?.({ workspace }));
  }

  #startRelease(question: QuestionId): void {
    const thread = conversationOf(question);
    if (this.#ledger?.escalations.records.get(question)?.workspace !== "ready") {
      this.#over.delete(question);
      return;
    }
    this.#once(`release ${question}`, async () => {
      const { ref } = await this.#options.workspaces.drop(thread);
      const body = { thread, into: null, result: "dropped", ref, commit: null, snapshot: null } as const;
      return [{ kind: "release", body: { ...body, paths: [] } }];
    });
  }

  #startTurn(proxy: Proxy, record: EscalationRecord, view: View): void {
    const { director, agents, job, base } = this.#options;
    const stand = director.proxy(proxy.policy);
    const turn = record.next;
    const key = `${proxy.question} ${turn}`;
    if (stand === undefined || this.#turns.has(key) || !this.#around.hasRoom()) return;
    if (director.hindrance(view) !== undefined) return;
    const { agent } = stand;
    const adapter = agents[agent];
    invariant(adapter !== undefined, `no adapter for ${agent}`);
    const controller = new AbortController();
    this.#turns.set(key, { question: proxy.question, controller });
    const { session, commit } = record;
    const named: ProxyTurn = { thread: conversationOf(proxy.question), turn, agent };
    let began = false;
    this.#around.launch(async () => {
      const { remembered, workspaces, directories, clock } = this.#options;
      const { known, remark } = await recallFor(remembered, proxy, record);
      const brief = director.proxyBrief(proxy, known, this.#around.view());
      const plan: ProxyPlan = { proxy, agent, job, turn, brief, session, commit: commit ?? base };
      const finished = await runProxyTurn(plan, {
        workspaces,
        adapter: this.#around.fenced(adapter, () => (began = true)),
        directories,
        signal: controller.signal,
        report: (event) => this.#around.report(named, event),
        clock,
      });
      return () => {
        this.#turns.delete(key);
        // A question that is gone or has been answered takes nothing any more (X3).
        if (!this.isCurrent(named)) return began ? [overtakenProxyTurn(plan, finished)] : [];
        if (finished.result.stop === "aborted") return [];
        return [...remark, ...proxyTurnDrafts(plan, finished)];
      };
    });
  }

  /** The state still waits for this turn of the proxy. */
  isCurrent({ thread, turn }: ProxyTurn): boolean {
    const question = questionOf(thread) ?? "";
    const record = this.#ledger?.escalations.records.get(question);
    return this.#find(question) !== undefined && record?.next === turn;
  }
}
