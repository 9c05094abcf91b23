/**
 * `cfa fork [JOB] --at N`: a new job that goes on from entry N of another one (docs/fork.md).
 *
 * F1. It is made, then run as `cfa resume` would; what it has taken over is not run again.
 */
import { openEngine } from "../../engine/engine.ts";
import { forkJob } from "../../engine/fork.ts";
import { rethrowMachineFault } from "../../runtime/machine-fault.ts";
import { carryOn } from "../carry-on.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { chooseJob, readFolds } from "../jobs.ts";
import { hasEnded } from "../../engine/read-job.ts";
import { showEnd } from "../show-end.ts";
import { userName } from "../who.ts";
import { entryNumber } from "./replay.ts";

/** Options of `cfa fork`. */
export type ForkOptions = {
  readonly repo?: string | undefined;
  readonly at?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
};

/** Makes the fork and runs it. Returns the exit code of the run. */
export async function forkCommand(
  context: Context,
  job: string | undefined,
  { repo, at, json = false, quiet = false }: ForkOptions,
): Promise<number> {
  const wanted = entryNumber("--at", at);
  if (wanted === undefined)
    throw new Misuse("say where: cfa fork JOB --at N (cfa replay JOB numbers the entries)");
  const { top, id } = await chooseJob(context, repo, job);
  const fork = await forkJob(top, id, wanted, userName()).catch(rethrowMachineFault);
  const place = { top, id: fork.id };
  say(context.stderr, `${fork.id} goes on from entry ${fork.from} of ${id}${endOf(wanted, fork.from)}`);
  const reader = await readFolds(place);
  const known = reader.job();
  if (known === undefined) throw new Misuse(`the log of ${fork.id} is empty`);
  if (hasEnded(known)) return showEnd(context, place, { json });
  const engine = openEngine();
  try {
    return await carryOn(context, engine, place, reader, { json, quiet, budget: undefined });
  } finally {
    await engine.close();
  }
}

/** A commit is one step of the job: between its entries there is no state of the trees. */
function endOf(wanted: number, from: number): string {
  return wanted === from ? "" : `, the end of the commit that holds entry ${wanted}`;
}
