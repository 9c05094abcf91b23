/**
 * What people see of a job beyond its ledger: the states of its threads, what each has used, who has stood in for whom, what
 * confined the agents. A part of the ledger, so that checkpoints hold it and whoever looks need not read the whole log.
 *
 * V1. Nothing that the engine decides depends on it.
 */
import { z } from "zod";
import type { Entry, EntryBody } from "../persistence/entry.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";
import { NOTHING_SPENT, type Spent, spentSchema, withTurn } from "./spending.ts";
import { type StateRecords, ThreadStates, threadStatesSchema } from "./thread-states.ts";

const names = z.array(z.tuple([z.string(), z.string()]));

/** Schema of an overview in a checkpoint: its maps as lists, in their order. */
export const overviewSchema = z.strictObject({
  states: threadStatesSchema,
  spent: z.array(z.tuple([z.string(), spentSchema])),
  boundaries: names,
  standIns: names,
});

/** An overview as a checkpoint holds it. */
export type OverviewForm = z.infer<typeof overviewSchema>;

/** See the header. */
export class Overview {
  readonly states: ThreadStates;
  readonly #spent: Map<ThreadId, Spent>;
  readonly #boundaries: Map<AgentName, string>;
  readonly #standIns: Map<ThreadId, AgentName>;

  /** `form` is the overview to go on from. */
  constructor(form?: OverviewForm) {
    this.states = new ThreadStates(form?.states);
    this.#spent = new Map(form?.spent);
    this.#boundaries = new Map(form?.boundaries);
    this.#standIns = new Map(form?.standIns);
  }

  /** What a checkpoint holds of it. */
  form(): OverviewForm {
    return {
      states: this.states.form(),
      spent: [...this.#spent],
      boundaries: [...this.#boundaries],
      standIns: [...this.#standIns],
    };
  }

  /** What a thread has used by itself, without those below it; a question's conversation likewise. */
  spentOn(thread: ThreadId): Spent {
    return this.#spent.get(thread) ?? NOTHING_SPENT;
  }

  /** What confined the agent's newest program; undefined before the first. */
  boundaryOf(agent: AgentName): string | undefined {
    return this.#boundaries.get(agent);
  }

  /** The agent that ran the thread's newest program in place of its own; undefined for none. */
  standInOf(thread: ThreadId): AgentName | undefined {
    return this.#standIns.get(thread);
  }

  /** Takes up the next entry. */
  apply(entry: Entry): void {
    this.states.apply(entry);
    if (entry.kind === "start") this.#start(entry.body);
    if (entry.kind !== "turn") return;
    const { thread, usage } = entry.body;
    this.#spent.set(thread, withTurn(this.spentOn(thread), usage));
  }

  /** The commit whose entries were applied has ended in this configuration. */
  settle(configuration: Configuration, records: StateRecords): void {
    this.states.settle(configuration, records);
  }

  #start({ thread, agent, by, boundary }: EntryBody<"start">): void {
    if (boundary !== undefined) this.#boundaries.set(by ?? agent, boundary);
    if (by === undefined) this.#standIns.delete(thread);
    else this.#standIns.set(thread, by);
  }
}
