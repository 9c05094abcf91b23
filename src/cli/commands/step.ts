/** `cfa step [JOB | FILE]`: walks through what happened, on a terminal or with `--commands`. */
import { stepsOf } from "../../engine/history.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { entriesOf, withSource } from "../log-source.ts";
import { parseCommands } from "../step/parse-command.ts";
import { screenLines } from "../step/screen-lines.ts";
import { newSession, perform, type Session, type StepCommand } from "../step/session.ts";
import { helpLines, walkOnTerminal } from "../step/walk.ts";

/** Options of `cfa step`. */
export type StepOptions = { readonly repo?: string | undefined; readonly commands?: string | undefined };

/** Walks through a log. */
export async function stepCommand(
  context: Context,
  word: string | undefined,
  { repo, commands }: StepOptions,
): Promise<number> {
  const list = commands === undefined ? undefined : parseCommands(commands);
  const terminal = context.stdout.isTTY && context.stdin.keys !== undefined;
  if (list === undefined && !terminal)
    throw new Misuse(`cfa step needs a terminal; without one say what to do: --commands "n 3; print; q"`);
  const steps = await withSource(context, repo, word, async (source) => [...stepsOf(entriesOf(source))]);
  const session = newSession(steps);
  return list === undefined ? walkOnTerminal(context, session) : carryOut(context, session, list);
}

/** Does the commands one after the other; `print` prints what the screen would show, the others what they have to say. */
function carryOut(context: Context, start: Session, commands: readonly StepCommand[]): number {
  let session = start;
  for (const command of commands) {
    if (command.do === "quit") break;
    session = perform(session, command);
    for (const line of answerLines(context, session, command)) say(context.stdout, line);
  }
  return EXIT.completed;
}

/** Width where there is no terminal. */
const WIDTH = 160;

function answerLines({ stdout }: Context, session: Session, command: StepCommand): readonly string[] {
  if (command.do === "help") return helpLines();
  if (command.do !== "print") return session.said === "" ? [] : [session.said];
  const width = stdout.isTTY ? stdout.columns() : WIDTH;
  return screenLines(session, { width, rows: Infinity });
}
