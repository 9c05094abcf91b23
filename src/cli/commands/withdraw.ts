/**
 * `cfa withdraw [JOB] [--thread T] --reason TEXT`: ends a job, or one of its conversations with everything below it,
 * whoever runs it, or nobody (CfA §9).
 *
 * W1. It returns when the threads have ended and nothing of them is left, or says why that is not so. Of a job that has ended something
 *     may be left as long as a process runs it: a turn of the proxy that is being stopped has no tree to wait for.
 */
import { nanoid } from "nanoid";
import { openFolds } from "../../engine/checkpoint.ts";
import { hasEnded, type ReadJob } from "../../engine/read-job.ts";
import { notWithdrawable } from "../../job/acts.ts";
import { isOver } from "../../job/state-record.ts";
import { shortThread } from "../../job/thread-names.ts";
import type { Ledger } from "../../runtime/ledger.ts";
import type { ThreadId } from "../../soup/message.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { awaitEntry, isOwned, unowned } from "../follow.ts";
import { chooseUnfinished, type JobPlace, readJob, withInbox } from "../jobs.ts";
import { carryOut } from "../post-act.ts";
import { userName } from "../who.ts";
import { targetOf } from "../write-to.ts";

/** Options of `cfa withdraw`. */
export type WithdrawOptions = {
  readonly repo?: string | undefined;
  readonly reason?: string | undefined;
  readonly thread?: string | undefined;
};

/** Withdraws the job, or one of its threads. */
export async function withdrawCommand(
  context: Context,
  job: string | undefined,
  { repo, reason, thread }: WithdrawOptions,
): Promise<number> {
  if (reason === undefined || reason.trim() === "")
    throw new Misuse("say why: cfa withdraw [JOB] [--thread T] --reason TEXT");
  const place = await chooseUnfinished(context, repo, job, "withdraw --reason TEXT");
  const known = await readJob(place);
  refuseEnded(place, known);
  const target = thread === undefined ? "" : targetOf(place, known, thread);
  const obstacle = known === undefined || target === "" ? undefined : notWithdrawable(known.record, target);
  if (obstacle !== undefined) throw new Misuse(`${place.id}: ${obstacle}`);
  await withInbox(place, async (bus) => {
    await bus.inbox.post({ id: nanoid(), verb: "withdraw", target, text: reason, by: userName() });
  });
  const read = await settle(place, target);
  return target === "" ? told(context, place, read) : toldOf(context, target, read.ledger);
}

function refuseEnded({ id }: JobPlace, known: ReadJob | undefined): void {
  if (known === undefined) throw new Misuse(`the log of ${id} is empty: there is nothing to withdraw`);
  const { state } = known.record.machine;
  if (hasEnded(known) || (isOver(known.record) && state !== "WITHDRAWN"))
    throw new Misuse(`${id} has ended: it is ${state}, and nothing can be withdrawn any more`);
}

/** Sees the withdrawal through: by whoever runs the job, or here (W1). */
async function settle(place: JobPlace, target: ThreadId): Promise<ReadJob> {
  for (;;) {
    const read = await watchOwner(place, target);
    if (read !== undefined && isDone(read, target)) return read;
    await carryOut(place);
  }
}

function isDone(read: ReadJob, target: ThreadId): boolean {
  if (target === "" || hasEnded(read)) return hasEnded(read);
  // The log is read entry by entry: the thread may not have been opened yet.
  if (!read.ledger.threads.has(target)) return false;
  return subtree(read.ledger, target).every((one) => isGone(read, one));
}

/** The thread has ended, its tree has left, and so have the workspaces of its questions. */
function isGone({ ledger }: ReadJob, thread: ThreadId): boolean {
  if (!ledger.thread(thread).closed || ledger.unreleased.has(thread)) return false;
  return ledger.escalations.of(thread).every(({ workspace }) => workspace !== "ready");
}

function subtree(ledger: Ledger, thread: ThreadId): readonly ThreadId[] {
  return [thread, ...ledger.thread(thread).children.flatMap((child) => subtree(ledger, child))];
}

/** Reads the log until it is done or nobody runs the job any more. */
async function watchOwner(place: JobPlace, target: ThreadId): Promise<ReadJob | undefined> {
  return withInbox(place, async (bus) => {
    // Asked before the log is read: what an owner that leaves has written last is read, too.
    const owned = await isOwned(bus);
    const { reader } = await openFolds(bus.log);
    const isSettled = () => {
      const read = reader.job();
      return read !== undefined && isDone(read, target);
    };
    if (!owned) return reader.job();
    if (!isSettled()) {
      await awaitEntry(bus, reader.seq, (entry) => {
        reader.apply(entry);
        return isSettled();
      });
    }
    if (target === "") await unowned(bus);
    return reader.job();
  });
}

function told(context: Context, { id }: JobPlace, { record, ledger }: ReadJob): number {
  const { state } = record.machine;
  if (state !== "WITHDRAWN") {
    say(context.stderr, `cfa: ${id} had ended before it could be withdrawn: it is ${state}`);
    return EXIT.failed;
  }
  say(context.stdout, `${id} is withdrawn; nothing was merged or delivered`);
  sayKept(context, ledger, [...ledger.threads.keys()]);
  return EXIT.completed;
}

function toldOf(context: Context, thread: ThreadId, ledger: Ledger): number {
  if (ledger.thread(thread).ending === "merge") {
    say(
      context.stderr,
      `cfa: ${shortThread(thread)} had ended before it could be withdrawn: its work was merged`,
    );
    return EXIT.failed;
  }
  const below = subtree(ledger, thread);
  const others = below.length === 1 ? "" : ` with ${below.length - 1} below it`;
  say(context.stdout, `${shortThread(thread)} is withdrawn${others}; nothing of it was merged`);
  sayKept(context, ledger, below);
  return EXIT.completed;
}

function sayKept(context: Context, ledger: Ledger, threads: readonly ThreadId[]): void {
  const refs = threads.flatMap((thread) => ledger.thread(thread).release?.ref ?? []);
  if (refs.length > 0) say(context.stdout, `its work is kept on ${refs.join(", ")}`);
}
