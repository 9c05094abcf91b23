/**
 * `cfa inbox`: the open questions of all jobs of a repository, oldest job last; with --watch, each as it opens.
 *
 * I1. It only reads: jobs go on while it looks.
 * I2. A job that cannot be read is named on stderr, and the others are shown.
 */
import { setTimeout as delay } from "node:timers/promises";
import { openJobRecord } from "../../engine/checkpoint.ts";
import { hasEnded } from "../../engine/read-job.ts";
import { listJobs } from "../../persistence/jobs.ts";
import { POLL_MILLIS } from "../../persistence/ports.ts";
import { type Context, say } from "../context.ts";
import { reportError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { commandFor, repositoryTop, withLog } from "../jobs.ts";
import {
  type PendingAnswer,
  pendingAnswers,
  questionLines,
  questionsOf,
  type QuestionView,
} from "../view/question-view.ts";

/** Options of `cfa inbox`. */
export type InboxOptions = {
  readonly repo?: string | undefined;
  readonly json?: boolean | undefined;
  readonly watch?: boolean | undefined;
};

/** What a job asks. */
type Asked = {
  readonly job: string;
  readonly questions: readonly QuestionView[];
  readonly answers: readonly PendingAnswer[];
  readonly ended: boolean;
};

/** Shows what is asked. */
export async function inboxCommand(
  context: Context,
  { repo, json = false, watch = false }: InboxOptions,
): Promise<number> {
  const top = await repositoryTop(context, repo);
  if (watch) return watchAll(context, top, json);
  const { asked, exit } = await look(context, top, new Set());
  const open = asked.flatMap(({ job, questions }) => questions.map((question) => ({ job, ...question })));
  const answers = asked.flatMap((one) => one.answers.map((answer) => ({ job: one.job, ...answer })));
  if (json) say(context.stdout, JSON.stringify({ questions: open, answers }, null, 2));
  else for (const one of open) sayQuestion(context, top, one);
  for (const { job, question, by } of json ? [] : answers)
    say(
      context.stdout,
      `${question} of ${job}  answered by ${by}; go on with ${commandFor(context, top, `resume ${job}`)}`,
    );
  if (!json && open.length + answers.length === 0) say(context.stderr, `no question is open in ${top}`);
  return exit;
}

/** Tells each question once for each time it is put to the human, as that happens, until the command is stopped. */
async function watchAll(context: Context, top: string, json: boolean): Promise<number> {
  const told = new Set<string>();
  const ended = new Set<string>();
  while (!context.stdout.closed()) {
    const { asked } = await look(context, top, ended);
    for (const { job, questions, ended: over } of asked) {
      if (over) ended.add(job);
      for (const question of questions) {
        const key = `${job} ${question.id} ${question.exchange}`;
        if (told.has(key)) continue;
        told.add(key);
        if (json) say(context.stdout, JSON.stringify({ job, ...question }));
        else sayQuestion(context, top, { job, ...question });
      }
    }
    await delay(POLL_MILLIS);
  }
  return EXIT.completed;
}

function sayQuestion(context: Context, top: string, question: QuestionView & { readonly job: string }): void {
  const answer = commandFor(context, top, `answer ${question.id} TEXT --job ${question.job}`);
  for (const line of questionLines(question, { job: question.job, now: context.now(), answer }))
    say(context.stdout, line);
}

/** Every job but those of `without` (I2). */
async function look(
  context: Context,
  top: string,
  without: ReadonlySet<string>,
): Promise<{ readonly asked: readonly Asked[]; readonly exit: number }> {
  const asked: Asked[] = [];
  let exit: number = EXIT.completed;
  for (const job of await listJobs(top)) {
    if (without.has(job)) continue;
    try {
      const one = await askedBy(top, job);
      if (one !== undefined) asked.push(one);
    } catch (error) {
      exit = reportError(context, error);
    }
  }
  return { asked, exit };
}

async function askedBy(top: string, job: string): Promise<Asked | undefined> {
  return withLog({ top, id: job }, async (bus) => {
    const read = await openJobRecord(bus);
    if (read === undefined) return undefined;
    const answers = pendingAnswers(read.ledger, await bus.inbox.pending());
    return { job, questions: questionsOf(read.ledger, answers), answers, ended: hasEnded(read) };
  });
}
