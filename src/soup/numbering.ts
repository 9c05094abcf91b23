/**
 * The numbers of threads, in the order in which they first appeared.
 *
 * N1. A thread keeps its number; numbers are 0, 1, 2 and so on, without gaps.
 * N2. A numbering only grows, so all configurations that descend from one may share it.
 */
import type { ThreadId } from "./message.ts";

/** See the header. */
export class Numbering {
  readonly #numbers = new Map<ThreadId, number>();
  // Several guards in a row ask about one thread: the last answer saves most lookups.
  #asked: ThreadId | undefined;
  #answer: number | undefined;

  /** The number of a thread, if it has one. */
  get(thread: ThreadId): number | undefined {
    if (thread === this.#asked) return this.#answer;
    this.#asked = thread;
    this.#answer = this.#numbers.get(thread);
    return this.#answer;
  }

  /** The number of a thread, the next free one when it has none. */
  of(thread: ThreadId): number {
    const known = this.get(thread);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(thread, number);
    this.#answer = number;
    return number;
  }
}
