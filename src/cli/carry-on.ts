/** Going on with a job that has not ended: what is recorded first, and the run. */
import type { Engine } from "../engine/engine.ts";
import type { JobReader } from "../engine/read-job.ts";
import type { Draft } from "../persistence/entry.ts";
import type { Context } from "./context.ts";
import { drive } from "./drive.ts";
import type { JobPlace } from "./jobs.ts";

/** A larger budget: totals for the whole job, `wall` in milliseconds. */
export type Budget = Readonly<Partial<Record<"usd" | "tokens" | "turns" | "wall", number>>>;

/** Resumes a job that `reader` has read from its log, after a larger budget and the end of a park have been recorded. */
export async function carryOn(
  context: Context,
  engine: Engine,
  place: JobPlace,
  reader: JobReader,
  options: { readonly json: boolean; readonly quiet: boolean; readonly budget: Budget | undefined },
): Promise<number> {
  const { json, quiet, budget } = options;
  const { parked, machine } = reader.director.record;
  const first = firstDrafts(parked !== null, budget);
  const opening = quiet ? undefined : `resuming ${place.id} in ${machine.state}`;
  const start = { json, quiet, top: place.top, reader, opening };
  return drive(context, (more) => engine.resume(place.top, place.id, { ...more, first }), start);
}

/** What a person's resuming adds to the log. */
function firstDrafts(parked: boolean, budget: Budget | undefined): readonly Draft[] {
  const drafts: Draft[] = [];
  if (budget !== undefined)
    drafts.push({ kind: "configure", body: { budget: { ...budget }, origin: "human" } });
  if (parked) {
    const why = budget === undefined ? "resumed by a person" : "resumed with a new budget";
    drafts.push({ kind: "park", body: { parked: false, why, origin: "human" } });
  }
  return drafts;
}
