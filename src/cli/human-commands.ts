/** The commands by which a person takes part in a job: answering, redirecting, writing, pausing, withdrawing (docs/human.md). */
import type { Command } from "commander";
import type { Settle } from "./agent-verbs.ts";
import type { AnswerOptions } from "./commands/answer.ts";
import type { InboxOptions } from "./commands/inbox.ts";
import type { PauseOptions } from "./commands/pause.ts";
import type { WithdrawOptions } from "./commands/withdraw.ts";
import type { Context } from "./context.ts";
import type { WriteOptions } from "./write-to.ts";

/** The option that names the repository. */
export const REPO = ["--repo <dir>", "the repository (default: where you are)"] as const;

/** Declares them in the program. */
export function addHumanCommands(program: Command, context: Context, settle: Settle): void {
  program
    .command("answer <question> [text]")
    .summary("answer an open question; text - reads standard input")
    .option(...REPO)
    .option("--job <job>", "the job that asks")
    .option("--file <file>", "take the answer from a file")
    .option(
      "--exchange <number>",
      "which time that it is put to you the answer is for: 1, 2, … (default: the present one)",
    )
    .showHelpAfterError(
      "(an answer that begins with a dash: cfa answer ID -- TEXT, or - and the text on standard input)",
    )
    .action(async (question: string, text: string | undefined, options: AnswerOptions) => {
      const { answerCommand } = await import("./commands/answer.ts");
      settle(await answerCommand(context, question, text, options));
    });
  program
    .command("inbox")
    .summary("the open questions of all jobs")
    .option(...REPO)
    .option("--watch", "tell each question as it opens, until stopped")
    .option("--json", "print them as JSON, one a line with --watch")
    .action(async (options: InboxOptions) => {
      const { inboxCommand } = await import("./commands/inbox.ts");
      settle(await inboxCommand(context, options));
    });
  addWriting(program, context, settle);
  program
    .command("pause [job]")
    .summary("start no new turn and park the job; cfa resume goes on")
    .option(...REPO)
    .option("--reason <text>", "why, for cfa status")
    .action(async (job: string | undefined, options: PauseOptions) => {
      const { pauseCommand } = await import("./commands/pause.ts");
      settle(await pauseCommand(context, job, options));
    });
  program
    .command("withdraw [job]")
    .summary("end a job, or a conversation and all below it, and drop its work, whoever runs it")
    .option(...REPO)
    .option("--thread <thread>", "a conversation, not the whole job")
    .option("--reason <text>", "why (required)")
    .action(async (job: string | undefined, options: WithdrawOptions) => {
      const { withdrawCommand } = await import("./commands/withdraw.ts");
      settle(await withdrawCommand(context, job, options));
    });
}

function addWriting(program: Command, context: Context, settle: Settle): void {
  const THREAD = ["--thread <thread>", "a conversation (default: the lead of the present state)"] as const;
  const FILE = ["--file <file>", "take the text from a file"] as const;
  program
    .command("interrupt <job> [text]")
    .summary("stop whoever works and redirect them to a message; text - reads standard input")
    .option(...REPO)
    .option(...THREAD)
    .option(...FILE)
    .action(async (job: string, text: string | undefined, options: WriteOptions) => {
      const { interruptCommand } = await import("./commands/interrupt.ts");
      settle(await interruptCommand(context, job, text, options));
    });
  program
    .command("tell <job> [text]")
    .summary("write to a job without stopping anybody; text - reads standard input")
    .option(...REPO)
    .option(...THREAD)
    .option(...FILE)
    .action(async (job: string, text: string | undefined, options: WriteOptions) => {
      const { tellCommand } = await import("./commands/tell.ts");
      settle(await tellCommand(context, job, text, options));
    });
}
