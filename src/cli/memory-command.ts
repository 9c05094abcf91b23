/** Declares `cfa memory`; what it does is in commands/memory.ts. */
import { Argument, type Command } from "commander";
import type { Settle } from "./agent-verbs.ts";
import type { MemoryAction, MemoryOptions } from "./commands/memory.ts";
import type { Context } from "./context.ts";

/** Declares it in the program. */
export function addMemory(program: Command, context: Context, settle: Settle): void {
  program
    .command("memory")
    .summary("what is remembered of a human: list [WORDS], show ID, correct ID TEXT")
    .addArgument(new Argument("[action]").choices(["list", "show", "correct"]).default("list"))
    .argument("[words...]")
    .option("--repo <dir>", "the repository (default: where you are)")
    .option("--human <name>", "whom (default: default)")
    .option("--json", "print it as JSON")
    .action(async (action: MemoryAction, words: readonly string[], options: MemoryOptions) => {
      const { memoryCommand } = await import("./commands/memory.ts");
      settle(await memoryCommand(context, action, words, options));
    });
}
