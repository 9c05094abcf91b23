/**
 * `cfa pause [JOB]`: no new turn starts, those that run finish, and the job is parked until `cfa resume`.
 *
 * P1. It returns when the job is parked: by whoever runs it, or here.
 */
import { hasEnded, type ReadJob } from "../../engine/read-job.ts";
import { isOver } from "../../job/state-record.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { chooseUnfinished, commandFor, type JobPlace, readJob, withInbox } from "../jobs.ts";
import { carryOut, postAct } from "../post-act.ts";
import { userName } from "../who.ts";

/** Options of `cfa pause`. */
export type PauseOptions = { readonly repo?: string | undefined; readonly reason?: string | undefined };

/** Pauses the job. */
export async function pauseCommand(
  context: Context,
  job: string | undefined,
  { repo, reason = `paused by ${userName()}` }: PauseOptions,
): Promise<number> {
  if (reason.trim() === "") throw new Misuse("the reason is empty: say why, or leave --reason out");
  const place = await chooseUnfinished(context, repo, job, "pause");
  refuse(place, await readJob(place));
  const result = await withInbox(place, async (bus) => {
    const { seq } = await bus.log.head();
    return postAct(bus, seq, { verb: "pause", target: "", text: reason });
  });
  if (result === undefined) await carryOut(place);
  else if (result !== "paused") throw new Misuse(`${place.id}: ${result}`);
  const resume = commandFor(context, place.top, `resume ${place.id}`);
  say(context.stdout, `${place.id} is paused: running turns finish, no other starts; go on: ${resume}`);
  return EXIT.completed;
}

function refuse({ id }: JobPlace, known: ReadJob | undefined): void {
  if (known === undefined) throw new Misuse(`the log of ${id} is empty: there is nothing to pause`);
  const { record } = known;
  if (hasEnded(known) || isOver(record))
    throw new Misuse(`${id} has ended: it is ${record.machine.state}, and nothing is left to pause`);
  if (record.parked !== null) throw new Misuse(`${id} is parked already: ${record.parked}`);
}
