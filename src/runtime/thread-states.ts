/**
 * What each thread is doing, and since when: a fold of the log for whoever looks at a job.
 *
 * W1. A state is one of a closed list of words.
 * W2. What happens within a commit happens at once: a state that has ended again when the commit ends never was one.
 * W3. `apply` takes every entry; `settle` is called with the configuration after the last entry of every commit, and more often
 *     than that does no harm.
 */
import { z } from "zod";
import type { Entry } from "../persistence/entry.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import { isStallFailure } from "./stall.ts";
import type { ThreadRecord } from "./thread-record.ts";

const words = z.enum([
  "running",
  "queued",
  "sending",
  "waiting for mail",
  "waiting for the human",
  "parked",
  "stalled",
  "ending",
  "ended",
]);

/**
 * What a thread is doing (W1). `queued`: its turn waits for a slot, a merge, or siblings that its agent needs. `stalled`: its last turn was
 * ended because nothing was heard of it, and no other has begun.
 */
export type ThreadState = z.infer<typeof words>;

/** A state and the time of the commit that brought it, ISO 8601. */
export type StateSince = { readonly state: ThreadState; readonly since: string };

/** The records of the threads that the log has opened, as far as they matter here. */
export type StateRecords = ReadonlyMap<ThreadId, Pick<ThreadRecord, "last">>;

/** Schema of the fold in a checkpoint: its maps as lists, in their order. */
export const threadStatesSchema = z.strictObject({
  parked: z.boolean(),
  started: z.array(z.tuple([z.string(), z.int()])),
  states: z.array(z.tuple([z.string(), z.strictObject({ state: words, since: z.string() })])),
});

/** The fold as a checkpoint holds it. */
export type ThreadStatesForm = z.infer<typeof threadStatesSchema>;

/** See the header. */
export class ThreadStates {
  readonly #states: Map<ThreadId, StateSince>;
  /** Number of the newest turn whose program has started, by thread. */
  readonly #started: Map<ThreadId, number>;
  #parked: boolean;
  /** Threads that the commit may change, with their state before it. */
  readonly #touched = new Map<ThreadId, StateSince | undefined>();
  #round = 0;
  #at = "";

  /** `form` is the fold to go on from, at the end of a commit. */
  constructor(form: ThreadStatesForm = { parked: false, started: [], states: [] }) {
    this.#states = new Map(form.states);
    this.#started = new Map(form.started);
    this.#parked = form.parked;
  }

  /** What a checkpoint holds of it. */
  form(): ThreadStatesForm {
    return { parked: this.#parked, started: [...this.#started], states: [...this.#states] };
  }

  /** What the thread does, after the commits that were settled; undefined where the log has not opened it. */
  of(thread: ThreadId): StateSince | undefined {
    return this.#states.get(thread);
  }

  /** Takes up the next entry. */
  apply(entry: Entry): void {
    if (entry.round !== this.#round) this.#touched.clear();
    this.#round = entry.round;
    this.#at = entry.at;
    if (entry.kind === "start") this.#started.set(entry.body.thread, entry.body.turn);
    if (entry.kind === "rollback") this.#started.delete(entry.body.thread);
    if (entry.kind === "park") this.#parked = entry.body.parked;
    this.#touchAll(entry);
  }

  /** Notes the threads whose state an entry may change. */
  #touchAll(entry: Entry): void {
    switch (entry.kind) {
      case "fire":
        this.#touch(entry.body.at["t"]);
        this.#touch(entry.body.at["t'"]);
        return;
      case "open":
        this.#touch(entry.body.root.thread);
        return;
      case "park":
        for (const thread of this.#states.keys()) this.#touch(thread);
        return;
      case "post":
      case "interrupt":
      case "terminate":
      case "rollback":
      case "start":
      case "turn":
        this.#touch(entry.body.thread);
        return;
      default:
        return;
    }
  }

  #touch(thread: ThreadId | undefined): void {
    if (thread === undefined || this.#touched.has(thread)) return;
    this.#touched.set(thread, this.#states.get(thread));
  }

  /** Looks at what the entries since the last commit have changed (W3). */
  settle(configuration: Configuration, records: StateRecords): void {
    for (const [thread, before] of this.#touched) {
      const record = records.get(thread);
      if (record === undefined) continue;
      const state = this.stateIn(configuration, thread, record);
      this.#states.set(thread, before?.state === state ? before : { state, since: this.#at });
    }
  }

  /** What the thread does in a configuration, whatever it did before. */
  stateIn(configuration: Configuration, thread: ThreadId, { last }: Pick<ThreadRecord, "last">): ThreadState {
    const cell = configuration.cell(thread);
    if (cell === undefined || cell.closed) return "ended";
    if (cell.terminates.length > 0) return "ending";
    const [lifecycle] = cell.lifecycles;
    const stalled = isStallFailure(last?.failure ?? null);
    if (lifecycle?.kind === "Run") {
      if (this.#started.get(thread) === lifecycle.turn) return "running";
      if (this.#parked) return "parked";
      return stalled ? "stalled" : "queued";
    }
    if (lifecycle?.kind === "Send") return "sending";
    if (cell.questions.some(({ kind }) => kind === "AskHuman")) return "waiting for the human";
    if (this.#parked) return "parked";
    return stalled ? "stalled" : "waiting for mail";
  }
}
