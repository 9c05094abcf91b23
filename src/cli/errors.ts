/**
 * From an error to one sentence and an exit code.
 *
 * E1. A user never sees a stack trace, unless CFA_DEBUG=1 asks for it.
 * E2. A bug in cfa says that it is one, and asks to be reported.
 */
import { type Context, say } from "./context.ts";
import { EXIT } from "./exit-codes.ts";

/** The command was called wrongly, or asks for what is not there: one sentence, exit code 2. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

/** Errors by their name, so that none of the modules that throw them has to be loaded to tell. */
const CODES: Readonly<Record<string, number>> = {
  Misuse: EXIT.misuse,
  JobFileError: EXIT.misuse,
  CannotStart: EXIT.misuse,
  LogInvalid: EXIT.invalidLog,
  StaleCommit: EXIT.owned,
};

const BUS_CODES: Readonly<Record<string, number>> = {
  missing: EXIT.misuse,
  name: EXIT.misuse,
  corrupt: EXIT.invalidLog,
  version: EXIT.invalidLog,
  foreign: EXIT.invalidLog,
  job: EXIT.invalidLog,
};

/** The exit code of an error. */
export function exitOfError(error: unknown): number {
  if (!(error instanceof Error)) return EXIT.failed;
  const bus = error.name === "BusError" && "code" in error ? String(error.code) : undefined;
  return (bus === undefined ? CODES[error.name] : BUS_CODES[bus]) ?? EXIT.failed;
}

/** Says on stderr what went wrong, and returns the exit code. */
export function reportError(context: Context, error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.name === "InvariantViolation") {
    say(context.stderr, message.startsWith("bug in cfa") ? message : `bug in cfa: ${message}`);
    say(context.stderr, "Please report it, with the log of the job (cfa log --jsonl).");
  } else {
    say(context.stderr, `cfa: ${message}`);
  }
  if (context.env["CFA_DEBUG"] === "1" && error instanceof Error) say(context.stderr, String(error.stack));
  return exitOfError(error);
}
