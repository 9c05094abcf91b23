/**
 * `cfa tool-check --grant FILE`: a PreToolUse hook of agent command lines (docs/tool-check.md). It reads the call from standard input; exit
 * code 0 lets it pass, 2 blocks it with the sentence on standard error.
 *
 * H1. Whatever goes wrong blocks: input that is malformed, too long or does not end, a grant that cannot be read, a bug.
 * H2. To let a call pass it prints nothing, so that the client's own settings count as well.
 * H3. A check that is busy beyond its deadline is killed; the command of the hook makes exit code 2 of that (hook-command.ts).
 */
import { Worker } from "node:worker_threads";
import { parseDuration } from "../../job/duration.ts";
import { readText } from "../../job/text-file.ts";
import { checkTool, type Verdict } from "../../tool-check/check.ts";
import { HOOK_BYTES_MAX, parseHookInput } from "../../tool-check/hook-input.ts";
import { type ToolGrant, toolGrantSchema } from "../../tool-check/grant.ts";
import { type Context, say } from "../context.ts";

/** Options of `cfa tool-check`, as they stand on the command line. */
export type ToolCheckOptions = {
  readonly grant?: string | undefined;
  readonly workspace?: string | undefined;
  readonly deadline?: string | undefined;
};

/** Exit codes of a hook: what Claude Code and Codex take for "go on" and "blocked". */
const PASS = 0;
const BLOCK = 2;
const DEADLINE = "10s";
const GRANT_BYTES_MAX = 1024 * 1024;

/** Decides on the call on standard input. Never rejects (H1). */
export async function toolCheckCommand(context: Context, options: ToolCheckOptions): Promise<number> {
  const deadline = parseDuration(options.deadline ?? DEADLINE);
  const over = new AbortController();
  const watch = watchdog(deadline ?? 0);
  const timer = setTimeout(() => over.abort(), deadline ?? 0);
  const late = new Promise<never>((_resolve, reject) => {
    over.signal.addEventListener("abort", () =>
      reject(new Error(`it took longer than ${options.deadline ?? DEADLINE}`)),
    );
  });
  try {
    if (deadline === undefined)
      throw new Error(`--deadline ${options.deadline ?? ""} is no duration, such as 10s`);
    const verdict = await Promise.race([judge(context, options, over.signal), late]);
    if (verdict.allow) return PASS;
    say(context.stderr, `refused: ${verdict.sentence}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(context.stderr, `refused: the tool call could not be checked: ${why}`);
  } finally {
    clearTimeout(timer);
    await watch.terminate();
  }
  return BLOCK;
}

/** What a check may take beyond its deadline before it is killed, milliseconds. */
const GRACE_MILLIS = 1000;

/** Kills this process after its deadline, whatever keeps it busy: a timer of its own thread would wait for that (H3). */
function watchdog(deadline: number): Worker {
  const script = `
    const { workerData } = require("node:worker_threads");
    setTimeout(() => {
      require("node:fs").writeSync(2, "refused: the tool call could not be checked: it took longer than its deadline\\n");
      process.kill(process.pid, "SIGKILL");
    }, workerData);`;
  const worker = new Worker(script, { eval: true, workerData: deadline + GRACE_MILLIS });
  worker.unref();
  return worker;
}

async function judge(
  { stdin, env }: Context,
  options: ToolCheckOptions,
  signal: AbortSignal,
): Promise<Verdict> {
  const text = await stdin.text({ bytesMax: HOOK_BYTES_MAX, signal });
  const parsed = parseHookInput(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  const workspace = options.workspace ?? env["CFA_WORKSPACE"];
  if (workspace === undefined || workspace === "")
    throw new Error("no workspace is named: set CFA_WORKSPACE, or use --workspace");
  return checkTool(parsed.call, { grant: readGrant(options.grant), workspace, env });
}

function readGrant(file: string | undefined): ToolGrant {
  if (file === undefined) throw new Error("no grant is named: use --grant");
  const read = readText(file, GRANT_BYTES_MAX);
  if ("problem" in read) throw new Error(`the grant ${file} ${read.problem}`);
  const parsed = toolGrantSchema.safeParse(JSON.parse(read.text));
  if (!parsed.success) {
    const keys = parsed.error.issues.map(({ path }) => path.join(".") || "the whole");
    throw new Error(`the grant ${file} is not what cfa writes: ${keys.join(", ")}`);
  }
  return parsed.data;
}
