/**
 * What people see of a job beyond its ledger: the states of its threads, what they have used, what confined its agents. A part of
 * the ledger, so that checkpoints hold it and whoever looks need not read the whole log.
 *
 * V1. Nothing that the engine decides depends on it.
 */
import { z } from "zod";
import type { Entry } from "../persistence/entry.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { AgentName } from "../soup/message.ts";
import { Spending, spendingSchema } from "./spending.ts";
import { type StateRecords, ThreadStates, threadStatesSchema } from "./thread-states.ts";

/** Schema of an overview in a checkpoint. */
export const overviewSchema = z.strictObject({
  states: threadStatesSchema,
  spending: spendingSchema,
  boundaries: z.array(z.tuple([z.string(), z.string()])),
});

/** An overview as a checkpoint holds it. */
export type OverviewForm = z.infer<typeof overviewSchema>;

/** See the header. */
export class Overview {
  readonly states: ThreadStates;
  readonly spending: Spending;
  readonly #boundaries: Map<AgentName, string>;

  /** `form` is the overview to go on from. */
  constructor(form?: OverviewForm) {
    this.states = new ThreadStates(form?.states);
    this.spending = new Spending(form?.spending);
    this.#boundaries = new Map(form?.boundaries);
  }

  /** What a checkpoint holds of it. */
  form(): OverviewForm {
    return {
      states: this.states.form(),
      spending: this.spending.form(),
      boundaries: [...this.#boundaries],
    };
  }

  /** What confined the agent's newest program; undefined before the first. */
  boundaryOf(agent: AgentName): string | undefined {
    return this.#boundaries.get(agent);
  }

  /** Takes up the next entry. */
  apply(entry: Entry): void {
    this.states.apply(entry);
    if (entry.kind === "turn") this.spending.take(entry.body);
    if (entry.kind === "start" && entry.body.boundary !== undefined)
      this.#boundaries.set(entry.body.agent, entry.body.boundary);
  }

  /** The commit whose entries were applied has ended in this configuration. */
  settle(configuration: Configuration, records: StateRecords): void {
    this.states.settle(configuration, records);
  }
}
