/**
 * Whose fault it is that a turn could not be carried through: what an agent can have done to its workspace or outbox is
 * a failure of its turn; what the machine lacks (machine-fault.ts), and a bug of cfa, ends the run instead.
 */
import { isMachineFault } from "./machine-fault.ts";
import { GitFailure } from "./workspaces/git.ts";
import { TreeBroken } from "./workspaces/port.ts";

/** True for an error that counts as a failure of the turn; its message is the sentence to show. */
export function isFaultOfTurn(error: unknown): error is Error {
  // Bugs have classes of their own: TypeError, InvariantViolation, ZodError, …
  return error instanceof Error && isPlain(error) && !isMachineFault(error);
}

function isPlain(error: Error): boolean {
  return error.constructor === Error || error instanceof GitFailure || error instanceof TreeBroken;
}
