/**
 * `cfa withdraw [JOB] --reason TEXT`: ends a job, whoever runs it, or nobody.
 *
 * W1. It returns when the job is WITHDRAWN and nothing of it is left, or says why that is not so.
 */
import { nanoid } from "nanoid";
import { openEngine } from "../../engine/engine.ts";
import type { ReadJob } from "../../engine/read-job.ts";
import { isOver } from "../../job/state-record.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { awaitEntry, isOwned } from "../follow.ts";
import { chooseUnfinished, type JobPlace, readJob, withInbox } from "../jobs.ts";
import { hasEnded } from "../../engine/read-job.ts";
import { JobViewer } from "../view/job-view.ts";
import { userName } from "../who.ts";

/** Options of `cfa withdraw`. */
export type WithdrawOptions = { readonly repo?: string | undefined; readonly reason?: string | undefined };

/** Withdraws the job. */
export async function withdrawCommand(
  context: Context,
  job: string | undefined,
  { repo, reason }: WithdrawOptions,
): Promise<number> {
  if (reason === undefined || reason.trim() === "")
    throw new Misuse("say why: cfa withdraw [JOB] --reason TEXT");
  const place = await chooseUnfinished(context, repo, job, "withdraw --reason TEXT");
  const known = await readJob(place);
  refuseEnded(place, known);
  await withInbox(place, async (bus) => {
    await bus.inbox.post({ id: nanoid(), verb: "withdraw", target: "", text: reason, by: userName() });
  });
  return settle(context, place);
}

function refuseEnded({ id }: JobPlace, known: ReadJob | undefined): void {
  if (known === undefined) throw new Misuse(`the log of ${id} is empty: there is nothing to withdraw`);
  const { state } = known.record.machine;
  if (hasEnded(known) || (isOver(known.record) && state !== "WITHDRAWN"))
    throw new Misuse(`${id} has ended: it is ${state}, and nothing can be withdrawn any more`);
}

/** Sees the withdrawal through: by whoever runs the job, or here (W1). */
async function settle(context: Context, place: JobPlace): Promise<number> {
  for (;;) {
    const read = await watchOwner(place);
    if (read !== undefined && hasEnded(read)) return told(context, place, read);
    const engine = openEngine();
    try {
      const run = await engine.resume(place.top, place.id, { waitForHuman: false });
      await run.end;
    } finally {
      await engine.close();
    }
  }
}

/** Reads the log until the job has ended or nobody runs it any more. */
async function watchOwner(place: JobPlace): Promise<ReadJob | undefined> {
  return withInbox(place, async (bus) => {
    const viewer = new JobViewer();
    if (await isOwned(bus)) {
      await awaitEntry(bus, 0, (entry) => {
        viewer.apply(entry);
        return hasEnded(viewer.read);
      });
    } else {
      for await (const entry of bus.log.read()) viewer.apply(entry);
    }
    return viewer.empty ? undefined : viewer.read;
  });
}

function told(context: Context, { id }: JobPlace, { record, ledger }: ReadJob): number {
  const { state } = record.machine;
  if (state !== "WITHDRAWN") {
    say(context.stderr, `cfa: ${id} had ended before it could be withdrawn: it is ${state}`);
    return EXIT.failed;
  }
  const refs = [...ledger.threads.values()].flatMap(({ release }) => release?.ref ?? []);
  say(context.stdout, `${id} is withdrawn; nothing was merged or delivered`);
  if (refs.length > 0) say(context.stdout, `its work is kept on ${refs.join(", ")}`);
  return EXIT.completed;
}
