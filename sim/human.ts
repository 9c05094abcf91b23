/**
 * The human of a run: answers what is asked, and now and then interrupts, tells, parks or withdraws, also at the wrong moment.
 */
import type { Bus, InboxItem } from "../src/persistence/ports.ts";
import type { Ledger } from "../src/runtime/ledger.ts";
import { countFault, type Fault } from "./faults.ts";
import type { World } from "./world/world.ts";

/** See the header. It sees what `cfa status` would show: the ledger. */
export class Human {
  readonly #world: World;
  readonly #bus: Bus;
  #acts = 0;

  /** `bus` is one that owns nothing. */
  constructor(world: World, bus: Bus) {
    this.#world = world;
    this.#bus = bus;
  }

  /** Answers one of the questions that are asked, seldom one that answers itself in time; false when there are none. */
  async answer(ledger: Ledger): Promise<boolean> {
    const { choices } = this.#world;
    const asked = [...ledger.questions.values()].filter(
      (one) => one.asking && (one.default === undefined || choices.percent(20)),
    );
    if (asked.length === 0) return false;
    await this.#post("answer", "answer", choices.one(asked).id);
    return true;
  }

  /** Does something that nobody has asked for. */
  async meddle(ledger: Ledger): Promise<void> {
    const { choices } = this.#world;
    const known = ledger.threads.size === 0 ? [""] : [...ledger.threads.keys()];
    const thread = choices.percent(25) ? "" : choices.one(known);
    const question = choices.one(["q0.0.0", ...ledger.questions.keys()]);
    await choices.weighted<() => Promise<void>>([
      [6, () => this.#post("interrupt", "interrupt", thread)],
      [4, () => this.#post("tell", "tell", thread)],
      [3, () => this.#post("late-answer", "answer", question)],
      [1, () => this.#post("withdraw", "withdraw", "")],
      [2, () => this.#post("withdraw", "withdraw", choices.one(known))],
      [1, () => this.#post("pause", "pause", "")],
    ])();
  }

  /** Lets a parked job go on. */
  async resume(): Promise<void> {
    await this.#post(undefined, "resume", "");
  }

  async #post(fault: Fault | undefined, verb: InboxItem["verb"], target: string): Promise<void> {
    const { choices, faults, witness } = this.#world;
    if (fault !== undefined) countFault(faults, fault);
    this.#acts += 1;
    const id = `act-${this.#acts}`;
    const item = { id, verb, target, text: `${verb} ${this.#acts}`, by: "human" };
    witness.see({ kind: "posted", id });
    await this.#bus.inbox.post(item);
    if (choices.percent(10)) {
      countFault(faults, "post-doubled");
      await this.#bus.inbox.post(item);
    }
    this.#bus.wake.notify();
  }
}
