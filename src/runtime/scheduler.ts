/**
 * The scheduler: one loop that turns what happened outside into moves and choices, lets the core reduce, appends
 * what fired, and only then lets effects start.
 *
 * S1. The loop waits at one place only (`#sleep`); between two waits nothing else changes its state. A hint that comes
 *     while it works is not lost: it does not wait then.
 * S2. Shell law: outside facts are appended before the core steps on them; a round is one commit; effects are derived
 *     from what was committed (effects.ts), never from intentions.
 * S3. A round is maximal and deterministic (rules/round.ts); the director steers only when the soup is inert.
 * S4. A move whose condition fails is dropped within its commit and noted; a firing that fails is a bug.
 * S5. After a crash the log alone rebuilds everything: `Run` is rolled back, all else goes on where it stood.
 * S6. An owner that stood still past its lease and has lost the job ends: it writes neither log nor anchor any more.
 */
import type { Draft, Entry } from "../persistence/entry.ts";
import { foldEntry } from "../persistence/fold.ts";
import { type InboxItem, StaleCommit } from "../persistence/ports.ts";
import { nextRound } from "../rules/round.ts";
import { complete, type RuleTable } from "../rules/table.ts";
import { Configuration } from "../soup/configuration.ts";
import { invariant } from "../soup/invariant.ts";
import type { ThreadId } from "../soup/message.ts";
import { accept, structuralDraft } from "./accept.ts";
import { nextAgenda } from "./agenda.ts";
import { Anchor, isAnchored } from "./anchor.ts";
import { answerDrafts, nextDefault, overdueAnswers, standInDrafts } from "./questions.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Standing, View } from "./director.ts";
import { Effects } from "./effects.ts";
import { Ledger } from "./ledger.ts";
import { lostRuns, recoveryDrafts } from "./recovery.ts";
import type { RunEnd, SchedulerFolds, SchedulerOptions } from "./scheduler-options.ts";

/** For an owner that wakes after another process has taken the job over. */
const LOST =
  "this process has lost the job: it stood still past its lease and another one took it over; it wrote nothing since, see cfa status";

/** See the header. One instance runs one job once. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #table: RuleTable = complete;
  readonly #effects: Effects;
  readonly #anchor: Anchor;
  readonly ledger: Ledger;
  readonly #checkpoints: Checkpoints;
  #configuration: Configuration;
  #agenda: ReadonlySet<ThreadId> = new Set();
  #seq: number;
  #hash: string;
  #at: string;
  #epoch = 0;
  #stopping = false;
  /** Something may have happened since the loop last looked. */
  #hinted = false;
  #endSleep: () => void = () => undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#anchor = new Anchor(options.anchor);
    const { folded, checkpoint } = options;
    this.ledger = folded?.ledger ?? new Ledger((thread) => options.director.treeOf(thread));
    this.#configuration = folded?.configuration ?? Configuration.empty();
    this.#seq = folded?.seq ?? 0;
    this.#hash = folded?.hash ?? "";
    this.#at = folded?.at ?? "";
    this.#checkpoints = new Checkpoints(checkpoint && (() => checkpoint(this.#folds())), folded?.saved ?? 0);
    const refuseLost = async () => {
      if (!(await this.#stillOwns())) throw new StaleCommit(LOST);
    };
    this.#effects = new Effects(
      { ...options, refuseLost },
      () => this.#view(),
      () => this.#hint(),
    );
  }

  /** The present configuration; a snapshot that stays valid. */
  get configuration(): Configuration {
    return this.#configuration;
  }

  /** Stops turns and ends the run; the job can be resumed. */
  stop(): void {
    this.#stopping = true;
    this.#hint();
  }

  /** Runs the job until it ends, waits for a human, is parked, or is stopped. */
  async run(): Promise<RunEnd> {
    const { bus } = this.#options;
    const claim = await bus.ownership.claim();
    if ("owner" in claim) return { kind: "owned", owner: claim.owner };
    this.#epoch = claim.epoch;
    const unsubscribe = bus.wake.subscribe(() => this.#hint());
    try {
      await this.#recover();
      const end = await this.#loop();
      if (end.kind === "owned") return end;
      await this.#anchor.settle({ seq: this.#seq, hash: this.#hash });
      await this.#checkpoints.settle(this.#seq);
      return end;
    } finally {
      await this.#effects.stop();
      await this.#anchor.rest();
      unsubscribe();
      await bus.ownership.release(this.#epoch);
    }
  }

  async #loop(): Promise<RunEnd> {
    for (;;) {
      this.#hinted = false;
      for (const item of await this.#options.bus.inbox.pending()) {
        // What the next one asks is judged by what this one has led to.
        if (await this.#takeUp(item)) await this.#settle();
      }
      for (const drafts of this.#effects.finished()) await this.#commit(drafts);
      await this.#settle();
      await this.#checkpoints.offer(this.#seq);
      if (this.#stopping) return { kind: "stopped" };
      this.#effects.start();
      const end = this.#end();
      if (end !== undefined) return end;
      await this.#sleep();
      if (await this.#stillOwns()) continue;
      const owner = await this.#options.bus.ownership.owner();
      if (owner === undefined) throw new StaleCommit(LOST);
      return { kind: "owned", owner };
    }
  }

  /** Extends the lease; false when another process has claimed the job, which only one that stood still can find. */
  #stillOwns(): Promise<boolean> {
    return this.#options.bus.ownership.beat(this.#epoch);
  }

  /** Reduces until the soup is inert and nobody in process wants anything. */
  async #settle(): Promise<void> {
    for (;;) {
      const { fired } = nextRound(this.#table, this.#configuration, this.#agenda);
      const drafts = fired.length > 0 ? fired.map(structuralDraft) : this.#choices();
      if (drafts.length > 0) await this.#commit(drafts);
      else break;
    }
  }

  /** Choices that are made in process: the director's instance, the proxy's stand-in, then what the director wants. */
  #choices(): readonly Draft[] {
    const { director } = this.#options;
    const root = this.#configuration.cell(this.ledger.root);
    const run = root?.lifecycles.find((one) => one.kind === "Run");
    if (run?.kind === "Run" && root?.terminates.length === 0) {
      const { drafts, payloads, after } = director.decide(run.message, this.#view());
      const at = { A: run.agent, t: run.thread };
      const firing: Draft =
        payloads.length === 0
          ? { kind: "fire", body: { rule: "nosend-step", at } }
          : { kind: "fire", body: { rule: "send-step", at, choice: { ps: [...payloads] } } };
      return [...drafts, firing, ...after];
    }
    const askers = this.#effects.askers();
    const standIn = standInDrafts(this.#configuration, this.ledger, askers, director);
    if (standIn.length > 0) return standIn;
    const { ledger, now } = this.#view();
    const overdue = overdueAnswers(this.#configuration, ledger, now, director);
    return overdue.length > 0 ? overdue : director.steer(this.#view());
  }

  /** Takes up what somebody left in the inbox, exactly once; false when it has to wait, and stays there. */
  async #takeUp(item: InboxItem): Promise<boolean> {
    const what =
      item.verb === "answer"
        ? answerDrafts(this.#configuration, this.ledger, item)
        : this.#options.director.act(item, this.#view());
    if (what === undefined) return false;
    const { id, verb, target, text, by } = item;
    const act: Draft = { kind: "act", body: { id, verb, target, text, by, result: what.result } };
    await this.#commit([act, ...what.drafts], [id]);
    return true;
  }

  /** Appends drafts as one round and adopts what they make of the configuration. */
  async #commit(drafts: readonly Draft[], consumed: readonly string[] = []): Promise<void> {
    const { accepted, configuration, threads } = accept(this.#table, this.#configuration, drafts);
    const touched = new Set([...this.#agenda, ...threads]);
    const { bus } = this.#options;
    const entries = await bus.log.commit({
      expected: this.#seq,
      epoch: this.#epoch,
      drafts: accepted,
      consumed,
    });
    this.#configuration = configuration;
    this.#agenda = nextAgenda(touched, configuration);
    for (const entry of entries) this.#note(entry);
    this.ledger.settle(configuration);
    if (entries.some(isAnchored)) this.#anchor.move({ seq: this.#seq, hash: this.#hash });
    this.#effects.observe(touched);
  }

  #note(entry: Entry): void {
    this.#seq = entry.seq;
    this.#hash = entry.hash;
    this.#at = entry.at;
    this.ledger.apply(entry);
    this.#options.director.apply(entry, this.ledger);
    this.#options.onEntry?.(entry);
  }

  /** Rebuilds the state from the log; opens a new job when the log is empty (S5). */
  async #recover(): Promise<void> {
    const { bus } = this.#options;
    for await (const entry of bus.log.read(this.#seq)) {
      this.#configuration = foldEntry(this.#table, this.#configuration, entry);
      this.#note(entry);
      this.ledger.settle(this.#configuration);
    }
    if (this.#seq === 0) {
      await this.#commit(this.#options.opening());
      await this.#effects.prepare();
      return;
    }
    this.#agenda = new Set([...this.#configuration.cells()].map((cell) => cell.thread));
    const known = [...this.ledger.threads.values(), ...this.ledger.escalations.records.values()];
    for (const { process } of known) {
      if (process?.started != null) await this.#options.killStray(process.pid, process.started);
    }
    const lost = lostRuns(this.#configuration);
    const signalled = await this.#effects.prepare(lost);
    const { director } = this.#options;
    if (director.standing(this.#view()).kind !== "ended") {
      await this.#commit([
        ...recoveryDrafts(lost, this.#at),
        ...signalled.flatMap(({ thread, turn, status }) =>
          director.afterLostStatus(thread, turn, status, this.#view()),
        ),
      ]);
      await this.#effects.forget(signalled);
    }
    this.#effects.observe(this.#agenda);
    if (this.#options.first.length > 0) await this.#commit(this.#options.first);
  }

  #folds(): SchedulerFolds {
    const { ledger } = this;
    return { configuration: this.#configuration, ledger, seq: this.#seq, hash: this.#hash, at: this.#at };
  }

  #view(): View {
    const { clock } = this.#options;
    return {
      configuration: this.#configuration,
      ledger: this.ledger,
      now: clock.now(),
      active: this.#effects.active(),
      underWay: this.#effects.underWay(),
      running: this.#effects.running(),
    };
  }

  /** How the run ends, if it does now. */
  #end(): RunEnd | undefined {
    if (this.#effects.busy()) return undefined;
    const view = this.#view();
    const standing: Standing = this.#options.director.standing(view);
    if (standing.kind === "ended") return standing;
    if (standing.kind === "parked") return standing;
    if (this.#options.actsOnly === true) return { kind: "stopped" };
    const questions = [...this.ledger.questions.values()].filter(({ asking }) => asking).map(({ id }) => id);
    const helpless = nextDefault(this.ledger, this.#options.director) === Infinity;
    if (questions.length > 0)
      return this.#options.waitForHuman || !helpless ? undefined : { kind: "waiting", questions };
    const alarm = this.#options.director.alarm(view);
    invariant(alarm !== undefined, "the job sits still: nothing runs, nobody is asked, and it has not ended");
    return undefined;
  }

  /** The one place where the loop waits: for an effect, a wish from outside, or the director's alarm (S1). */
  async #sleep(): Promise<void> {
    const { clock, director, poll } = this.#options;
    if (this.#hinted) return;
    const alarm = director.alarm(this.#view())?.getTime() ?? Infinity;
    const left = Math.min(alarm, nextDefault(this.ledger, director)) - clock.now().getTime();
    await new Promise<void>((resolve) => {
      // An alarm that has passed is for something that must happen first.
      const cancel = clock.timer(left > 0 ? Math.min(poll, left) : poll, resolve);
      this.#endSleep = () => {
        cancel();
        resolve();
      };
    });
    this.#endSleep = () => undefined;
  }

  #hint(): void {
    this.#hinted = true;
    this.#endSleep();
  }
}
