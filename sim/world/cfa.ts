/**
 * One process of cfa: the real scheduler and the real orchestrator, on simulated ports. It can be frozen, woken, and killed between
 * any two of its operations; then nothing of it goes on, and another one starts on the same log.
 */
import { Orchestrator } from "../../src/job/orchestrator.ts";
import type { AgentAdapter, TurnResult } from "../../src/runtime/agents/port.ts";
import type { Draft, Entry } from "../../src/persistence/entry.ts";
import type { Bus } from "../../src/persistence/ports.ts";
import type { Notification, Notifier } from "../../src/runtime/notifications.ts";
import { Scheduler } from "../../src/runtime/scheduler.ts";
import type { RunEnd } from "../../src/runtime/scheduler-options.ts";
import { openingDrafts } from "../../src/engine/opening.ts";
import { countFault } from "../faults.ts";
import { Actor } from "../tasks.ts";
import { simulatedBus } from "./bus.ts";
import { MOUNT } from "./mount.ts";
import { type Failure, type Gate, gateOf } from "./ports.ts";
import type { World } from "./world.ts";
import { SimulatedWorkspaces } from "./workspaces.ts";

/** How a process ended by itself. */
export type CfaEnd = { readonly end: RunEnd } | { readonly error: unknown };

/** What a process is started with. */
export type CfaOptions = {
  /** The real bus, opened in the name of this process. */
  readonly bus: Bus;
  readonly first: readonly Draft[];
  readonly waitForHuman: boolean;
  /** Told when a commit of this process stands in the log. */
  readonly committed: (entries: readonly Entry[]) => void;
};

/** How often the inbox is asked, milliseconds of simulated time. */
const POLL = 250;

const NOT_STARTED: TurnResult = {
  stop: "failed",
  failure: "the job belongs to another process",
  text: "",
  session: null,
  usage: { tokens: null, usd: null },
};

/** See the header. */
export class Cfa {
  readonly actor: Actor;
  readonly scheduler: Scheduler;
  ended: CfaEnd | undefined;
  /** Another process has taken the job from it. */
  deposed = false;
  readonly #world: World;

  constructor(name: string, world: World, { bus, first, waitForHuman, committed }: CfaOptions) {
    const { tasks, choices, witness, faults, definition, job, trees, files } = world;
    const actor = new Actor(name);
    const gate = gateOf(actor, tasks, choices);
    this.actor = actor;
    this.#world = world;
    const adapter = this.#adapter();
    this.scheduler = new Scheduler({
      job,
      bus: simulatedBus({
        actor,
        real: bus,
        gate,
        tasks,
        choices,
        witness,
        faults,
        committed,
        faulty: () => world.faulty(),
        failure: () => this.#failure("commit"),
      }),
      director: new Orchestrator(),
      clock: world.time.clockOf(actor),
      workspaces: new SimulatedWorkspaces({
        job,
        trees,
        files,
        witness,
        gate,
        failure: () => this.#failure("effect"),
      }),
      agents: { lead: adapter, worker: adapter, helper: adapter, proxy: adapter },
      directories: { turns: `${MOUNT}/turns`, streams: `${MOUNT}/streams` },
      concurrency: definition.limits.concurrency,
      overCap: definition.over_cap,
      base: trees.base,
      seeds: [],
      opening: () => openingDrafts(job, definition, trees.base, null, []),
      first,
      waitForHuman,
      poll: POLL,
      killStray: (pid, started) => gate(`kill ${pid}`, () => world.killProgram(pid, started)),
      ...(definition.notify === null ? {} : { notifier: this.#notifier(gate) }),
      anchor: (seq) => gate(`anchor ${seq}`, () => undefined),
    });
    this.scheduler.run().then(
      (end) => (this.ended = { end }),
      (error: unknown) => (this.ended = { error }),
    );
  }

  /** An agent's program tells cfa what happens in the order in which it does, and cfa hears of it when it gets to it. */
  #adapter(): AgentAdapter {
    const { tasks } = this.#world;
    return {
      boundary: "in-process",
      run: (request, report) =>
        new Promise((resolve) => {
          const told: (() => void)[] = [];
          const tell = (what: string, hear: () => void): void => {
            told.push(hear);
            tasks.add(this.actor, `${what} of ${request.facts.thread}`, () => told.shift()?.());
          };
          // What an owner that has lost its job would start finds its tree locked.
          if (this.deposed) return resolve(NOT_STARTED);
          this.#world.startProgram(
            this.actor.name,
            request,
            (event) => tell(event.kind, () => report(event)),
            (result) => tell(result.stop, () => resolve(result)),
          );
        }),
    };
  }

  /** Tells the human, sooner or later, or fails to. */
  #notifier(gate: Gate): Notifier {
    const { witness, choices, faults } = this.#world;
    const tell = ({ question, exchange }: Notification) =>
      gate(`notify of ${question}`, () => {
        witness.see({ kind: "notified", cfa: this.actor.name, question, exchange });
        if (!choices.percent(20)) return undefined;
        countFault(faults, "notification-fails");
        return "nobody is there";
      });
    return { to: "simulated", tell };
  }

  /** Whether the next operation of a kind goes wrong. */
  #failure(kind: "commit" | "effect"): Failure {
    const { choices, faults } = this.#world;
    if (this.deposed && kind === "effect") return "fails";
    if (!this.#world.faulty() || !choices.percent(kind === "commit" ? 1 : 2)) return undefined;
    const failure = choices.one(["fails", "unsure"] as const);
    countFault(faults, `${kind}-${failure}`);
    this.#world.spend();
    return failure;
  }
}
