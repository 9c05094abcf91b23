/**
 * `cfa answer ID [TEXT | --file F | -]`: answers an open question, from any process.
 *
 * A1. The first answer wins; whoever comes later is told so.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { nanoid } from "nanoid";
import { openJobRecord } from "../../engine/checkpoint.ts";
import { listJobs } from "../../persistence/jobs.ts";
import type { Bus } from "../../persistence/ports.ts";
import type { QuestionRecord } from "../../runtime/thread-record.ts";
import { isErrno } from "../../soup/errno.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { awaitEntry, isOwned } from "../follow.ts";
import { chooseJob, commandFor, type JobPlace, readJob, repositoryTop, withInbox } from "../jobs.ts";
import { userName } from "../who.ts";

/** Options of `cfa answer`. */
export type AnswerOptions = {
  readonly repo?: string | undefined;
  readonly job?: string | undefined;
  readonly file?: string | undefined;
};

/** Answers question `id`. */
export async function answerCommand(
  context: Context,
  id: string,
  words: string | undefined,
  options: AnswerOptions,
): Promise<number> {
  const place = await jobOfQuestion(context, id, options);
  const text = await answerText(context, id, words, options.file);
  return withInbox(place, (bus) => answer(context, place, bus, id, text));
}

async function answer(
  context: Context,
  place: JobPlace,
  bus: Bus,
  id: string,
  text: string,
): Promise<number> {
  const known = await openJobRecord(bus);
  requireOpen(known?.ledger.questions.get(id), id, place);
  const waiting = (await bus.inbox.pending()).some(({ verb, target }) => verb === "answer" && target === id);
  const resume = commandFor(context, place.top, `resume ${place.id}`);
  if (waiting && !(await isOwned(bus)))
    throw new Misuse(`question ${id} has an answer already, which waits to be taken up: ${resume}`);
  const act = nanoid();
  await bus.inbox.post({ id: act, verb: "answer", target: id, text, by: userName() });
  const taken = await awaitEntry(bus, known?.seq ?? 0, ({ kind, body }) => kind === "act" && body.id === act);
  if (taken?.kind !== "act") {
    say(context.stdout, `the answer is kept; nobody runs ${place.id}, go on with: ${resume}`);
    return EXIT.completed;
  }
  if (taken.body.result !== "answered") throw new Misuse(taken.body.result);
  say(context.stdout, `answered; ${place.id} goes on`);
  return EXIT.completed;
}

function requireOpen(question: QuestionRecord | undefined, id: string, { id: job }: JobPlace): void {
  if (question === undefined)
    throw new Misuse(`${job} has no question ${id}: cfa status ${job} lists those that are open`);
  if (question.asking) return;
  const what =
    question.answer === undefined
      ? "is not open: it has ended, or is not put to a human"
      : "has been answered already";
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

async function answerText(
  context: Context,
  id: string,
  words: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (words !== undefined && file !== undefined)
    throw new Misuse("the answer comes from the command line or from --file, not from both");
  const text =
    file === undefined ? await spoken(context, id, words) : await written(resolve(context.cwd, file));
  if (text.trim() === "") throw new Misuse("the answer is empty: say something");
  return text;
}

async function spoken({ stdin }: Context, id: string, words: string | undefined): Promise<string> {
  if (words === undefined)
    throw new Misuse(`say what: cfa answer ${id} TEXT, or --file FILE, or - for standard input`);
  return words === "-" ? stdin.text() : words;
}

async function written(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES")) throw error;
    throw new Misuse(`${file} cannot be read: name a text file with the answer`);
  }
}
