/**
 * `cfa answer ID [TEXT | --file F | -]`: answers an open question, from any process.
 *
 * A1. The first answer wins; whoever comes later is told so.
 * A2. It answers what is asked when it begins, or `--exchange`: a proxy that asks anew while the text is read gets no answer to what it
 *     has asked before.
 */
import { openJobRecord } from "../../engine/checkpoint.ts";
import { listJobs } from "../../persistence/jobs.ts";
import type { Bus } from "../../persistence/ports.ts";
import type { Ledger } from "../../runtime/ledger.ts";
import {
  type Addressed,
  addressOf,
  ASKED_ANEW,
  closedBecause,
  questionNamed,
} from "../../runtime/question-record.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { isOwned } from "../follow.ts";
import { givenText } from "../given-text.ts";
import { chooseJob, commandFor, type JobPlace, readJob, repositoryTop, withInbox } from "../jobs.ts";
import { postAct } from "../post-act.ts";
import { pendingAnswers } from "../view/question-view.ts";

/** Options of `cfa answer`. */
export type AnswerOptions = {
  readonly repo?: string | undefined;
  readonly job?: string | undefined;
  readonly file?: string | undefined;
  /** Which time that the question is put to the human the answer is for, from 1 on. */
  readonly exchange?: string | undefined;
};

/** Answers a question, named by its id or its conversation. */
export async function answerCommand(
  context: Context,
  named: string,
  words: string | undefined,
  options: AnswerOptions,
): Promise<number> {
  const id = questionNamed(named);
  const place = await jobOfQuestion(context, id, options);
  const exchange = exchangeOf(options) ?? (await exchangeNow(place, id));
  const { file } = options;
  const text = await givenText(context, { words, file, what: "answer", command: `cfa answer ${id}` });
  return withInbox(place, (bus) => answer(context, place, bus, { question: id, exchange }, text));
}

function exchangeOf({ exchange }: AnswerOptions): number | undefined {
  if (exchange === undefined) return undefined;
  const number = /^[1-9]\d{0,8}$/u.test(exchange) ? Number(exchange) : undefined;
  if (number === undefined) throw new Misuse(`--exchange is a number from 1 on, not "${exchange}"`);
  return number;
}

/** The exchange that is open, or was the last. */
async function exchangeNow(place: JobPlace, id: string): Promise<number> {
  const known = await readJob(place);
  requireOpen(known?.ledger, { question: id }, place);
  return known?.ledger.escalations.exchange(id) ?? 0;
}

async function answer(
  context: Context,
  place: JobPlace,
  bus: Bus,
  answered: Required<Addressed>,
  text: string,
): Promise<number> {
  const { question: id } = answered;
  const known = await openJobRecord(bus);
  requireOpen(known?.ledger, answered, place);
  const pending = known === undefined ? [] : pendingAnswers(known.ledger, await bus.inbox.pending());
  const waiting = pending.some(({ question }) => question === id);
  const resume = commandFor(context, place.top, `resume ${place.id}`);
  if (waiting && !(await isOwned(bus)))
    throw new Misuse(`question ${id} has an answer already, which waits to be taken up: ${resume}`);
  const result = await postAct(bus, known?.seq ?? 0, {
    verb: "answer",
    target: addressOf(answered),
    text,
  });
  if (result !== undefined && result !== "answered") throw new Misuse(result);
  const kept = `the answer is kept; nobody runs ${place.id}, go on with: ${resume}`;
  say(context.stdout, result === undefined ? kept : `answered; ${place.id} goes on`);
  return EXIT.completed;
}

function requireOpen(
  ledger: Ledger | undefined,
  { question: id, exchange }: Addressed,
  { id: job }: JobPlace,
): void {
  const question = ledger?.questions.get(id);
  if (question === undefined)
    throw new Misuse(`${job} has no question ${id}: cfa status ${job} lists those that are open`);
  const isCurrent = exchange === undefined || exchange === ledger?.escalations.exchange(id);
  if (question.asking && isCurrent) return;
  const what = question.asking ? ASKED_ANEW : closedBecause(question, ledger?.escalations.records.get(id));
  throw new Misuse(`question ${id} of ${job} ${what}`);
}

/** The job that has the question open; question ids are unique in a job only. */
async function jobOfQuestion(context: Context, id: string, { repo, job }: AnswerOptions): Promise<JobPlace> {
  if (job !== undefined) return chooseJob(context, repo, job);
  const top = await repositoryTop(context, repo);
  const known: string[] = [];
  const open: string[] = [];
  for (const one of await listJobs(top)) {
    const question = (await readJob({ top, id: one }))?.ledger.questions.get(id);
    if (question !== undefined) known.push(one);
    if (question?.asking === true) open.push(one);
  }
  const [only = known[0]] = open;
  if (only === undefined)
    throw new Misuse(`no job in ${top} has a question ${id}: cfa status lists those that are open`);
  if (open.length < 2) return { top, id: only };
  throw new Misuse(`several jobs have a question ${id} open, say which with --job: ${open.join(", ")}`);
}
