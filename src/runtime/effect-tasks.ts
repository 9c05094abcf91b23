/**
 * What is under way for the effects of a job, and what has come of it and is still to be taken up.
 *
 * T1. Results are taken up in the order in which they came.
 * T2. Nothing is lost: work that rejects ends the run when its result is taken up.
 */
import type { Draft } from "../persistence/entry.ts";

/** What came of something, made into drafts against the state of the moment in which it is taken up. */
type Result = () => readonly Draft[];

/** See the header. */
export class EffectTasks {
  readonly #wake: () => void;
  readonly #tasks = new Set<Promise<void>>();
  readonly #results: Result[] = [];

  /** `wake` is called whenever a result has come. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Runs `work`; what it resolves to is a result. */
  launch(work: () => Promise<Result>): void {
    const done = (result: Result) => {
      this.#tasks.delete(task);
      this.report(result);
    };
    const task: Promise<void> = work().then(done, (error: unknown) =>
      done(() => {
        throw error;
      }),
    );
    this.#tasks.add(task);
  }

  /** A result of what is still under way. */
  report(result: Result): void {
    this.#results.push(result);
    this.#wake();
  }

  /** Something is under way, or has ended without having been taken up. */
  busy(): boolean {
    return this.#tasks.size > 0 || this.#results.length > 0;
  }

  /** Takes up the results that have come, one group of drafts each; empty groups are left out. */
  *finished(): IterableIterator<readonly Draft[]> {
    for (let result = this.#results.shift(); result !== undefined; result = this.#results.shift()) {
      const drafts = result();
      if (drafts.length > 0) yield drafts;
    }
  }

  /** Settles when nothing is under way any more. */
  async ended(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }
}
