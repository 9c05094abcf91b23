/**
 * The commands of `cfa`: what they are called, what they take, and which function does them.
 *
 * M1. A command returns its exit code; nothing here ends the process.
 * M2. What a command needs is loaded when it is called, so that `cfa send` stays quick.
 */
import { Argument, Command, CommanderError, Option } from "commander";
import { addAgentVerbs, type Settle } from "./agent-verbs.ts";
import type { CheckOptions } from "./commands/check.ts";
import type { CompletedCommand } from "./commands/completion.ts";
import type { ExploreCommandOptions } from "./commands/explore.ts";
import type { ForkOptions } from "./commands/fork.ts";
import type { LogOptions } from "./commands/log.ts";
import type { ReplayOptions } from "./commands/replay.ts";
import type { ResumeOptions } from "./commands/resume.ts";
import type { RunCommandOptions } from "./commands/run.ts";
import type { StatusCommandOptions } from "./commands/status.ts";
import type { StepOptions } from "./commands/step.ts";
import type { ValidateOptions } from "./commands/validate.ts";
import type { VerifyOptions } from "./commands/verify.ts";
import type { WhyOptions } from "./commands/why.ts";
import type { Context } from "./context.ts";
import { reportError } from "./errors.ts";
import { EXIT, exitCodeHelp } from "./exit-codes.ts";
import { addUpkeep } from "./upkeep.ts";
import { addHumanCommands, REPO } from "./human-commands.ts";
import { addMemory } from "./memory-command.ts";
import { VERSION } from "./version.ts";

/** Runs the command line `words`. Returns the exit code; never rejects. */
export async function runProgram(words: readonly string[], context: Context): Promise<number> {
  let exit: number = EXIT.completed;
  const program = buildProgram(context, (code) => {
    exit = code;
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return exit;
  } catch (error) {
    // Commander has printed its own sentence.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.misuse;
    return reportError(context, error);
  }
}

/** The program with all its commands. */
function buildProgram(context: Context, settle: Settle): Command {
  const { stdout, stderr } = context;
  const program = new Command("cfa")
    .description("Carries a request through INTENT, PLAN and EXECUTE with agents in git worktrees.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns(),
      getErrHelpWidth: () => stderr.columns(),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(text.replace(/^error: /, "cfa: ")),
    })
    .showHelpAfterError("(cfa --help, or cfa COMMAND --help, tells more)")
    .addHelpText("after", `\n${exitCodeHelp()}`);
  addFileCommands(program, context, settle);
  addJobCommands(program, context, settle);
  addHumanCommands(program, context, settle);
  addReadingCommands(program, context, settle);
  addReplayingCommands(program, context, settle);
  addExplore(program, context, settle);
  addUpkeep(program, context, settle);
  addMemory(program, context, settle);
  addCompletion(program, context, settle);
  addAgentVerbs(program, context, settle);
  return program;
}

function addFileCommands(program: Command, context: Context, settle: Settle): void {
  program
    .command("init [path]")
    .summary("write a commented job.yaml that runs as it is")
    .action(async (path: string | undefined) => {
      const { initCommand } = await import("./commands/init.ts");
      settle(await initCommand(context, path));
    });
  program
    .command("validate [file]")
    .summary("check a job file and its repository; write nothing")
    .option("--repo <dir>", "in place of the file's repository")
    .option("--json", "print the findings as JSON")
    .action(async (file: string | undefined, options: ValidateOptions) => {
      const { validateCommand } = await import("./commands/validate.ts");
      settle(await validateCommand(context, file, options));
    });
  program
    .command("check [file]")
    .summary("explore a job file with free agents, before it runs; write nothing")
    .option("--max-states <n>", "look at so many states (default: 3000)")
    .option("--max-turns <n>", "look at runs of so many turns (default: 100)")
    .option("--json", "print the report as JSON")
    .action(async (file: string | undefined, options: CheckOptions) => {
      const { checkCommand } = await import("./commands/check.ts");
      settle(checkCommand(context, file, options));
    });
}

function addJobCommands(program: Command, context: Context, settle: Settle): void {
  program
    .command("run [file]")
    .summary("run a job file (default job.yaml); the same job again is shown or resumed")
    .option("--repo <dir>", "in place of the file's repository")
    .option("--new", "start another run of the same job")
    .option("--json", "print the entries of the log as they happen, one JSON object a line")
    .option("-q, --quiet", "no progress")
    .action(async (file: string | undefined, options: RunCommandOptions) => {
      const { runCommand } = await import("./commands/run.ts");
      settle(await runCommand(context, file, options));
    });
  program
    .command("resume [job]")
    .summary("go on with an unfinished job")
    .option(...REPO)
    .option(
      "--budget <key=value...>",
      "larger budget: usd=10 tokens=2000000 turns=100 wall=2h, totals of the job",
    )
    .option("--json", "print the entries of the log as they happen, one JSON object a line")
    .option("-q, --quiet", "no progress")
    .action(async (job: string | undefined, options: ResumeOptions) => {
      const { resumeCommand } = await import("./commands/resume.ts");
      settle(await resumeCommand(context, job, options));
    });
  program
    .command("fork [job]")
    .summary("start a new job from an entry of another; what was done before is not run again")
    .option(...REPO)
    .option("--at <n>", "go on from entry N, at the end of its commit (required)")
    .option("--json", "print the entries of the log as they happen, one JSON object a line")
    .option("-q, --quiet", "no progress")
    .action(async (job: string | undefined, options: ForkOptions) => {
      const { forkCommand } = await import("./commands/fork.ts");
      settle(await forkCommand(context, job, options));
    });
}

function addReadingCommands(program: Command, context: Context, settle: Settle): void {
  program
    .command("status [job]")
    .summary("how a job stands (default: the newest)")
    .option(...REPO)
    .option("--all", "all jobs, one a line")
    .option("--watch", "show it again whenever it has changed, until it has ended")
    .option("--json", "print it as JSON")
    .action(async (job: string | undefined, options: StatusCommandOptions) => {
      const { statusCommand } = await import("./commands/status.ts");
      settle(await statusCommand(context, job, options));
    });
  program
    .command("log [job]")
    .summary("the log of a job (default: the newest)")
    .option(...REPO)
    .option("--jsonl", "the export: one JSON object a line")
    .action(async (job: string | undefined, options: LogOptions) => {
      const { logCommand } = await import("./commands/log.ts");
      settle(await logCommand(context, job, options));
    });
}

function addReplayingCommands(program: Command, context: Context, settle: Settle): void {
  program
    .command("replay [job]")
    .summary("what happened, one line an entry; JOB, or a file of `cfa log --jsonl`")
    .option(...REPO)
    .option("--from <n>", "from entry N on")
    .option("--to <n>", "up to entry N")
    .option("--thread <thread>", "only what touches this thread")
    .option("--agent <agent>", "only what this agent did or got")
    .option("--rule <rule>", "only firings of this rule")
    .option("--soup", "with the molecules that changed")
    .option("--at <n>", "the configuration after entry N, in notation")
    .option("--jsonl", "one JSON object a line")
    .action(async (job: string | undefined, options: ReplayOptions) => {
      const { replayCommand } = await import("./commands/replay.ts");
      settle(await replayCommand(context, job, options));
    });
  program
    .command("step [job]")
    .summary("walk through what happened, forward and backward; JOB, or a file")
    .option(...REPO)
    .option("--commands <list>", 'without a terminal, for example "n 3; b spark; c; print; q"')
    .action(async (job: string | undefined, options: StepOptions) => {
      const { stepCommand } = await import("./commands/step.ts");
      settle(await stepCommand(context, job, options));
    });
  program
    .command("verify [job]")
    .summary("check a log against the rules, its anchor and its commits; JOB, or a file")
    .option(...REPO)
    .option("--head <hash>", "the hash of an entry that you have kept, or N:HASH")
    .option("--json", "print what was found as JSON")
    .action(async (job: string | undefined, options: VerifyOptions) => {
      const { verifyCommand } = await import("./commands/verify.ts");
      settle(await verifyCommand(context, job, options));
    });
  program
    .command("why <words...>")
    .usage("[options] [job] <thread|entry>")
    .summary("why a thread runs, waits, ended or failed, or an entry came to be")
    .option(...REPO)
    .option("--json", "print the causes as JSON")
    .action(async (words: readonly string[], options: WhyOptions) => {
      const { whyCommand } = await import("./commands/why.ts");
      settle(await whyCommand(context, words, options));
    });
}

function addExplore(program: Command, context: Context, settle: Settle): void {
  program
    .command("explore <file>")
    .summary("walk every interleaving of a scenario file; - reads standard input")
    .addOption(new Option("--rules <table>", "in place of the file's rules").choices(["literal", "complete"]))
    .option("--reduce", "leave out interleavings that make no difference")
    .option("--max-states <n>", "stop after so many configurations (default: 10 million)")
    .option("--json", "print what was found as JSON")
    .action(async (file: string, options: ExploreCommandOptions) => {
      const { exploreCommand } = await import("./commands/explore.ts");
      settle(await exploreCommand(context, file, options));
    });
}

function addCompletion(program: Command, context: Context, settle: Settle): void {
  program
    .command("completion")
    .summary("print a completion script")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { completionCommand } = await import("./commands/completion.ts");
      settle(completionCommand(context, shell, program.commands.map(completed)));
    });
}

function completed(command: Command): CompletedCommand {
  return {
    name: command.name(),
    summary: command.summary(),
    takesJob: command.registeredArguments[0]?.name() === "job",
    options: command.options.flatMap((option: Option) =>
      option.long == null
        ? []
        : [
            {
              flag: option.long,
              summary: option.description,
              takesValue: option.required || option.optional,
            },
          ],
    ),
  };
}
