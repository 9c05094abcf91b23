/**
 * What a job and each of its threads have used, summed up from the ends of their turns.
 *
 * C1. What is not known is null, never zero; where some turn said nothing, a sum is what is known at least.
 */
import { z } from "zod";
import type { EntryBody } from "../persistence/entry.ts";
import type { ThreadId } from "../soup/message.ts";

const spentSchema = z.strictObject({
  turns: z.int().nonnegative(),
  tokens: z.number().nonnegative().nullable(),
  usd: z.number().nonnegative().nullable(),
  complete: z.boolean(),
});

/** See the header; `complete` when every turn has said what it used. */
export type SpentView = Readonly<z.infer<typeof spentSchema>>;

/** Schema of the sums in a checkpoint. */
export const spendingSchema = z.strictObject({
  job: spentSchema,
  threads: z.array(z.tuple([z.string(), spentSchema])),
});

/** The sums as a checkpoint holds them. */
export type SpendingForm = z.infer<typeof spendingSchema>;

/** Before any turn has ended. */
export const NOTHING_SPENT: SpentView = { turns: 0, tokens: 0, usd: 0, complete: true };

/** See the header. */
export class Spending {
  readonly #threads: Map<ThreadId, SpentView>;
  #job: SpentView;

  /** `form` are the sums to go on from. */
  constructor(form: SpendingForm = { job: NOTHING_SPENT, threads: [] }) {
    this.#threads = new Map(form.threads);
    this.#job = form.job;
  }

  /** What a checkpoint holds of them. */
  form(): SpendingForm {
    return { job: this.#job, threads: [...this.#threads] };
  }

  /** Takes up the end of a turn. */
  take({ thread, usage }: Pick<EntryBody<"turn">, "thread" | "usage">): void {
    this.#job = plus(this.#job, usage);
    this.#threads.set(thread, plus(this.of(thread), usage));
  }

  /** What a thread has used by itself, without those below it. */
  of(thread: ThreadId): SpentView {
    return this.#threads.get(thread) ?? NOTHING_SPENT;
  }

  ofJob(): SpentView {
    return this.#job;
  }
}

function plus(before: SpentView, { tokens, usd }: EntryBody<"turn">["usage"]): SpentView {
  return {
    turns: before.turns + 1,
    tokens: sum(before, before.tokens, tokens),
    usd: sum(before, before.usd, usd),
    complete: before.complete && tokens !== null && usd !== null,
  };
}

/** Null as long as no turn has said anything. */
function sum({ turns }: SpentView, known: number | null, more: number | null): number | null {
  if (more === null) return turns === 0 ? null : known;
  return (known ?? 0) + more;
}
