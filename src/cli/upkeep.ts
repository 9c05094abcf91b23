/** The commands that look after machine and repository, declared for the program (program.ts). */
import type { Command } from "commander";
import type { Settle } from "./agent-verbs.ts";
import type { DoctorOptions } from "./commands/doctor.ts";
import type { GcCommandOptions } from "./commands/gc.ts";
import type { Context } from "./context.ts";

/** Declares them. */
export function addUpkeep(program: Command, context: Context, settle: Settle): void {
  program
    .command("doctor [file]")
    .summary("try out what this machine offers, and say what a job file exempts from its boundary")
    .option("--repo <dir>", "the repository (default: where you are)")
    .option("--json", "print it as JSON")
    .action(async (file: string | undefined, options: DoctorOptions) => {
      const { doctorCommand } = await import("./commands/doctor.ts");
      settle(await doctorCommand(context, file, options));
    });
  program
    .command("gc [job]")
    .summary("remove worktrees and private refs of jobs that ended long ago; logs and results stay")
    .option("--repo <dir>", "the repository (default: where you are)")
    .option("--older-than <age>", "jobs whose newest entry is older than this (default: 30d; 0 for all)")
    .option("--dry-run", "say what would be removed")
    .option("--json", "print it as JSON")
    .action(async (job: string | undefined, options: GcCommandOptions) => {
      const { gcCommand } = await import("./commands/gc.ts");
      settle(await gcCommand(context, job, options));
    });
}
