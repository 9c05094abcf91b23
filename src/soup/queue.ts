/**
 * An immutable first-in first-out queue with constant-time ends.
 *
 * Q1. A queue never changes: `push`, `pop` and `unshift` return another one.
 * Q2. `push` and `pop` take constant time, amortised. Queues share one buffer that only ever grows: each sees the
 *     window [start, end) of it, and only the queue that ends where the buffer ends may grow it in place.
 * Q3. `unshift` (mail put back at the head, which is rare) copies.
 */

/** An immutable queue of T. Build one with {@link Queue.of}. */
export class Queue<T> implements Iterable<T> {
  static readonly #none = new Queue<never>([], 0, 0);
  readonly #buffer: T[];
  readonly #start: number;
  readonly #end: number;

  private constructor(buffer: T[], start: number, end: number) {
    this.#buffer = buffer;
    this.#start = start;
    this.#end = end;
  }

  /** The queue of these items, first one first. */
  static of<T>(...items: readonly T[]): Queue<T> {
    return items.length === 0 ? Queue.#none : new Queue([...items], 0, items.length);
  }

  /** The queue of the items of an array, first one first; for arrays too long to spread. */
  static from<T>(items: Iterable<T>): Queue<T> {
    const buffer = [...items];
    return buffer.length === 0 ? Queue.#none : new Queue(buffer, 0, buffer.length);
  }

  /** How many items wait. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** The first item, or undefined when the queue is empty. */
  get head(): T | undefined {
    return this.#start < this.#end ? this.#buffer[this.#start] : undefined;
  }

  /** This queue with `item` behind its last one. */
  push(item: T): Queue<T> {
    const buffer = this.#buffer;
    if (this.#end === buffer.length && this.#end > 0) {
      buffer.push(item);
      return new Queue(buffer, this.#start, this.#end + 1);
    }
    // A literal holds one item; an array that is pushed to reserves room for seventeen.
    if (this.#start === this.#end) return new Queue([item], 0, 1);
    const copy = buffer.slice(this.#start, this.#end);
    copy.push(item);
    return new Queue(copy, 0, copy.length);
  }

  /** This queue without its first item; an empty queue stays as it is. */
  pop(): Queue<T> {
    const start = this.#start + 1;
    if (start >= this.#end) return Queue.#none;
    // Let go of a buffer whose consumed half would otherwise be kept alive.
    if (start > 64 && start > 2 * (this.#end - start)) {
      const copy = this.#buffer.slice(start, this.#end);
      return new Queue(copy, 0, copy.length);
    }
    return new Queue(this.#buffer, start, this.#end);
  }

  /** This queue with `item` before its first one. */
  unshift(item: T): Queue<T> {
    const copy = [item, ...this.#buffer.slice(this.#start, this.#end)];
    return new Queue(copy, 0, copy.length);
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = this.#start; i < this.#end; i++) {
      const item = this.#buffer[i];
      if (item !== undefined) yield item;
    }
  }
}
