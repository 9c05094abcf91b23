/**
 * Writing to a running job: what `cfa interrupt` and `cfa tell` have in common.
 *
 * W1. Without --thread the text goes to the lead of the job's present state, whoever that is when it is taken up.
 */
import type { ReadJob } from "../engine/read-job.ts";
import { absence } from "../job/acts.ts";
import { suggest } from "../job/suggest.ts";
import { shortThread, wholeThread } from "../job/thread-names.ts";
import type { Context } from "./context.ts";
import { say } from "./context.ts";
import { Misuse } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";
import { givenText } from "./given-text.ts";
import { chooseJob, commandFor, type JobPlace, readJob, withInbox } from "./jobs.ts";
import { postAct } from "./post-act.ts";

/** Options of both. */
export type WriteOptions = {
  readonly repo?: string | undefined;
  readonly thread?: string | undefined;
  readonly file?: string | undefined;
};

/** How one differs from the other. */
export type Manner = {
  readonly verb: "interrupt" | "tell";
  /** What the act has led to, for people; `who` is the conversation. */
  readonly done: (who: string) => string;
};

/** Writes to a job or to one of its conversations. Returns the exit code. */
export async function writeTo(
  context: Context,
  job: string,
  words: string | undefined,
  { repo, thread, file }: WriteOptions,
  { verb, done }: Manner,
): Promise<number> {
  const place = await chooseJob(context, repo, job);
  const target = targetOf(place, await readJob(place), thread);
  const text = await givenText(context, { words, file, what: "message", command: `cfa ${verb} ${job}` });
  return withInbox(place, async (bus) => {
    const { seq } = await bus.log.head();
    const result = await postAct(bus, seq, { verb, target, text });
    const resume = commandFor(context, place.top, `resume ${place.id}`);
    if (result !== undefined && result !== RESULTS[verb]) throw new Misuse(result);
    const said =
      result === undefined
        ? `it is kept; nobody runs ${place.id}, go on with: ${resume}`
        : done(target === "" ? place.id : shortThread(target));
    say(context.stdout, said);
    return EXIT.completed;
  });
}

const RESULTS = { interrupt: "interrupted", tell: "delivered" } as const;

/** The thread that is meant, empty for the job. Throws {@link Misuse} when nobody is there. */
export function targetOf(place: JobPlace, known: ReadJob | undefined, thread: string | undefined): string {
  if (known === undefined) throw new Misuse(`the log of ${place.id} is empty: nobody is there`);
  const { record, ledger } = known;
  const whole = thread === undefined ? "" : wholeThread(record.job, thread);
  const target = whole === ledger.root ? "" : whole;
  const missing = absence(record, target, known);
  if (missing === undefined) return target;
  const near = ledger.threads.has(target)
    ? undefined
    : suggest(thread ?? "", [...ledger.threads.keys()].map(shortThread));
  const hint = near === undefined ? `cfa status ${place.id} shows who is there` : `did you mean ${near}?`;
  throw new Misuse(`${place.id}: ${missing}${record.machine.state in ENDS ? "" : `; ${hint}`}`);
}

const ENDS = { DONE: true, WITHDRAWN: true, FAILURE: true };
