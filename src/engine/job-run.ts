/**
 * A job as its embedder holds it: its entries as they happen, its human's side, its end.
 *
 * J1. Iterating yields every entry from the first one on, then those that come, and ends when the run ends.
 * J2. Whatever a person does goes through the inbox of the bus, as from any other process.
 */
import { nanoid } from "nanoid";
import type { Entry } from "../persistence/entry.ts";
import type { Bus, InboxItem } from "../persistence/ports.ts";
import { addressOf } from "../runtime/question-record.ts";
import type { RunEnd } from "../runtime/scheduler-options.ts";

/** See the header. */
export class JobRun implements AsyncIterable<Entry> {
  readonly id: string;
  /** How the run ended. Rejects when the engine itself failed. */
  readonly end: Promise<RunEnd>;
  /** Whether the run has got the job: known with its first entry, and false when it ends because another process has it. */
  readonly begun: Promise<boolean>;
  readonly #bus: Bus;
  readonly #stop: () => void;
  #seq = 0;
  #over = false;
  #waiting: (() => void)[] = [];

  /** Made by the engine. `start` runs the scheduler; its entries are announced through `seen`. */
  constructor(bus: Bus, start: (seen: (entry: Entry) => void) => Promise<RunEnd>, stop: () => void) {
    this.id = bus.job;
    this.#bus = bus;
    this.#stop = stop;
    let began: () => void = () => undefined;
    const first = new Promise<boolean>((resolve) => (began = () => resolve(true)));
    this.end = start((entry) => {
      began();
      this.#announce(entry.seq);
    }).finally(() => {
      this.#over = true;
      this.#announce(this.#seq);
    });
    const ended = this.end.then(
      ({ kind }) => kind !== "owned",
      () => false,
    );
    this.begun = Promise.race([first, ended]);
    // Whoever awaits `end` hears of a failure; iterating alone must not make it an unhandled one.
    this.end.catch(() => undefined);
  }

  /**
   * Answers an open question, under the name of `by`; the first answer wins. With `exchange`, which says which time that it is put to
   * the human is meant (from 1 on), the answer counts for no other.
   */
  answer(question: string, text: string, by?: string, exchange?: number): Promise<void> {
    const target = exchange === undefined ? question : addressOf({ question, exchange });
    return this.#post("answer", target, text, by);
  }

  /** Redirects whoever is on the thread, or the lead of the present state. */
  interrupt(text: string, thread = ""): Promise<void> {
    return this.#post("interrupt", thread, text);
  }

  /** Sends mail without preempting. */
  tell(text: string, thread = ""): Promise<void> {
    return this.#post("tell", thread, text);
  }

  /** Withdraws the job, or a dispatched conversation with everything below it. */
  withdraw(reason: string, thread = ""): Promise<void> {
    return this.#post("withdraw", thread, reason);
  }

  /** Parks the job: no new turn starts, those that run finish, and the run ends as `parked`. */
  pause(why: string): Promise<void> {
    return this.#post("pause", "", why);
  }

  /** Stops turns and ends the run; the job stays resumable. */
  stop(): void {
    this.#stop();
  }

  [Symbol.asyncIterator](): AsyncIterator<Entry> {
    return this.entriesAfter(0);
  }

  /** The entries after number `after`, then those that come, until the run ends. */
  async *entriesAfter(after: number): AsyncGenerator<Entry, void, void> {
    let read = after;
    for (;;) {
      for await (const entry of this.#bus.log.read(read)) {
        read = entry.seq;
        yield entry;
      }
      if (this.#over && read >= this.#seq) return;
      if (read < this.#seq) continue;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #post(verb: InboxItem["verb"], target: string, text: string, by = "embedder"): Promise<void> {
    await this.#bus.inbox.post({ id: nanoid(), verb, target, text, by });
    this.#bus.wake.notify();
  }

  #announce(seq: number): void {
    this.#seq = Math.max(this.#seq, seq);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
