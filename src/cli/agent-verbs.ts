/** The verbs of `cfa` that agents use inside a turn, and which function does them; the others are in program.ts. */
import type { Command } from "commander";
import type { OutcomeOptions } from "../channels/verbs/outcome.ts";
import type { SendOptions } from "../channels/verbs/send.ts";
import type { UsageOptions } from "../channels/verbs/usage.ts";
import type { ToolCheckOptions } from "./commands/tool-check.ts";
import type { AskWords } from "./commands/agent-verbs.ts";
import type { Context } from "./context.ts";

/** Takes the exit code of the command that ran. */
export type Settle = (exit: number) => void;

/** Declares them in the program. */
export function addAgentVerbs(program: Command, context: Context, settle: Settle): void {
  const verbs = () => import("./commands/agent-verbs.ts");
  program.commandsGroup("For agents, inside a turn:");
  program
    .command("send [message]")
    .summary("send a message, or open a conversation and print its id")
    .option("--to <role>", "an agent of your roster, or parent")
    .option("--thread <id>", "go on with an open conversation")
    .option("--file <path>", "a file of your workspace that travels with it; may be repeated", another)
    .option("--optional", "the new conversation may fail without holding the job")
    .option("--none", "say on purpose that nothing is sent")
    .action(async (message: string | undefined, options: Omit<SendOptions, "message">) => {
      settle(await (await verbs()).sendCommand(context, { ...options, message }));
    });
  program
    .command("ask [question]")
    .summary("ask the human; the answer is your next message")
    .option("--default <text>", "the answer that counts when nobody has given one in time")
    .option("--deadline <time>", "how long to wait for one, for example 10m")
    .action(async (text: string | undefined, options: AskWords) => {
      settle(await (await verbs()).askCommand(context, { ...options, text }));
    });
  program
    .command("respond [answer]")
    .summary("as the proxy of the human: answer the question of your turn")
    .option("--withdraw", "the human gives the work up; the text is the reason")
    .action(async (text: string | undefined, options: { readonly withdraw?: boolean }) => {
      settle(await (await verbs()).respondCommand(context, { ...options, text }));
    });
  program
    .command("close [thread]")
    .summary("end a conversation that you opened and merge its work")
    .action(async (thread: string | undefined) => {
      settle(await (await verbs()).closeCommand(context, { thread }));
    });
  program
    .command("outcome [name]")
    .summary("end the state that you lead")
    .option("--reason <text>", "why (required)")
    .action(async (outcome: string | undefined, options: Omit<OutcomeOptions, "outcome">) => {
      settle(await (await verbs()).outcomeCommand(context, { ...options, outcome }));
    });
  program
    .command("resolve [path]")
    .summary("declare a path of a conflict resolved")
    .action(async (path: string | undefined) => {
      settle(await (await verbs()).resolveCommand(context, { path }));
    });
  addUsage(program, context, settle);
  addServers(program, context, settle);
}

/** The report of what a turn has used. */
function addUsage(program: Command, context: Context, settle: Settle): void {
  program
    .command("usage")
    .summary("report the tokens and the money that you have used")
    .option("--input <n>", "tokens that were read at the full price")
    .option("--output <n>", "tokens that were written")
    .option("--cached <n>", "tokens that were read from a cache, beside --input")
    .option("--tokens <n>", "all tokens, where their kinds are not known")
    .option("--usd <amount>", "what it cost, US dollars")
    .option("--model <name>", "the model, as prices in job.yaml name it")
    .action(async (options: UsageOptions) => {
      const { usageCommand } = await import("./commands/agent-verbs.ts");
      settle(await usageCommand(context, options));
    });
}

/** Those that speak with the client of an agent rather than with the agent. */
function addServers(program: Command, context: Context, settle: Settle): void {
  program
    .command("mcp")
    .summary("serve these verbs as MCP tools over standard input and output")
    .action(async () => {
      const { mcpCommand } = await import("./commands/mcp.ts");
      settle(await mcpCommand(context));
    });
  program
    .command("tool-check")
    .summary("as a hook of an agent's client: may this tool call be made? (exit 2: no)")
    .option("--grant <file>", "what the agent may use (required)")
    .option("--workspace <dir>", "the workspace (default: CFA_WORKSPACE)")
    .option("--deadline <duration>", "refuse what takes longer (default: 10s)")
    .action(async (options: ToolCheckOptions) => {
      const { toolCheckCommand } = await import("./commands/tool-check.ts");
      settle(await toolCheckCommand(context, options));
    });
}

/** The values of an option that may be repeated. */
function another(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
