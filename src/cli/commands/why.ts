/** `cfa why [JOB | FILE] THREAD|ENTRY`: the chain of causes of a thread's state or of an entry, newest first. */
import { type Standing, whyEntry, whyThread } from "../../engine/causes/causes.ts";
import { stepsOf } from "../../engine/history.ts";
import { suggest } from "../../job/suggest.ts";
import { shortThread, wholeThread } from "../../job/thread-names.ts";
import { conversationOf } from "../../persistence/conversation.ts";
import type { Step } from "../../persistence/verify.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { entriesOf, withSource } from "../log-source.ts";
import { causeLines, standingLine, wordsOf } from "../view/cause-lines.ts";
import { nameOf } from "../view/replay-line.ts";

/** Options of `cfa why`. */
export type WhyOptions = { readonly repo?: string | undefined; readonly json?: boolean | undefined };

type Answer = { readonly headline: string; readonly chain: readonly Step[] };

/** Explains a thread or an entry. */
export async function whyCommand(
  context: Context,
  words: readonly string[],
  { repo, json = false }: WhyOptions,
): Promise<number> {
  const target = words.at(-1);
  if (target === undefined || words.length > 2)
    throw new Misuse("say what to explain: cfa why [JOB] THREAD, or cfa why [JOB] ENTRY");
  const steps = await withSource(context, repo, words.length === 2 ? words[0] : undefined, async (source) => [
    ...stepsOf(entriesOf(source)),
  ]);
  const { headline, chain } = explain(steps, target);
  const lines = json ? [jsonOf(headline, chain)] : [headline, ...causeLines(chain)];
  for (const line of lines) say(context.stdout, line);
  return EXIT.completed;
}

function explain(steps: readonly Step[], target: string): Answer {
  const job = steps[0]?.entry.job ?? "";
  if (/^\d+$/.test(target)) {
    const chain = whyEntry(steps, Number(target));
    if (chain === undefined)
      throw new Misuse(`the log ends at entry ${steps.length}: there is no entry ${target}`);
    return { headline: `entry ${target} of ${job} follows from:`, chain };
  }
  const thread = wholeThread(namingJob(steps), target);
  const found = whyThread(steps, thread);
  if (found === undefined) throw new Misuse(unknownThread(steps, job, target));
  const { standing, chain } = found;
  return { headline: headlineOf(thread, standing), chain };
}

/** The id by which the threads of a log are named. */
function namingJob([first]: readonly Step[]): string {
  return first?.entry.kind === "open" ? first.entry.body.job : "";
}

function headlineOf(thread: string, standing: Standing): string {
  return `${standingLine(thread, standing)}; newest cause first:`;
}

function unknownThread(steps: readonly Step[], job: string, target: string): string {
  const cells = steps.at(-1)?.after.cells() ?? [];
  const names = [...cells].flatMap(({ thread, questions }) => [
    shortThread(thread),
    ...questions.map(({ question }) => conversationOf(question)),
  ]);
  const near = suggest(target, names);
  return `${job} has no thread ${target}: ${near === undefined ? "cfa status shows them" : `did you mean ${near}?`}`;
}

function jsonOf(headline: string, chain: readonly Step[]): string {
  const causes = chain.map((step) => ({
    seq: step.entry.seq,
    what: nameOf(step.entry),
    text: wordsOf(step),
  }));
  return JSON.stringify({ headline, causes }, null, 2);
}
