/**
 * One run of the simulation: a job from its first entry to its end, under the faults that its seed chooses.
 *
 * R1. The same seed gives the same run, byte for byte: whatever is open is chosen (choice.ts), and nothing waits for real time.
 * R2. Faults are bounded. When they have stopped, the job must come to its end; a run that does not is a finding.
 * R3. Only made-up errors may end a process of cfa that owns the job.
 */
import type { LogRow } from "../src/persistence/chain.ts";
import type { Draft, Entry } from "../src/persistence/entry.ts";
import { InvariantViolation } from "../src/soup/invariant.ts";
import { choicesFrom } from "./choice.ts";
import { countFault, type FaultCounts } from "./faults.ts";
import type { Finding } from "./finding.ts";
import { Human } from "./human.ts";
import { storeOf, type Store, type StoreKind } from "./store.ts";
import { drained } from "./tasks.ts";
import { Cfa, type CfaEnd } from "./world/cfa.ts";
import { InjectedFault } from "./world/ports.ts";
import { World } from "./world/world.ts";

/** A run that has ended. */
export type Simulated = {
  readonly seed: number;
  readonly world: World;
  readonly rows: readonly LogRow[];
  /** What stopped the run itself; checkers look at one without it. */
  readonly finding: Finding | undefined;
  readonly faults: FaultCounts;
  /** Tasks that ran. */
  readonly steps: number;
};

/** Longest run, in steps. */
const STEPS_MAX = 20_000;
/** How often in a row nothing but time may pass. */
const IDLE_MAX = 60;
const LEASE_MILLIS = 30_000;
/** No process has a number that is as high (proc(5), `pid_max`). */
const NO_PID = 4_194_305;

/** Runs the job of a seed to its end. */
export async function simulate(seed: number, kind: StoreKind = "memory"): Promise<Simulated> {
  const world = new World("simulated", choicesFrom(seed));
  const store = storeOf(kind, world.job);
  try {
    const run = new Run(world, store);
    const finding = await run.toItsEnd();
    return { seed, world, rows: [...store.rows()], finding, faults: world.faults, steps: run.steps };
  } finally {
    await store.end();
  }
}

class Run {
  steps = 0;
  readonly #world: World;
  readonly #store: Store;
  readonly #human: Human;
  #cfa: Cfa;
  /** An owner that stands still, while another one has the job. */
  #frozen: Cfa | undefined;
  /** The process whose next commit is the last thing that it does. */
  #crashing: Cfa | undefined;
  #processes = 0;
  #host = 0;
  #idle = 0;
  #headWhenIdle = 0;
  /** Programs whose start is in the log: a kill of cfa need not end them. */
  readonly #known = new Set<number>();

  constructor(world: World, store: Store) {
    this.#world = world;
    this.#store = store;
    this.#human = new Human(world, this.#open());
    this.#cfa = this.#start([]);
  }

  async toItsEnd(): Promise<Finding | undefined> {
    for (; this.steps < STEPS_MAX; this.steps++) {
      await drained();
      const { ended } = this.#cfa;
      if (ended === undefined) {
        const stuck = await this.#step();
        if (stuck !== undefined) return stuck;
        continue;
      }
      if ("end" in ended && ended.end.kind === "ended") return this.#last();
      const wrong = await this.#restart(ended);
      if (wrong !== undefined) return wrong;
    }
    return { checker: "end", sentence: `the job has not ended after ${STEPS_MAX} steps` };
  }

  /** The job has ended; who stood still meanwhile must find that out without harm. */
  async #last(): Promise<Finding | undefined> {
    const frozen = this.#frozen;
    if (frozen === undefined) return undefined;
    this.#world.calm();
    this.#thaw();
    for (; frozen.ended === undefined && this.steps < STEPS_MAX; this.steps++) {
      if (this.#world.tasks.runOne(this.#world.choices) === undefined) this.#world.time.toNextTimer();
      await drained();
    }
    return wrongEnd(frozen);
  }

  async #step(): Promise<Finding | undefined> {
    const { choices, tasks } = this.#world;
    if (this.#world.faulty() && choices.percent(3)) return this.#fault();
    if (this.#frozen?.actor.state === "frozen" && choices.percent(2)) this.#thaw();
    const woken = this.#frozen;
    if (woken?.ended !== undefined) {
      const wrong = wrongEnd(woken);
      this.#frozen = undefined;
      if (wrong !== undefined) return wrong;
    }
    if (choices.percent(2)) await this.#human.answer(this.#cfa.scheduler.ledger);
    if (tasks.runOne(choices) !== undefined) return undefined;
    return this.#wait();
  }

  /** Nothing is under way: a person answers, or time passes, more and more at a time. */
  async #wait(): Promise<Finding | undefined> {
    const { choices, time, witness } = this.#world;
    if (this.#headWhenIdle !== witness.head) this.#idle = 0;
    this.#headWhenIdle = witness.head;
    this.#idle += 1;
    if (choices.percent(50) && (await this.#human.answer(this.#cfa.scheduler.ledger))) return undefined;
    if (this.#idle > IDLE_MAX) return { checker: "end", sentence: this.#stuck() };
    if (this.#idle <= 4) time.toNextTimer();
    else time.pass(Math.min(3_600_000, 250 * 2 ** this.#idle));
    return undefined;
  }

  #stuck(): string {
    const waiting = this.#world.tasks.waiting();
    return `the job neither ends nor waits for a person; waiting: ${waiting.join("; ") || "nothing"}`;
  }

  /** Injects one fault of a kind that stops or steers cfa itself. */
  async #fault(): Promise<Finding | undefined> {
    const { choices, faults, time } = this.#world;
    this.#world.spend();
    const inject = choices.weighted<() => void | Promise<void>>([
      [6, () => this.#crash("crash")],
      [6, () => this.#crashAfterCommit()],
      [2, () => this.#freeze()],
      [1, () => this.#stop()],
      [1, () => (countFault(faults, "time-jump"), time.pass(choices.one([20_000, 400_000, 3_600_000])))],
      [7, () => this.#human.meddle(this.#cfa.scheduler.ledger)],
    ]);
    await inject();
    return undefined;
  }

  #stop(): void {
    countFault(this.#world.faults, "stop");
    this.#cfa.scheduler.stop();
  }

  /** Kills cfa where it is, and starts another one. */
  #crash(fault: "crash" | "crash-after-commit"): void {
    const { faults } = this.#world;
    countFault(faults, fault);
    this.#kill(this.#cfa);
    this.#cfa = this.#start([]);
  }

  #crashAfterCommit(): void {
    this.#crashing = this.#cfa;
  }

  #kill(cfa: Cfa): void {
    const { witness, choices, programs, faults } = this.#world;
    cfa.actor.state = "dead";
    witness.see({ kind: "crashed", cfa: cfa.actor.name });
    const isolated = choices.percent(40);
    for (const program of programs) {
      if (program.actor.state === "dead" || program.cfa !== cfa.actor.name) continue;
      // Where programs die with cfa all of them do; where not, one that has not been heard of is out of reach.
      if (isolated || !this.#known.has(program.pid)) program.kill();
      else countFault(faults, "stray-agent");
    }
    if (choices.percent(30)) this.#host += 1;
  }

  /** Lets cfa stand still until its lease is over, and starts another one, which takes the job. */
  #freeze(): void {
    if (this.#frozen !== undefined) return;
    const { faults, programs, time } = this.#world;
    countFault(faults, "freeze");
    this.#cfa.actor.state = "frozen";
    this.#frozen = this.#cfa;
    this.#host += 1;
    // Nobody else can know of a program that has not been heard of.
    for (const program of programs) if (!this.#known.has(program.pid)) program.kill();
    time.pass(LEASE_MILLIS + 1000);
    this.#cfa = this.#start([]);
  }

  /** Wakes who stood still, once another one has claimed the job. */
  #thaw(): void {
    if (this.#frozen === undefined || this.#world.witness.owner === this.#frozen.actor.name) return;
    this.#frozen.actor.state = "live";
    this.#frozen.deposed = true;
  }

  /** Starts cfa again as a person or a service would, after an end that is not that of the job. */
  async #restart(ended: CfaEnd): Promise<Finding | undefined> {
    const { choices, time } = this.#world;
    const wrong = wrongEnd(this.#cfa);
    if (wrong !== undefined) return wrong;
    const end = "end" in ended ? ended.end : undefined;
    let first: readonly Draft[] = [];
    if (end?.kind === "owned") {
      // Whoever has it stands still, or has been killed on another host.
      time.pass(LEASE_MILLIS + 1000);
      this.#idle += 1;
      if (this.#idle > IDLE_MAX) return { checker: "end", sentence: "nobody can take the job over" };
    }
    if (end?.kind === "waiting") await this.#human.answer(this.#cfa.scheduler.ledger);
    if (end?.kind === "parked") {
      if (choices.percent(50) && !end.why.startsWith("the budget")) await this.#human.resume();
      else first = goOn(this.#cfa.scheduler.ledger.spent.turns + 20);
    }
    this.#cfa = this.#start(first);
    return undefined;
  }

  #start(first: readonly Draft[]): Cfa {
    const { choices } = this.#world;
    this.#processes += 1;
    const cfa: Cfa = new Cfa(`cfa-${this.#processes}`, this.#world, {
      bus: this.#open(),
      first,
      waitForHuman: choices.percent(70),
      committed: (entries) => this.#committed(cfa, entries),
    });
    return cfa;
  }

  #committed(cfa: Cfa, entries: readonly Entry[]): void {
    for (const entry of entries)
      if (entry.kind === "start" && entry.body.pid !== null) this.#known.add(entry.body.pid);
    if (this.#crashing !== cfa) return;
    this.#crashing = undefined;
    this.#crash("crash-after-commit");
  }

  #open() {
    const self = { host: `host-${this.#host}`, pid: NO_PID + this.#processes, started: "" };
    return this.#store.open({ clock: () => this.#world.time.now(), lease: LEASE_MILLIS, self });
  }
}

/** Why a process of cfa should not have ended so (R3). One that has lost its job may trip over what is no longer its own. */
function wrongEnd({ ended, deposed }: Cfa): Finding | undefined {
  if (ended === undefined) return { checker: "end", sentence: "an owner that has lost its job does not end" };
  if ("end" in ended) return undefined;
  const { error } = ended;
  if (error instanceof InjectedFault || (deposed && !(error instanceof InvariantViolation))) return undefined;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { checker: "engine", sentence: `cfa ended with an error of its own: ${what}` };
}

/** A larger budget, and the end of the park. */
function goOn(turns: number): readonly Draft[] {
  return [
    { kind: "configure", body: { budget: { turns }, origin: "human" } },
    { kind: "park", body: { parked: false, why: "resumed", origin: "human" } },
  ];
}
