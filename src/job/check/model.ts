/**
 * A job without a world: the real rules, ledger and orchestrator, driven by a small synchronous model of the scheduler
 * (runtime/scheduler.ts). No processes, no git, no clock.
 *
 * M1. Turns end when they are told to, in any order; between two ends the model settles exactly as the scheduler does:
 *     rounds to the fixpoint, then choices in process, then effects.
 * M2. Effects take no time: a workspace is ready at once, a merge or a delivery is done at once. Time stands still.
 * M3. A turn is planned when its Run begins, so that whatever happens before it ends is a race, as in a real run.
 * M4. `concurrency`, and what an agent waits for before its first turn, are not modelled: every turn that may start has started. This adds
 *     orders; what a wait can lead to, a lead that is told of it, silence leads to as well.
 * M5. A model is changed by its own methods only; `fork` makes one that shares nothing which changes.
 */
import type { Draft, Entry } from "../../persistence/entry.ts";
import { applyDraft } from "../../persistence/fold.ts";
import { firingOf } from "../../rules/fire.ts";
import { nextRound } from "../../rules/round.ts";
import { complete } from "../../rules/table.ts";
import { nextAgenda, threadsOf } from "../../runtime/agenda.ts";
import type { View } from "../../runtime/director.ts";
import { Ledger } from "../../runtime/ledger.ts";
import { answerDrafts, standInDrafts } from "../../runtime/questions.ts";
import type { FinishedTurn, TurnPlan } from "../../runtime/turn.ts";
import { turnDrafts } from "../../runtime/turn-drafts.ts";
import { planOf } from "../../runtime/turn-plan.ts";
import { Configuration } from "../../soup/configuration.ts";
import { invariant } from "../../soup/invariant.ts";
import type { Policy, QuestionId, ThreadId } from "../../soup/message.ts";
import type { Run } from "../../soup/molecule.ts";
import { Orchestrator } from "../orchestrator.ts";
import type { StateRecord } from "../state-record.ts";
import type { Kinds } from "./roles.ts";
import { effectOf } from "./effects.ts";

const NOW = new Date(0);
const AT = NOW.toISOString();
const NOWHERE = { path: () => "/" };

/** Makes the director of a model: without a record for a new job. A test plants a fault with another one. */
export type Direct = (record?: StateRecord) => Orchestrator;

/** See the header. */
export class Model {
  configuration = Configuration.empty();
  ledger: Ledger;
  /** Turns under way, in the order in which they started. */
  turns = new Map<ThreadId, TurnPlan>();
  /** What has been committed since the model was forked, in order. */
  readonly committed: Draft[] = [];
  /** Agents that cannot be told apart. */
  readonly kinds: Kinds;
  /** The next merge ends in a conflict. */
  clumsy = false;
  readonly #direct: Direct;
  readonly #director: Orchestrator;
  #agenda: ReadonlySet<ThreadId> = new Set();
  #seq = 0;

  private constructor(ledger: Ledger, kinds: Kinds, direct: Direct, record?: StateRecord) {
    this.ledger = ledger;
    this.kinds = kinds;
    this.#direct = direct;
    this.#director = direct(record);
  }

  /** A model of the job that these first entries open, settled. */
  static opened(
    drafts: readonly Draft[],
    kinds: Kinds,
    direct: Direct = (record) => new Orchestrator(record),
  ): Model {
    const director = direct();
    const model = new Model(new Ledger((thread) => director.treeOf(thread)), kinds, direct);
    model.#commit(drafts);
    model.#settle();
    return model;
  }

  /** A model in the same state, with nothing committed yet (M5). */
  fork(): Model {
    const copy = new Model(this.ledger.clone(), this.kinds, this.#direct, this.record);
    copy.configuration = this.configuration;
    copy.turns = new Map(this.turns);
    copy.#agenda = this.#agenda;
    copy.#seq = this.#seq;
    return copy;
  }

  /** The orchestrator's record. */
  get record(): StateRecord {
    return this.#director.record;
  }

  /** How the job stands. */
  get standing() {
    return this.#director.standing(this.view());
  }

  /** Why no turn may start now; undefined when one may. */
  get hindrance(): string | undefined {
    return this.#director.hindrance(this.view());
  }

  /** What the director may look at. */
  view(): View {
    const { configuration, ledger } = this;
    const active = () => new Set(this.#runs().map(({ thread }) => thread));
    return {
      configuration,
      ledger,
      now: NOW,
      running: this.turns.size,
      underWay: new Set(this.turns.keys()),
      // Asked for rarely, and not free.
      get active() {
        return active();
      },
    };
  }

  /** The turn under way on a thread ends. */
  end(thread: ThreadId, finished: FinishedTurn): void {
    const plan = this.turns.get(thread);
    invariant(plan !== undefined, `no turn is under way on ${thread}`);
    const { over_cap } = this.record.definition;
    this.turns.delete(thread);
    this.#commit(turnDrafts(plan, finished, this.view(), this.#director, over_cap));
    this.#settle();
  }

  /** The human answers an open question. */
  answer(question: QuestionId): void {
    const item = {
      id: `human:${question}`,
      verb: "answer",
      target: question,
      text: "yes",
      by: "human",
    } as const;
    this.#commit(answerDrafts(this.configuration, this.ledger, item).drafts);
    this.#settle();
  }

  #commit(drafts: readonly Draft[]): void {
    const touched = new Set(this.#agenda);
    for (const draft of drafts) {
      const next = applyDraft(complete, this.configuration, draft);
      if ("refused" in next) {
        invariant(draft.kind !== "fire", `a firing is not allowed: ${next.refused}`);
        continue;
      }
      for (const thread of threadsOf(draft, this.configuration)) touched.add(thread);
      this.configuration = next.configuration;
      this.#note(draft);
    }
    this.#agenda = nextAgenda(touched, this.configuration);
  }

  /** One round of the rules; false when nothing fires. */
  #reduce(): boolean {
    const { fired, configuration, agenda } = nextRound(complete, this.configuration, this.#agenda);
    if (fired.length === 0) return false;
    for (const redex of fired) {
      const { rule, at } = firingOf(redex);
      this.#note({ kind: "fire", body: { rule, at: { ...at } } });
    }
    this.configuration = configuration;
    this.#agenda = nextAgenda(agenda, configuration);
    return true;
  }

  #note(draft: Draft): void {
    this.#seq += 1;
    const entry: Entry = Object.assign(
      { job: "check", seq: this.#seq, round: 0, at: AT, prev: "", hash: "" },
      draft,
    );
    this.ledger.apply(entry);
    this.#director.apply(entry, this.ledger);
    this.committed.push(draft);
  }

  /** Goes on until nothing but the end of a turn, the human or nobody can change anything (M1, M2). */
  #settle(): void {
    for (;;) {
      if (this.#reduce()) continue;
      const drafts = this.#choices();
      const next = drafts.length > 0 ? drafts : effectOf(this, this.#director);
      if (next.length > 0) this.#commit(next);
      else if (!this.#startTurns()) return;
    }
  }

  /** As the scheduler's: the director's instance, the proxy's stand-in, then what the director wants. */
  #choices(): readonly Draft[] {
    const root = this.configuration.cell(this.ledger.root);
    const run = root?.lifecycles.find((one) => one.kind === "Run");
    if (run?.kind === "Run" && root?.terminates.length === 0) {
      const { drafts, payloads, after } = this.#director.decide(run.message, this.view());
      const at = { A: run.agent, t: run.thread };
      const choice: Draft =
        payloads.length === 0
          ? { kind: "fire", body: { rule: "nosend-step", at } }
          : { kind: "fire", body: { rule: "send-step", at, choice: { ps: [...payloads] } } };
      return [...drafts, choice, ...after];
    }
    // What a proxy would say is only words: to the model, the human says them.
    const policies = {
      proxy: () => undefined,
      unanswerable: (policy: Policy) => this.#director.unanswerable(policy),
    };
    const proxy = standInDrafts(this.configuration, this.ledger, this.live(), policies);
    return proxy.length > 0 ? proxy : this.#director.steer(this.view());
  }

  /** Drops turns whose Run is gone and starts those that may; returns whether anything changed. */
  #startTurns(): boolean {
    const runs = this.#runs();
    const before = this.turns.size;
    for (const [thread, { run }] of this.turns) {
      if (!runs.some((one) => one.thread === thread && one.turn === run.turn)) this.turns.delete(thread);
    }
    let changed = this.turns.size !== before;
    for (const run of runs) {
      if (this.turns.has(run.thread) || this.hindrance !== undefined) continue;
      const { job, definition } = this.record;
      const options = { job, overCap: definition.over_cap, director: this.#director, workspaces: NOWHERE };
      this.turns.set(run.thread, planOf(run, this.view(), options, { kind: "start" }));
      changed = true;
    }
    return changed;
  }

  /** Threads that have not ended, in the order in which they were opened. */
  live(): ThreadId[] {
    return [...this.ledger.threads.values()].filter(({ closed }) => !closed).map(({ thread }) => thread);
  }

  #runs(): Run[] {
    const { root } = this.ledger;
    return this.live().flatMap((thread) => {
      const run = this.configuration.cell(thread)?.lifecycles.find(({ kind }) => kind === "Run");
      return run?.kind === "Run" && thread !== root ? [run] : [];
    });
  }
}
